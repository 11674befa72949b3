// SPDX-License-Identifier: Apache-2.0
#include "vectors/tabulate.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "reference/exact/exact.hpp"

namespace mxcert {
namespace {

/// Ranges of inputs, ascending, inside each of which code, rule and consulted choices are monotone: they never return
/// to an earlier value. Finite inputs of one sign are one range, because every step of the conversion (flush, first
/// rounding, rounding to a grid, overflow test) keeps the order of magnitudes. Zero and Inf are single inputs. NaNs are
/// cut by the top two bits of their fraction, all of the payload that any choice reads.
struct Range {
    Code first;
    Code last;
};

std::vector<Range> monotone_ranges(const Format& from) {
    std::vector<Range> ranges;
    const auto add = [&](Code first, Code last) {
        if (first <= last) ranges.push_back({first, last});
    };
    for (Code sign = 0;; sign = from.sign_bit()) {
        const Code smallest = from.has_zero() ? 1 : 0;
        if (from.has_zero()) add(sign, sign);
        add(sign | smallest, sign | from.max_code());
        if (from.has_inf()) add(sign | from.inf_code(), sign | from.inf_code());
        if (from.specials == Specials::ieee) {
            const Code quarter = Code{1} << (from.fraction_bits - 2);
            for (Code q = 0; q < 4; ++q)
                add(sign | (from.inf_code() + std::max<Code>(q * quarter, 1)),
                    sign | (from.inf_code() + (q + 1) * quarter - 1));
        }
        if (sign == from.sign_bit()) break;
    }
    return ranges;
}

/// The input farthest from `inside` toward `outside` that is still like it. `outside` is not.
template <class Same> Code farthest(Code inside, Code outside, Same same) {
    while (std::max(inside, outside) - std::min(inside, outside) > 1) {
        const Code middle = std::midpoint(inside, outside);
        (same(middle) ? inside : outside) = middle;
    }
    return inside;
}

/// Sources so narrow that each input is a range of its own.
std::vector<Range> single_inputs(const Format& from) {
    std::vector<Range> ranges;
    for (Code input = 0; input <= from.last_code(); ++input) ranges.push_back({input, input});
    return ranges;
}

class Tracer {
  public:
    Tracer(const Format& from, const Format& to, const Choices& choices) : from_(from), to_(to), choices_(choices) {
        if (is_stochastic(choices.rounding))
            throw std::invalid_argument("tabulate: a stochastic rounding has no step table");
    }

    std::vector<TracedStep> trace(Code first, Code last) {
        if (from_.width() <= 8) {
            for (Code input = first;; ++input) {
                append(at(input));
                if (input == last) break;
            }
            return std::move(steps_);
        }
        for (const Range& range : monotone_ranges(from_)) {
            const Code begin = std::max(first, range.first);
            const Code end = std::min(last, range.last);
            if (begin <= end) bisect(at(begin), at(end));
        }
        return std::move(steps_);
    }

  private:
    [[nodiscard]] TracedStep at(Code input) const {
        const exact::Result result = exact::convert(from_, to_, choices_, input);
        return {input, input, result.code, result.rule, result.consulted};
    }
    static bool alike(const TracedStep& a, const TracedStep& b) {
        return a.code == b.code && a.rule == b.rule && a.consulted == b.consulted;
    }
    void append(const TracedStep& step) {
        if (!steps_.empty() && alike(steps_.back(), step))
            steps_.back().last = step.last;
        else
            steps_.push_back(step);
    }
    /// Appends the steps from a.first to b.last, given both ends of a range in which nothing returns.
    void bisect(const TracedStep& a, const TracedStep& b) {
        if (alike(a, b)) return append({a.first, b.last, a.code, a.rule, a.consulted});
        if (b.first - a.last <= 1) {
            append(a);
            return append(b);
        }
        const TracedStep middle = at(a.last + (b.first - a.last) / 2);
        bisect(a, middle);
        bisect(middle, b);
    }

    const Format& from_;
    const Format& to_;
    const Choices& choices_;
    std::vector<TracedStep> steps_;
};

} // namespace

std::vector<TracedStep> trace_steps(const Format& from, const Format& to, const Choices& choices, Code first,
                                    Code last) {
    if (last > from.last_code() || first > last) throw std::invalid_argument("trace_steps: no such range of inputs");
    return Tracer(from, to, choices).trace(first, last);
}

Step step_around(const Format& from, const Format& to, const Choices& choices, Code input) {
    if (input > from.last_code()) throw std::invalid_argument("step_around: no such input");
    if (is_stochastic(choices.rounding)) throw std::invalid_argument("step_around: a stochastic rounding has no steps");
    const auto code_of = [&](Code x) { return exact::convert(from, to, choices, x).code; };
    const Code code = code_of(input);
    const std::vector<Range> ranges = from.width() <= 8 ? single_inputs(from) : monotone_ranges(from);
    const auto home = std::find_if(ranges.begin(), ranges.end(), [&](const Range& r) { return input <= r.last; });

    const auto same = [&](Code x) { return code_of(x) == code; };

    // The inputs of a range that have this code are neighbours. Walk outward over the ranges that have it to their end.
    Step step{input, input, code};
    for (auto range = home;; --range) {
        const Code top = range == home ? input : range->last;
        if (!same(top)) break;
        step.first = same(range->first) ? range->first : farthest(top, range->first, same);
        if (step.first != range->first || range == ranges.begin()) break;
    }
    for (auto range = home; range != ranges.end(); ++range) {
        const Code bottom = range == home ? input : range->first;
        if (!same(bottom)) break;
        step.last = same(range->last) ? range->last : farthest(bottom, range->last, same);
        if (step.last != range->last) break;
    }
    return step;
}

StepTable tabulate(const Format& from, const Format& to, const Choices& choices) {
    StepTable table{&from, &to, {}};
    for (const TracedStep& step : trace_steps(from, to, choices, 0, from.last_code())) {
        if (!table.steps.empty() && table.steps.back().code == step.code)
            table.steps.back().last = step.last;
        else
            table.steps.push_back({step.first, step.last, step.code});
    }
    return table;
}

} // namespace mxcert
