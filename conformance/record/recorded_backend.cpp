// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/recorded_backend.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "conformance/observe/sweep.hpp"
#include "reference/code_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::record {
namespace {

class RecordedBackend final : public observe::Subject {
  public:
    explicit RecordedBackend(Record record) : record_(std::move(record)) {
        for (const RecordedOperation& recorded : record_.operations)
            for (const RecordedRun& run : recorded.runs)
                runs_.emplace(to_string(recorded.operation) + ' ' + run.question, &run);
    }

    [[nodiscard]] const observe::BackendInfo& info() const override { return record_.info; }

    [[nodiscard]] observe::Observation observe(const Conversion& conversion,
                                               const observe::Permitted& /*permitted*/) override {
        const RecordedConversion* found = find_recorded(record_, conversion);
        return found == nullptr || found->table.steps.empty() ? absent(conversion) : as_observed(*found);
    }

    [[nodiscard]] observe::Observation observe_points(const Conversion& conversion,
                                                      const std::vector<inputs::Point>& inputs,
                                                      const PermitTable* /*permitted*/) override {
        const RecordedConversion* found = find_recorded(record_, conversion);
        if (found == nullptr) return absent(conversion);
        observe::Observation seen;
        seen.conversion = conversion;
        seen.status = Status::pass;
        for (inputs::Point point : inputs) {
            if (!answer(*found, point)) {
                seen.status = Status::incomplete;
                seen.reason =
                    fmt::format("the record has no answer to input {}", code_text(*conversion.from, point.input));
                continue;
            }
            seen.points.push_back(point);
        }
        seen.inputs = seen.points.size();
        // Which of the recorded inputs were asked twice is not recorded: at least so many of these.
        const std::uint64_t recorded =
            found->table.steps.empty() ? found->points.size() : conversion.from->last_code() + 1;
        const std::uint64_t once = recorded - std::min(recorded, found->repeated);
        seen.repeated = seen.inputs - std::min(seen.inputs, once);
        return seen;
    }

    [[nodiscard]] bool holds_points(const Conversion& conversion) const override {
        const RecordedConversion* found = find_recorded(record_, conversion);
        return found == nullptr ? observe::needs_points(conversion) : !found->points.empty();
    }
    [[nodiscard]] std::vector<inputs::Point> answerable(const Conversion& conversion,
                                                        std::vector<inputs::Point> wanted) const override {
        const RecordedConversion* found = find_recorded(record_, conversion);
        if (found == nullptr) return {};
        if (found->table.steps.empty()) return found->points;
        return wanted;
    }
    [[nodiscard]] frames::RunAnswer run(const Operation& operation, const frames::RunCase& run_case) override {
        if (find_recorded(record_, operation) == nullptr) return observe::Subject::run(operation, run_case);
        const auto found = runs_.find(to_string(operation) + ' ' + question_of(run_case));
        if (found == runs_.end()) return {Status::incomplete, "the record has no answer to this run", {}, {}};
        return replay_run(*found->second, run_case);
    }
    [[nodiscard]] std::optional<Suite> stored_suite() const override {
        return Suite{record_.seed, record_.samples_per_step, record_.level};
    }
    [[nodiscard]] bool is_record() const override { return true; }
    [[nodiscard]] std::string selection() const override {
        return record_.tells_left_out ? ""
                                      : "a record of a part, or of an older version, which does not say what it "
                                        "is without";
    }
    [[nodiscard]] std::vector<std::string> left_out() const override { return record_.left_out; }
    [[nodiscard]] std::string digest() const override { return record_.digest; }

  private:
    static observe::Observation absent(const Conversion& conversion) {
        observe::Observation seen;
        seen.conversion = conversion;
        seen.status = Status::unsupported;
        seen.reason = "not in the record";
        return seen;
    }

    static bool answer(const RecordedConversion& recorded, inputs::Point& point) {
        if (!recorded.table.steps.empty()) {
            point.got = recorded.table.steps[find_step(recorded.table, point.input)].code;
            return true;
        }
        const auto at = std::lower_bound(recorded.points.begin(), recorded.points.end(), point.input,
                                         [](const inputs::Point& p, Code input) { return p.input < input; });
        if (at == recorded.points.end() || at->input != point.input) return false;
        point.got = at->got;
        return true;
    }

    Record record_;
    std::map<std::string, const RecordedRun*> runs_; ///< by operation and question
};

} // namespace

std::unique_ptr<observe::Subject> open_record(Record record) {
    return std::make_unique<RecordedBackend>(std::move(record));
}

} // namespace mxcert::record
