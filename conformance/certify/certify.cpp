// SPDX-License-Identifier: Apache-2.0
#include "conformance/certify/certify.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/certify/leave_out.hpp"
#include "conformance/print/text.hpp"
#include "conformance/suites/conversion/certify_conversion.hpp"
#include "conformance/suites/given_bits/certify_random.hpp"
#include "conformance/suites/registry.hpp"
#include "conformance/verdict/offers.hpp"
#include "vectors/base/parallel.hpp"

namespace mxcert::certify {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

// The rows of the provisions that the filters select. Offers that were refused when they were asked do not count.
std::vector<verdict::Row> provision_rows(const observe::Subject& subject, const Plan& plan,
                                         const std::vector<verdict::Row>& rows,
                                         const verdict::CertifyOptions& options) {
    std::vector<Conversion> offered = subject.info().conversions;
    std::erase_if(offered, [&](const Conversion& c) {
        return is_left_out(options.leave_out, to_string(c)) ||
               std::any_of(rows.begin(), rows.end(), [&](const verdict::Row& row) {
                   return row.status == Status::unsupported && verdict::conversion_of(row) != nullptr &&
                          *verdict::conversion_of(row) == c;
               });
    });
    std::vector<verdict::Row> provisions;
    for (const Profile* profile : plan.profiles)
        for (verdict::Row& row : verdict::judge_offers(*profile, offered))
            if (print::selected(options.filters, row.id)) provisions.push_back(std::move(row));
    return provisions;
}

bool is_enough(const CertifyEvents& events) { return events.is_enough && events.is_enough(); }

/// The operations of a plan, those of each subject one after the other, and the subjects at the same time. Which
/// subject gets which does not depend on time: what one remembers from run to run it remembers the next time as well.
class Operations {
  public:
    Operations(observe::Subject& subject, const Plan& plan, const verdict::CertifyOptions& options,
               const CertifyEvents& events, std::function<void(std::vector<verdict::Row>, double)> append)
        : plan_(plan), options_(options), events_(events), append_(std::move(append)), subjects_{&subject},
          rows_(plan.operations.size()) {
        // The largest matrices take half of the memory that there is.
        if (options.level == Level::complete || plan.operations.size() < 2) return;
        another_ = subject.another();
        if (another_) subjects_.push_back(another_.get());
    }

    /// The rows go to `append` in the order of the plan. Gives what the ends of the workers say; "" if they ended well.
    std::string run() {
        // Neighbours take turns in a new order each time: often every second one takes longer.
        const std::size_t count = subjects_.size();
        in_parallel(count, static_cast<unsigned>(count), [&](std::size_t turn) {
            for (std::size_t i = 0; i < plan_.operations.size(); ++i)
                if ((i + i / count) % count == turn && !is_enough(events_)) certify(*subjects_[turn], i);
        });
        // One that was not asked keeps those behind it waiting.
        for (; next_ < rows_.size(); ++next_)
            if (rows_[next_]) append_(std::move(rows_[next_]->rows), rows_[next_]->seconds);
        std::string reason;
        for (observe::Subject* subject : subjects_)
            if (std::string end = subject->end_runs(); reason.empty()) reason = std::move(end);
        return reason;
    }

  private:
    struct Judged {
        std::vector<verdict::Row> rows;
        double seconds = 0;
    };
    void certify(observe::Subject& subject, std::size_t number) {
        const PlannedOperation& planned = plan_.operations[number];
        if (events_.started) events_.started(to_string(planned.operation), 0);
        const Clock::time_point began = Clock::now();
        std::vector<verdict::Row> rows =
            suites::certify_operation(subject, planned.operation, plan_.profiles, *plan_.golden, options_);
        if (events_.ended) events_.ended(to_string(planned.operation));
        for (verdict::Row& row : rows) row.required = planned.required;
        const std::lock_guard<std::mutex> held(lock_);
        rows_[number] = {std::move(rows), seconds_since(began)};
        for (; next_ < rows_.size() && rows_[next_]; ++next_)
            append_(std::move(rows_[next_]->rows), rows_[next_]->seconds);
    }

    const Plan& plan_;
    const verdict::CertifyOptions& options_;
    const CertifyEvents& events_;
    std::function<void(std::vector<verdict::Row>, double)> append_;
    std::unique_ptr<observe::Subject> another_;
    std::vector<observe::Subject*> subjects_;
    std::mutex lock_;
    std::vector<std::optional<Judged>> rows_; ///< of each operation, when it was asked
    std::size_t next_ = 0;                    ///< the first that was not appended
};

} // namespace

verdict::Row row_of_end(const std::string& reason, bool stopped) {
    verdict::Row row;
    row.id = "operations";
    row.status = stopped ? Status::incomplete : Status::error;
    row.reason = reason;
    return row;
}

verdict::Row row_of_turns(const observe::TurnsSeen& seen) {
    verdict::Row row;
    row.id = "turns";
    row.status = seen.status;
    row.reason = seen.reason;
    row.detail = seen.detail;
    row.open = true;
    row.unstable = true;
    row.compared = seen.calls;
    row.required = true;
    row.found = verdict::TurnFindings{seen.failed};
    return row;
}

std::vector<verdict::Row> certify(observe::Subject& subject, const Plan& plan, const verdict::CertifyOptions& wanted,
                                  const CertifyEvents& events) {
    verdict::CertifyOptions options = wanted;
    if (options.reproduce && options.reproduce->operation)
        options.filters = {to_string(*options.reproduce->operation) + '/' + options.reproduce->part};
    verdict::CertifyOptions of_operations = options;
    if (const std::optional<observe::Subject::Suite> suite = subject.stored_suite()) {
        of_operations.recorded = true;
        of_operations.seed = suite->seed;
        of_operations.samples_per_step = suite->samples_per_step;
    }
    std::vector<verdict::Row> rows;
    const auto append = [&](std::vector<verdict::Row> more, double seconds) {
        if (more.empty()) return;
        for (verdict::Row& row : more) row.reproduced = options.reproduce;
        rows.insert(rows.end(), more.begin(), more.end());
        if (events.judged) events.judged(more, seconds);
    };
    bool is_cut = false;
    for (const suites::PlannedConversion& planned : plan.conversions) {
        if ((is_cut = is_enough(events))) break;
        if (events.started) events.started(to_string(planned.conversion), planned.inputs());
        const Clock::time_point began = Clock::now();
        std::vector<verdict::Row> more = suites::certify_conversion(subject, planned, options);
        append(std::move(more), seconds_since(began));
    }
    for (const suites::GivenBits& bits : plan.given_bits) {
        if (is_cut || (is_cut = is_enough(events))) break;
        if (events.started) events.started(to_string(bits.conversion), 0);
        const Clock::time_point began = Clock::now();
        std::vector<verdict::Row> more = suites::certify_random(subject, bits, options);
        if (events.ended) events.ended(to_string(bits.conversion));
        append(std::move(more), seconds_since(began));
    }
    const std::string end = Operations(subject, plan, of_operations, events, append).run();
    if (!end.empty()) append({row_of_end(end, options.stopped())}, 0);
    if (!options.reproduce && !is_cut) {
        const Clock::time_point began = Clock::now();
        if (events.started) events.started("turns", 0);
        const observe::TurnsSeen seen = subject.ask_turns();
        if (events.turned) events.turned(seen);
        if (seen.status != Status::untested && seen.status != Status::pass)
            append({row_of_turns(seen)}, seconds_since(began));
    }
    append(plan.fixed, 0);
    if (!options.reproduce) append(provision_rows(subject, plan, rows, options), 0);
    return rows;
}

} // namespace mxcert::certify
