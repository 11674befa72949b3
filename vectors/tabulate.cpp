// SPDX-License-Identifier: Apache-2.0
#include "vectors/tabulate.hpp"

#include <algorithm>
#include <stdexcept>

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
