// SPDX-License-Identifier: Apache-2.0
#include "conformance/subjects/open_subject.hpp"

#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "conformance/observe/sweep.hpp"
#include "conformance/offline/offline.hpp"
#include "conformance/record/recorded_backend.hpp"

namespace mxcert {
namespace {

class RunningBackend final : public Subject {
  public:
    RunningBackend(const BackendSpec& spec, const ObserveOptions& options)
        : spec_(spec), options_(options), backend_(spec, options) {}

    [[nodiscard]] const BackendInfo& info() const override { return backend_.info(); }
    [[nodiscard]] Observation observe(const Conversion& conversion, const Permitted& permitted) override {
        return backend_.observe(conversion, permitted);
    }
    [[nodiscard]] Observation observe_points(const Conversion& conversion, const std::vector<Point>& inputs,
                                             const PermitTable* permitted) override {
        return backend_.observe_points(conversion, inputs, permitted);
    }
    [[nodiscard]] Observation sweep(const SweepPart& part, const PermitTable* permitted) override {
        return backend_.sweep(part, permitted);
    }
    [[nodiscard]] bool can_sweep() const override { return true; }
    [[nodiscard]] RunAnswer run(const Operation& operation, const RunCase& asked) override {
        return backend_.run(operation, asked);
    }
    [[nodiscard]] RepeatedAnswer run_repeated(const Operation& operation, const RepeatedRun& asked) override {
        return backend_.run_repeated(operation, asked);
    }
    [[nodiscard]] std::string end_runs() override { return backend_.end_runs(); }
    [[nodiscard]] std::vector<Point> answerable(const Conversion& /*conversion*/,
                                                std::vector<Point> wanted) const override {
        return wanted;
    }
    [[nodiscard]] bool holds_points(const Conversion& conversion) const override {
        return needs_points(conversion) && !(asks_every_pair(options_.level) && conversion.from->scale != nullptr);
    }
    [[nodiscard]] bool is_record() const override { return false; }
    [[nodiscard]] std::unique_ptr<Subject> another() const override {
        if ((options_.jobs != 0 ? options_.jobs : std::thread::hardware_concurrency()) < 2) return nullptr;
        ObserveOptions silent = options_;
        silent.progress = nullptr;
        silent.swept = nullptr;
        try {
            return std::make_unique<RunningBackend>(spec_, silent);
        } catch (const std::exception&) { // a device that serves one process
            return nullptr;
        }
    }

  private:
    BackendSpec spec_;
    ObserveOptions options_;
    WorkerPool backend_;
};

} // namespace

std::unique_ptr<Subject> open_subject(const BackendSpec& spec, const ObserveOptions& options) {
    switch (spec.kind) {
    case BackendSpec::Kind::missing:
        throw std::runtime_error(fmt::format("backend '{}' is not available here: {}", spec.name, spec.reason));
    case BackendSpec::Kind::record: return open_record(read_record(spec.path));
    case BackendSpec::Kind::offline: return open_offline(spec.path, options);
    default: return std::make_unique<RunningBackend>(spec, options);
    }
}

} // namespace mxcert
