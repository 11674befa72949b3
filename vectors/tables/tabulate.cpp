// SPDX-License-Identifier: Apache-2.0
#include "vectors/tables/tabulate.hpp"

#include <algorithm>
#include <list>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "reference/exact/exact.hpp"

namespace mxcert {
namespace {

/// Ranges of inputs, ascending, inside each of which code, rule and consulted choices are monotone: they never return
/// to an earlier value. Finite inputs of one sign are one range, because every step of the conversion (a given scale,
/// flush, first rounding, rounding to a grid, overflow test) keeps the order of magnitudes. Zero and Inf are single
/// inputs. NaNs are cut by the top two bits of their fraction: between these cuts a payload that is made quiet keeps
/// its order.
std::vector<InputRange> monotone_ranges(const Format& from) {
    std::vector<InputRange> ranges;
    const Code scales = from.scale == nullptr ? 1 : from.scale->last_code() + 1;
    for (Code scale = 0; scale < scales; ++scale) {
        const Code above = scale << static_cast<unsigned>(from.value_width()) % 64;
        const auto add = [&](Code first, Code last) {
            if (first <= last) ranges.push_back({above | first, above | last});
        };
        for (Code sign = 0;; sign = from.sign_bit()) {
            add(sign, sign); // every source this wide has zero
            add(sign | 1, sign | from.max_code());
            if (from.has_inf()) add(sign | from.inf_code(), sign | from.inf_code());
            if (from.specials == Specials::ieee && from.fraction_bits < 2) {
                for (Code nan = 1; nan <= from.fraction_mask(); ++nan)
                    add(sign | (from.inf_code() + nan), sign | (from.inf_code() + nan));
            } else if (from.specials == Specials::ieee) {
                const Code quarter = Code{1} << (from.fraction_bits - 2);
                for (Code q = 0; q < 4; ++q)
                    add(sign | (from.inf_code() + std::max<Code>(q * quarter, 1)),
                        sign | (from.inf_code() + (q + 1) * quarter - 1));
            }
            if (sign == from.sign_bit()) break;
        }
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

/// The inputs that are values of a format, ascending.
std::vector<Code> values_of(const Format& from, const Format& format) {
    std::vector<Code> values;
    Choices nosat;
    nosat.overflow = Overflow::nosat;
    for (Code code = 0; code <= format.last_code(); ++code) {
        if (!format.is_finite(code)) continue;
        const exact::Result value = exact::convert(format, from, nosat, code);
        if (!value.inexact) values.push_back(value.code);
    }
    std::sort(values.begin(), values.end());
    return values;
}

/// The same ranges with each of these inputs, which ascend, as one of its own.
std::vector<InputRange> cut_at(const std::vector<InputRange>& ranges, const std::vector<Code>& inputs) {
    std::vector<InputRange> all;
    auto input = inputs.begin();
    for (InputRange range : ranges) {
        input = std::lower_bound(input, inputs.end(), range.first);
        for (; input != inputs.end() && *input <= range.last; ++input) {
            if (range.first < *input) all.push_back({range.first, *input - 1});
            all.push_back({*input, *input});
            range.first = *input + 1;
        }
        if (range.first <= range.last) all.push_back(range);
    }
    return all;
}

/// The same, but each input a range of its own where the values are so narrow. Flags are monotone between two values of
/// the target, which are exact: from underflow to none below the normal magnitudes, and to overflow above the largest.
std::vector<InputRange> ranges_of(const Format& from, const Format& to) {
    if (from.value_width() > 8) {
        std::vector<InputRange> ranges = monotone_ranges(from);
        if (to.flags_of != nullptr && from.scale != nullptr)
            throw std::invalid_argument("tabulate: the flags of a source with a given scale have no table");
        return to.flags_of == nullptr ? ranges : cut_at(ranges, values_of(from, *to.flags_of));
    }
    std::vector<InputRange> ranges;
    for (Code input = 0; input <= from.last_code(); ++input) ranges.push_back({input, input});
    return ranges;
}

class Tracer {
  public:
    Tracer(const Format& from, const Format& to, const Choices& choices)
        : from_(from), to_(to), choices_(choices), monotone_(ranges_of(from, to)) {
        if (is_stochastic(choices.rounding))
            throw std::invalid_argument("tabulate: a stochastic rounding has no step table");
    }

    std::vector<TracedStep> trace(const std::vector<InputRange>& ranges) {
        for (const InputRange& range : ranges) {
            if (range.last > from_.last_code() || range.first > range.last)
                throw std::invalid_argument("trace_steps: no such range of inputs");
            const std::size_t begin = steps_.size();
            auto monotone = std::partition_point(monotone_.begin(), monotone_.end(),
                                                 [&](const InputRange& r) { return r.last < range.first; });
            for (; monotone != monotone_.end() && monotone->first <= range.last; ++monotone)
                trace({std::max(range.first, monotone->first), std::min(range.last, monotone->last)}, begin);
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
    /// Appends a step, or lengthens the one it continues; those before `begin` are of another range.
    void append(const TracedStep& step, std::size_t begin) {
        if (steps_.size() > begin && alike(steps_.back(), step))
            steps_.back().last = step.last;
        else
            steps_.push_back(step);
    }
    /// Appends the steps of a range in which nothing returns.
    void trace(const InputRange& range, std::size_t begin) {
        TracedStep before = at(range.first);
        if (from_.scale != nullptr) {
            // From scale to scale the steps move by a binade, with few exceptions: there is where to look first.
            for (const Code cut : moved_cuts(range)) {
                for (const Code input : {cut - 1, cut}) {
                    if (input <= before.last) continue;
                    const TracedStep next = at(input);
                    bisect(before, next, begin);
                    before = next;
                }
            }
        }
        if (range.last > before.last) {
            const TracedStep last = at(range.last);
            bisect(before, last, begin);
            before = last;
        }
        append(before, begin);
    }
    /// Appends the steps from a to the input before b, given that nothing returns between them.
    void bisect(const TracedStep& a, const TracedStep& b, std::size_t begin) {
        if (alike(a, b)) return append({a.first, b.first - 1, a.code, a.rule, a.consulted}, begin);
        if (b.first - a.last <= 1) return append(a, begin);
        const TracedStep middle = at(a.last + (b.first - a.last) / 2);
        bisect(a, middle, begin);
        bisect(middle, b, begin);
    }
    /// The first inputs of the steps one scale below, in a range that a binade more takes into this one.
    [[nodiscard]] std::vector<Code> moved_cuts(const InputRange& range) const {
        const Code offset = (Code{1} << static_cast<unsigned>(from_.value_width())) +
                            (Code{1} << static_cast<unsigned>(from_.fraction_bits));
        std::vector<Code> cuts;
        if (range.first < offset) return cuts;
        auto step = std::lower_bound(steps_.begin(), steps_.end(), range.first - offset,
                                     [](const TracedStep& s, Code input) { return s.first < input; });
        for (; step != steps_.end() && step->first + offset <= range.last; ++step) cuts.push_back(step->first + offset);
        return cuts;
    }

    const Format& from_;
    const Format& to_;
    const Choices& choices_;
    std::vector<InputRange> monotone_;
    std::vector<TracedStep> steps_;
};

/// Whether it is one of all_formats(). Another may be a local, whose place in memory the next one takes.
bool has_one_address(const Format& format) {
    for (const Format& known : all_formats())
        if (&known == &format) return true;
    return false;
}

/// The tables that were traced last.
class KeptTables {
  public:
    struct Key {
        const Format* from;
        const Format* to;
        Choices choices;
        std::vector<InputRange> ranges;
        friend bool operator==(const Key&, const Key&) = default;
    };

    std::optional<std::vector<TracedStep>> find(const Key& key) {
        const std::lock_guard lock(mutex_);
        const auto table =
            std::find_if(tables_.begin(), tables_.end(), [&](const Table& other) { return other.key == key; });
        if (table == tables_.end()) return std::nullopt;
        tables_.splice(tables_.begin(), tables_, table);
        return table->steps;
    }
    /// Drops those that were not asked for the longest. One that is too large is not kept.
    void keep(Key key, std::vector<TracedStep> steps) {
        if (steps.size() > most_steps) return;
        const std::lock_guard lock(mutex_);
        steps_ += steps.size();
        tables_.push_front({std::move(key), std::move(steps)});
        while (steps_ > most_steps || tables_.size() > most_tables) {
            steps_ -= tables_.back().steps.size();
            tables_.pop_back();
        }
    }

  private:
    static constexpr std::size_t most_steps = std::size_t{1} << 18; // 8 MiB
    static constexpr std::size_t most_tables = 256;
    struct Table {
        Key key;
        std::vector<TracedStep> steps;
    };
    std::mutex mutex_;
    std::list<Table> tables_;
    std::size_t steps_ = 0;
};

} // namespace

std::vector<TracedStep> trace_steps(const Format& from, const Format& to, const Choices& choices,
                                    const std::vector<InputRange>& ranges) {
    static KeptTables kept;
    if (!has_one_address(from) || !has_one_address(to)) return Tracer(from, to, choices).trace(ranges);
    KeptTables::Key key{&from, &to, choices, ranges};
    if (std::optional<std::vector<TracedStep>> steps = kept.find(key)) return *std::move(steps);
    std::vector<TracedStep> steps = Tracer(from, to, choices).trace(ranges);
    kept.keep(std::move(key), steps);
    return steps;
}

Step step_around(const Format& from, const Format& to, const Choices& choices, Code input) {
    if (input > from.last_code()) throw std::invalid_argument("step_around: no such input");
    if (is_stochastic(choices.rounding)) throw std::invalid_argument("step_around: a stochastic rounding has no steps");
    const auto code_of = [&](Code x) { return exact::convert(from, to, choices, x).code; };
    const Code code = code_of(input);
    const std::vector<InputRange> ranges = ranges_of(from, to);
    const auto home = std::find_if(ranges.begin(), ranges.end(), [&](const InputRange& r) { return input <= r.last; });

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
    for (const TracedStep& step : trace_steps(from, to, choices, {{0, from.last_code()}})) {
        if (!table.steps.empty() && table.steps.back().code == step.code)
            table.steps.back().last = step.last;
        else
            table.steps.push_back({step.first, step.last, step.code});
    }
    return table;
}

} // namespace mxcert
