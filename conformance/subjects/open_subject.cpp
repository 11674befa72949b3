// SPDX-License-Identifier: Apache-2.0
#include "conformance/subjects/open_subject.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "conformance/observe/sweep.hpp"
#include "conformance/offline/offline.hpp"
#include "conformance/record/recorded_backend.hpp"

namespace mxcert::subjects {
namespace {

class RunningBackend final : public observe::Subject {
  public:
    RunningBackend(const observe::BackendSpec& spec, const observe::ObserveOptions& options)
        : spec_(spec), options_(options), backend_(spec, options) {}

    [[nodiscard]] const observe::BackendInfo& info() const override { return backend_.info(); }
    [[nodiscard]] observe::Observation observe(const Conversion& conversion,
                                               const observe::Permitted& permitted) override {
        return backend_.observe(conversion, permitted);
    }
    [[nodiscard]] observe::Observation observe_piece(const Conversion& conversion, const observe::Permitted& permitted,
                                                     const observe::Piece& piece) override {
        return backend_.observe_piece(conversion, permitted, piece);
    }
    [[nodiscard]] observe::Observation observe_places(const Conversion& conversion,
                                                      const observe::Permitted& permitted) override {
        return backend_.observe_places(conversion, permitted);
    }
    [[nodiscard]] observe::Observation observe_points(const Conversion& conversion,
                                                      const std::vector<inputs::Point>& inputs,
                                                      const PermitTable* permitted) override {
        return backend_.observe_points(conversion, inputs, permitted);
    }
    [[nodiscard]] observe::Observation sweep(const observe::SweepPart& part, const PermitTable* permitted) override {
        return backend_.sweep(part, permitted);
    }
    [[nodiscard]] bool can_sweep() const override { return true; }
    [[nodiscard]] frames::RunAnswer run(const Operation& operation, const frames::RunCase& run_case) override {
        return backend_.run(operation, run_case);
    }
    [[nodiscard]] frames::RepeatedAnswer run_repeated(const Operation& operation,
                                                      const frames::RepeatedRun& run) override {
        return backend_.run_repeated(operation, run);
    }
    [[nodiscard]] std::string end_runs() override { return backend_.end_runs(); }
    [[nodiscard]] observe::TurnsSeen ask_turns() override { return backend_.ask_turns(); }
    [[nodiscard]] std::vector<inputs::Point> answerable(const Conversion& /*conversion*/,
                                                        std::vector<inputs::Point> wanted) const override {
        return wanted;
    }
    [[nodiscard]] bool holds_points(const Conversion& conversion) const override {
        return observe::needs_points(conversion) &&
               !(asks_every_pair(options_.level) && conversion.from->scale != nullptr);
    }
    [[nodiscard]] bool is_record() const override { return false; }
    [[nodiscard]] std::unique_ptr<observe::Subject> another() const override {
        if (observe::jobs_of(options_.jobs, info()) < 2) return nullptr;
        observe::ObserveOptions silent = options_;
        silent.progress = nullptr;
        silent.swept = nullptr;
        try {
            auto same = std::make_unique<RunningBackend>(spec_, silent);
            same->backend_.share(backend_.turns());
            return same;
        } catch (const std::exception&) { // a device that serves one process
            return nullptr;
        }
    }

  private:
    observe::BackendSpec spec_;
    observe::ObserveOptions options_;
    observe::WorkerPool backend_;
};

} // namespace

std::unique_ptr<observe::Subject> open_subject(const observe::BackendSpec& spec,
                                               const observe::ObserveOptions& options) {
    switch (spec.kind) {
    case observe::BackendSpec::Kind::missing:
        throw std::runtime_error(fmt::format("backend '{}' is not available here: {}", spec.name, spec.reason));
    case observe::BackendSpec::Kind::record: return record::open_record(record::read_record(spec.path));
    case observe::BackendSpec::Kind::offline: return offline::open_offline(spec.path, options);
    default: return std::make_unique<RunningBackend>(spec, options);
    }
}

} // namespace mxcert::subjects
