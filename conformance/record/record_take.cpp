// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "conformance/record/record.hpp"
#include "conformance/record/record_ask.hpp"

namespace mxcert::record {
namespace {

verdict::CertifyOptions asking_of(const RecordOptions& options) {
    verdict::CertifyOptions asking;
    asking.filters = options.filters;
    asking.seed = options.seed;
    asking.samples_per_step = options.samples_per_step;
    asking.level = options.level.level;
    asking.stop = options.stop;
    return asking;
}

class Taker {
  public:
    Taker(observe::Subject& subject, const RecordOptions& options, Record& record)
        : subject_(subject), options_(options), asking_(asking_of(options)), record_(record),
          plan_(plan_record(subject, asking_, golden_)) {}

    void take_conversions() {
        for (const Conversion& conversion : selected_conversions(subject_.info(), options_.filters)) {
            observe::Observation seen;
            seen.conversion = conversion;
            if (may_ask(why_never(conversion), seen.status, seen.reason)) {
                const suites::PlannedConversion& planned = planned_of(conversion);
                if (options_.started) options_.started(to_string(conversion), planned.inputs());
                seen = ask_conversion(subject_, planned);
            }
            if (options_.observed) options_.observed(seen);
            if (!is_recorded(to_string(conversion), seen.status, seen.reason)) continue;
            record_.info.conversions.push_back(conversion);
            record_.conversions.push_back(
                {conversion, std::move(seen.table), std::move(seen.points), seen.repeated, seen.places});
        }
    }

    void take_operations() {
        for (const Operation& operation : selected_operations(subject_.info(), options_.filters)) {
            TakenOperation taken;
            taken.recorded.operation = operation;
            if (may_ask(why_never(operation), taken.status, taken.reason)) {
                if (options_.started) options_.started(to_string(operation), 0);
                taken = take_operation(subject_, operation, asking_, golden_);
            }
            if (options_.asked) options_.asked(taken.recorded, taken.status, taken.reason);
            if (!is_recorded(to_string(operation), taken.status, taken.reason)) continue;
            record_.info.operations.push_back(operation);
            record_.operations.push_back(std::move(taken.recorded));
        }
    }

  private:
    [[nodiscard]] const suites::PlannedConversion& planned_of(const Conversion& conversion) const {
        return *std::find_if(plan_.conversions.begin(), plan_.conversions.end(),
                             [&](const auto& planned) { return planned.conversion == conversion; });
    }

    /// False if an offer is not going to be asked; then the status and reason say why.
    bool may_ask(const std::string& never, Status& status, std::string& reason) const {
        if (never.empty() && !asking_.stopped()) return true;
        status = never.empty() ? Status::incomplete : Status::untested;
        reason = never.empty() ? "stopped before it was asked" : never;
        return false;
    }

    bool is_recorded(const std::string& offer, Status status, const std::string& reason) {
        if (status != Status::pass) record_.unrecorded.push_back({offer, status, reason});
        return status == Status::pass;
    }

    observe::Subject& subject_;
    const RecordOptions& options_;
    verdict::CertifyOptions asking_;
    Record& record_;
    verdict::GoldenSource golden_;
    certify::Plan plan_;
};

} // namespace

Record take_record(observe::Subject& subject, const RecordOptions& options) {
    Record record;
    record.info = subject.info();
    record.info.conversions.clear();
    record.info.operations.clear();
    record.samples_per_step = options.samples_per_step;
    record.level = options.level;
    record.backend_options = options.backend_options;
    record.seed = options.seed;
    record.filters = options.filters;
    // What is stored already may be a part, and then so is this.
    record.left_out = subject.left_out();
    record.tells_left_out = subject.selection().empty();
    Taker taker(subject, options, record);
    taker.take_conversions();
    taker.take_operations();
    const auto add_missing = [&](const auto& offers) {
        for (const auto& offer : offers)
            if (find_recorded(record, offer) == nullptr) record.left_out.push_back(to_string(offer));
    };
    add_missing(subject.info().conversions);
    add_missing(subject.info().operations);
    return record;
}

} // namespace mxcert::record
