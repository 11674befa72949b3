// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/piece.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "conformance/inputs/run_length.hpp"
#include "conformance/observe/poison_check.hpp"
#include "conformance/observe/schedule.hpp"
#include "reference/code_text.hpp"

namespace mxcert::observe {
namespace {

void add_counts(Observation& sum, const Observation& more) {
    sum.inputs += more.inputs;
    sum.repeated += more.repeated;
    sum.places.in_batches += more.places.in_batches;
    sum.places.neighbours += more.places.neighbours;
    sum.places.differing += more.places.differing;
    sum.places.simplified = sum.places.simplified || more.places.simplified;
    sum.seconds += more.seconds;
}

} // namespace

std::vector<inputs::Block> share_of(const std::vector<inputs::Block>& blocks, const Piece& piece) {
    const auto at = [&](std::uint64_t number) {
        return blocks.begin() + static_cast<std::ptrdiff_t>(blocks.size() * number / piece.count);
    };
    return {at(piece.number), at(piece.number + 1)};
}

bool has_pieces(const Conversion& conversion) {
    return conversion.random_bits == 0 && (conversion.from->width() <= 32 || conversion.from->scale != nullptr);
}

Observation without_pieces(const Conversion& conversion) {
    Observation observation;
    observation.conversion = conversion;
    observation.reason = "not a conversion whose every input can be sent: it needs points";
    return observation;
}

void simplify_steps(std::vector<Step>& steps, const PermitTable& permitted) {
    std::vector<Step> simple;
    for (const Step& step : steps) {
        for (std::size_t at = find_step(permitted, step.first);
             at < permitted.steps.size() && permitted.steps[at].first <= step.last; ++at) {
            const PermitStep& wanted = permitted.steps[at];
            const bool fits = permits(wanted.permit, step.code, *permitted.to);
            inputs::append_step(simple, {std::max(step.first, wanted.first), std::min(step.last, wanted.last),
                                         fits ? one_of(wanted.permit, *permitted.to) : step.code});
        }
    }
    steps = std::move(simple);
}

std::optional<Code> first_flaw(const std::vector<Step>& steps, Code last) {
    Code next = 0;
    for (const Step& step : steps) {
        if (step.first != next || step.last < step.first) return std::min(step.first, next);
        next = step.last + 1;
    }
    return next == last + 1 ? std::nullopt : std::optional(next);
}

PieceJoiner::PieceJoiner(const Conversion& conversion, const Permitted& permitted)
    : conversion_(conversion), permitted_(permitted) {
    all_.conversion = conversion;
    all_.status = Status::pass;
}

bool PieceJoiner::passes() const { return all_.status == Status::pass; }

void PieceJoiner::add(const Piece& piece, Observation seen) {
    if (!passes()) return;
    if (piece.count == 1)
        add_range(std::move(seen));
    else
        add_share(piece, std::move(seen));
}

void PieceJoiner::add_share(const Piece& piece, Observation seen) {
    if (!shares_) {
        shares_ = std::move(seen);
    } else {
        std::vector<Step> steps = std::move(shares_->partial);
        steps.insert(steps.end(), seen.partial.begin(), seen.partial.end());
        add_counts(seen, *shares_);
        shares_ = std::move(seen);
        shares_->partial = std::move(steps);
    }
    Observation& range = *shares_;
    if (range.status == Status::pass && piece.number + 1 != piece.count) return;
    range.chosen = false;
    range.partial = inputs::in_order(std::move(range.partial));
    // If one share has too many steps, all are simplified, as in one observation.
    const bool is_much = range.partial.size() > Schedule::max_steps;
    if (permitted_.by_all != nullptr && (range.places.simplified || is_much)) {
        simplify_steps(range.partial, *permitted_.by_all);
        range.places.simplified = true;
    }
    Observation whole = std::move(range);
    shares_.reset();
    add_range(std::move(whole));
}

void PieceJoiner::add_range(Observation seen) {
    const bool whole = !seen.table.steps.empty();
    for (const Step& step : whole ? seen.table.steps : seen.partial) inputs::append_step(steps_, step);
    add_counts(seen, all_);
    all_ = std::move(seen);
    if (!passes() || steps_.size() <= Schedule::max_steps) return;
    all_.status = Status::incomplete;
    all_.irregular = true;
    all_.reason = fmt::format("irregular: more than {} steps up to input {}", std::size_t{Schedule::max_steps},
                              code_text(*conversion_.from, steps_.back().last));
}

Observation
PieceJoiner::finish(const std::function<void(const std::vector<Step>& answers, Observation&)>& look_at_places) {
    const Code last = conversion_.from->last_code();
    const bool covers = all_.inputs == last + 1 && !all_.irregular && !first_flaw(steps_, last);
    if (passes() && !covers) {
        all_.status = Status::incomplete;
        all_.reason = fmt::format("input {} was not answered once, and once only",
                                  code_text(*conversion_.from, first_flaw(steps_, last).value_or(0)));
    }
    if (passes()) look_at_places(steps_, all_);
    all_.table.steps.clear();
    all_.partial.clear();
    if (covers && is_kept_whole(all_.status))
        all_.table = {conversion_.from, conversion_.to, std::move(steps_)};
    else
        all_.partial = std::move(steps_);
    const std::vector<Step>& steps = all_.table.steps;
    if (passes() && permitted_.by_any != nullptr && steps.size() == 1 && !constant_is_permitted(*permitted_.by_any)) {
        all_.status = Status::mistrusted;
        all_.reason = constant_reason + code_text(*conversion_.to, steps.front().code);
    }
    return std::move(all_);
}

} // namespace mxcert::observe
