// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/bisect.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <optional>

#include "conformance/inputs/run_length.hpp"
#include "reference/code_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::observe {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_culprits = 2;
/// A request that hangs need not be waited for as long as one that may be slow: some times what honest ones took.
constexpr int patience = 4;
constexpr auto shortest_step = 200ms;
constexpr auto step_without_answers = 2'000ms; ///< where nothing is known of honest ones

/// Why the search ends without a result.
struct GaveUp {
    std::string why;
};

/// What was found in one failed request.
struct Found {
    std::optional<Culprit> culprit;
    std::string reason;
    std::vector<inputs::Block> rest; ///< parts that have no part in it, to be asked for
    bool everything = false;         ///< every input that was tried does it
};

class Search {
  public:
    Search(const Bisection& bisection, Clock::time_point deadline, std::chrono::milliseconds hang_step,
           const inputs::Block& block, const BlockFailure& failure)
        : bisection_(bisection), deadline_(deadline),
          step_(failure.kind == BlockFailure::Kind::hung ? hang_step : bisection.timeout), block_(block),
          failure_(failure), first_(block.first), count_(block.count) {}

    [[nodiscard]] Found run() {
        try {
            if (count_ == 1) return single();
            const std::uint64_t last = block_.first + block_.count - 1;
            // A backend that fails whatever it is asked is known after three requests.
            if (fails(block_.first, 1, step_) && fails(last, 1, step_) && fails(block_.first + count_ / 2, 1, step_)) {
                count_ = 1;
                return everything(last);
            }
            if (!fails(block_.first, block_.count, step_)) return vanished();
            while (count_ > 1 && halve()) {
            }
            be_patient();
            return count_ == 1 ? single() : together();
        } catch (const GaveUp& gave_up) {
            return {std::nullopt,
                    failure_.reason + "; not narrowed down" +
                        (count_ < block_.count ? " further than " + names(first_, count_) : "") + ": " + gave_up.why,
                    {},
                    false};
        }
    }

  private:
    [[nodiscard]] std::string name(std::uint64_t position) const {
        return code_text(*bisection_.from, bisection_.input_at(position));
    }
    [[nodiscard]] std::string names(std::uint64_t first, std::uint64_t count) const {
        return name(first) + " to " + name(first + count - 1);
    }

    [[nodiscard]] inputs::Block part(std::uint64_t first, std::uint64_t count, bool repeat) const {
        return {first, count, block_.poison, repeat, block_.cut};
    }

    /// Whether a request for these alone ends or hangs a new worker.
    [[nodiscard]] bool fails(std::uint64_t first, std::uint64_t count, std::chrono::milliseconds timeout) {
        if (Clock::now() >= deadline_) throw GaveUp{"it takes too long"};
        // Where the second time of asking did it, its cut and its place in memory may have.
        const Schedule::Outcome outcome = bisection_.ask_fresh({part(first, count, failure_.again)}, timeout);
        if (outcome.stopped) throw GaveUp{"stopped"};
        if (outcome.failed.empty() && outcome.failure && !outcome.whole && outcome.answered + outcome.unwritten < count)
            throw GaveUp{outcome.failure->reason};
        return !outcome.failed.empty() && outcome.failed.front().second.kind != BlockFailure::Kind::other;
    }

    /// What an impatient step blamed has to hang for as long as any request may take.
    void be_patient() {
        if (step_ < bisection_.timeout && !fails(first_, count_, bisection_.timeout))
            throw GaveUp{"slow, but it ends, when it is sent alone"};
    }

    /// False if neither half does it.
    [[nodiscard]] bool halve() {
        const std::uint64_t half = count_ / 2;
        if (fails(first_, half, step_)) {
            count_ = half;
            return true;
        }
        if (!fails(first_ + half, count_ - half, step_)) return false;
        first_ += half;
        count_ -= half;
        return true;
    }

    [[nodiscard]] std::vector<inputs::Block> around() const {
        std::vector<inputs::Block> rest;
        const std::uint64_t end = first_ + count_;
        if (first_ > block_.first) rest.push_back(part(block_.first, first_ - block_.first, block_.repeat));
        if (count_ > 1) {
            rest.push_back(part(first_, count_ / 2, block_.repeat));
            rest.push_back(part(first_ + count_ / 2, count_ - count_ / 2, block_.repeat));
        }
        if (end < block_.first + block_.count)
            rest.push_back(part(end, block_.first + block_.count - end, block_.repeat));
        return rest;
    }

    [[nodiscard]] Culprit culprit() const {
        return {bisection_.input_at(first_), bisection_.input_at(first_ + count_ - 1), count_, failure_.how};
    }
    [[nodiscard]] Found single() const {
        return {culprit(), failure_.how + " at input " + name(first_), around(), false};
    }
    [[nodiscard]] Found everything(std::uint64_t last) {
        be_patient();
        return {culprit(), failure_.how + " at input " + name(first_) + ", and at " + name(last) + " too", {}, true};
    }
    [[nodiscard]] Found together() const {
        return {culprit(),
                failure_.how + ", only within a request of " + std::to_string(count_) + " inputs, " +
                    names(first_, count_),
                around(), false};
    }
    [[nodiscard]] Found vanished() const {
        return {std::nullopt,
                failure_.reason + "; did not recur on a new worker",
                {part(block_.first, block_.count, block_.repeat)},
                false};
    }

    const Bisection& bisection_;
    Clock::time_point deadline_;
    std::chrono::milliseconds step_;
    const inputs::Block& block_;
    const BlockFailure& failure_;
    std::uint64_t first_; ///< of what is still suspected
    std::uint64_t count_;
};

/// Adds the answers of parts that were asked later.
void merge(Schedule::Outcome& into, Schedule::Outcome&& more) {
    std::vector<Step> sorted = std::move(into.steps);
    sorted.insert(sorted.end(), more.steps.begin(), more.steps.end());
    std::sort(sorted.begin(), sorted.end(), [](const Step& a, const Step& b) { return a.first < b.first; });
    into.steps.clear();
    for (const Step& step : sorted) inputs::append_step(into.steps, step);
    into.answered += more.answered;
    into.repeated += more.repeated;
    if (into.unwritten == 0) into.unwritten_at = std::move(more.unwritten_at);
    into.unwritten += more.unwritten;
    into.asked += more.asked;
    into.stopped = into.stopped || more.stopped;
}

} // namespace

std::vector<Culprit> bisect_failures(Schedule::Outcome& outcome, const Bisection& bisection) {
    std::vector<Culprit> culprits;
    const auto deadline = Clock::now() + bisection.time;
    const auto honest = std::max<std::chrono::milliseconds>(patience * outcome.slowest, shortest_step);
    const auto hang_step =
        std::min<std::chrono::milliseconds>(outcome.answered == 0 ? step_without_answers : honest, bisection.timeout);
    std::deque<std::pair<inputs::Block, BlockFailure>> pending(outcome.failed.begin(), outcome.failed.end());
    std::string reason;
    for (std::size_t searched = 0; searched < most_culprits && !pending.empty(); ++searched) {
        const auto [block, failure] = std::move(pending.front());
        pending.pop_front();
        if (failure.kind == BlockFailure::Kind::other) break;
        // One hang costs enough time.
        if (searched != 0 && failure.kind == BlockFailure::Kind::hung) break;
        Found found = Search(bisection, deadline, hang_step, block, failure).run();
        reason += (reason.empty() ? "" : "; ") + found.reason;
        if (found.culprit) culprits.push_back(*found.culprit);
        if (!found.rest.empty() && !outcome.irregular) {
            Schedule::Outcome rest = bisection.ask(std::move(found.rest));
            pending.insert(pending.begin(), std::make_move_iterator(rest.failed.begin()),
                           std::make_move_iterator(rest.failed.end()));
            merge(outcome, std::move(rest));
        }
        if (found.everything || !found.culprit) break;
    }
    if (!reason.empty()) outcome.failure->reason = reason;
    return culprits;
}

} // namespace mxcert::observe
