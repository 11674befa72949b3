// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/resume.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/observe/sweep.hpp"
#include "conformance/record/record.hpp"
#include "conformance/record/resume_part.hpp"

namespace mxcert::record {
namespace {

class Keeper final : public observe::Subject {
  public:
    Keeper(observe::Subject& subject, std::filesystem::path folder, Record record)
        : subject_(subject), folder_(std::move(folder)), record_(std::move(record)) {}

    [[nodiscard]] const observe::BackendInfo& info() const override { return subject_.info(); }

    [[nodiscard]] observe::Observation observe(const Conversion& conversion,
                                               const observe::Permitted& permitted) override {
        const RecordedConversion* kept = find_recorded(record_, conversion);
        if (kept == nullptr) return ask(conversion, permitted);
        observe::Observation seen = as_observed(*kept);
        seen.kept = true;
        return seen;
    }

    [[nodiscard]] observe::Observation observe_points(const Conversion& conversion,
                                                      const std::vector<inputs::Point>& inputs,
                                                      const PermitTable* permitted) override {
        return subject_.observe_points(conversion, inputs, permitted); // some thousands: asked again in no time
    }
    [[nodiscard]] observe::Observation sweep(const observe::SweepPart& part, const PermitTable* permitted) override {
        if (std::optional<observe::Observation> kept = kept_part(folder_, part)) return std::move(*kept);
        observe::Observation seen = subject_.sweep(part, permitted);
        if (seen.status == Status::pass && seen.inputs == part.inputs()) keep_part(folder_, part, seen);
        return seen;
    }
    [[nodiscard]] bool can_sweep() const override { return subject_.can_sweep(); }
    [[nodiscard]] frames::RunAnswer run(const Operation& operation, const frames::RunCase& run_case) override {
        return subject_.run(operation, run_case);
    }
    [[nodiscard]] frames::RepeatedAnswer run_repeated(const Operation& operation,
                                                      const frames::RepeatedRun& run) override {
        return subject_.run_repeated(operation, run);
    }
    [[nodiscard]] std::string end_runs() override { return subject_.end_runs(); }
    [[nodiscard]] observe::TurnsSeen ask_turns() override { return subject_.ask_turns(); }
    [[nodiscard]] bool holds_points(const Conversion& conversion) const override {
        return subject_.holds_points(conversion);
    }
    [[nodiscard]] std::vector<inputs::Point> answerable(const Conversion& conversion,
                                                        std::vector<inputs::Point> wanted) const override {
        return subject_.answerable(conversion, std::move(wanted));
    }
    [[nodiscard]] std::string selection() const override { return subject_.selection(); }
    [[nodiscard]] bool is_record() const override { return false; }

  private:
    observe::Observation ask(const Conversion& conversion, const observe::Permitted& permitted) {
        observe::Observation seen = subject_.observe(conversion, permitted);
        // What is not trusted is asked again: it may have been the machine's fault.
        if (seen.status == Status::pass && !seen.table.steps.empty()) {
            record_.conversions.push_back({conversion, seen.table, {}, seen.repeated, seen.places});
            add_to_record(record_.conversions.back(), folder_);
        }
        return seen;
    }

    observe::Subject& subject_;
    std::filesystem::path folder_;
    Record record_;
};

// Whether a record is of this very backend, and why not.
void check_same(const Record& kept, const Record& now, const std::filesystem::path& folder) {
    const auto differs = [&](const char* what, const std::string& was, const std::string& is) {
        if (was != is)
            throw std::runtime_error(fmt::format("'{}' has answers of another run, with the {} '{}', not '{}': give "
                                                 "--keep another folder",
                                                 folder.string(), what, was, is));
    };
    differs("backend", kept.info.name, now.info.name);
    differs("build", kept.info.build_id, now.info.build_id);
    differs("backend option", kept.backend_options, now.backend_options);
    if (kept.level.level < now.level.level)
        differs("level", to_string(kept.level), to_string(now.level)); // fewer and smaller calls
    differs("seed", std::to_string(kept.seed), std::to_string(now.seed));
}

} // namespace

std::unique_ptr<observe::Subject> resume_answers(observe::Subject& subject, const std::filesystem::path& folder,
                                                 const std::string& backend_options, std::uint64_t seed, Level level) {
    if (subject.is_record())
        throw std::runtime_error("--keep keeps the answers of a backend that runs: this one is recorded already");
    Record record;
    record.info = subject.info();
    record.info.conversions.clear();
    for (const Conversion& conversion : subject.info().conversions) record.left_out.push_back(to_string(conversion));
    for (const Operation& operation : subject.info().operations) record.left_out.push_back(to_string(operation));
    record.info.unknown.clear();
    record.backend_options = backend_options;
    record.seed = seed;
    record.level = {std::max(level, Level::quick)}; // of fewer inputs nothing is kept
    if (is_record_folder(folder)) {
        Record kept = read_record(folder);
        check_same(kept, record, folder);
        record.conversions = std::move(kept.conversions);
    } else {
        write_record(record, folder);
    }
    return std::make_unique<Keeper>(subject, folder, std::move(record));
}

} // namespace mxcert::record
