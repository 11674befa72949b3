// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "reference/clause.hpp"
#include "vectors/golden.hpp"
#include "vectors/tabulate.hpp"

namespace mxcert {
namespace {

/// "any" stands for every NaN code: not a value an implementation can have, but one a profile can permit.
constexpr std::string_view any_nan = "any";

/// The values a choice takes in golden files, for a target. A choice that is not here keeps its default and is not
/// named in `when`: such Behaviours are deviations, found by tabulating them.
struct GoldenChoice {
    Choice choice;
    std::vector<std::string_view> values;
};

/// In the order in which a conversion consults them: whether a later one has a say depends only on earlier ones.
const std::vector<GoldenChoice>& golden_choices() {
    static const std::vector<GoldenChoice> choices = {
        {Choice::negative, {"magnitude", "zero", "nan"}},
        {Choice::lowest_binade, {"by_value", "up_above_smallest", "up_nonzero", "zero_below"}},
        {Choice::zero, {"smallest", "nan"}},
        {Choice::nan, {any_nan, "canonical", "sign", "quiet", "quiet_sign", "payload_sign"}},
        {Choice::rounding,
         {"nearest_even", "nearest_away", "toward_zero", "up", "down", "away_from_zero", "to_odd", "nearest_log2"}},
        {Choice::overflow, {"sat", "nosat"}},
        {Choice::directed_overflow, {"special", "max"}},
        {Choice::overflow_nan, {any_nan, "sign", "canonical"}},
        {Choice::zero_sign, {"kept", "dropped"}},
    };
    return choices;
}

struct Range {
    Code first;
    Code last;
};

/// The values fixed so far: an index into GoldenChoice::values, or -1.
using Fixed = std::array<int, 9>;

class Generator {
  public:
    Generator(const Format& from, const Format& to) : from_(from), to_(to) {}

    GoldenFile run() {
        Fixed none;
        none.fill(-1);
        explore({{0, from_.last_code()}}, none);
        std::stable_sort(rows_.begin(), rows_.end(), [](const GoldenRow& a, const GoldenRow& b) {
            return std::tie(a.when, a.first) < std::tie(b.when, b.first);
        });
        return {&from_, &to_, std::move(rows_)};
    }

  private:
    /// Emits the inputs of these ranges whose choices are all fixed, and goes on with the first open choice of the
    /// others.
    void explore(const std::vector<Range>& ranges, const Fixed& fixed) {
        const Choices choices = apply(fixed);
        std::array<std::vector<Range>, std::tuple_size_v<Fixed>> open;
        for (const Range& range : ranges)
            for (const TracedStep& step : trace_steps(from_, to_, choices, range.first, range.last)) {
                const int next = first_open(step.consulted, fixed);
                if (next < 0)
                    emit(step, fixed);
                else
                    append(open[static_cast<std::size_t>(next)], {step.first, step.last});
            }
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (open[i].empty()) continue;
            for (std::size_t value = 0; value < golden_choices()[i].values.size(); ++value) {
                Fixed more = fixed;
                more[i] = static_cast<int>(value);
                explore(open[i], more);
            }
        }
    }

    static void append(std::vector<Range>& ranges, Range range) {
        if (!ranges.empty() && ranges.back().last + 1 == range.first)
            ranges.back().last = range.last;
        else
            ranges.push_back(range);
    }

    static int first_open(ChoiceSet consulted, const Fixed& fixed) {
        for (std::size_t i = 0; i < fixed.size(); ++i)
            if ((consulted & bit(golden_choices()[i].choice)) != 0 && fixed[i] < 0) return static_cast<int>(i);
        return -1;
    }

    static Choices apply(const Fixed& fixed) {
        Choices choices;
        for (std::size_t i = 0; i < fixed.size(); ++i) {
            if (fixed[i] < 0) continue;
            const std::string_view value = golden_choices()[i].values[static_cast<std::size_t>(fixed[i])];
            const ChoiceInfo& choice = info(golden_choices()[i].choice);
            if (value != any_nan) set(choices, choice.name, value);
        }
        return choices;
    }

    void emit(const TracedStep& step, const Fixed& fixed) {
        std::string when;
        bool any = false;
        for (const ChoiceInfo& choice : all_choices())
            for (std::size_t i = 0; i < fixed.size(); ++i) {
                if (golden_choices()[i].choice != choice.choice || fixed[i] < 0 ||
                    (step.consulted & bit(choice.choice)) == 0)
                    continue;
                const std::string_view value = golden_choices()[i].values[static_cast<std::size_t>(fixed[i])];
                any = any || value == any_nan;
                if (!when.empty()) when += ' ';
                when += std::string(choice.name) + "=" + std::string(value);
            }
        const Permit permit = any && to_.is_nan(step.code) ? permit_any_nan() : permit_code(step.code);
        GoldenRow row{std::move(when), step.first, step.last, permit, clause_of(step.rule, from_, to_)};
        // Rows that differ only in choices without a name here are one row.
        if (!rows_.empty() && rows_.back().when == row.when && rows_.back().last + 1 == row.first &&
            rows_.back().permit == row.permit && rows_.back().clause == row.clause)
            rows_.back().last = row.last;
        else
            rows_.push_back(std::move(row));
    }

    const Format& from_;
    const Format& to_;
    std::vector<GoldenRow> rows_;
};

} // namespace

GoldenFile generate_golden(const Format& from, const Format& to) { return Generator(from, to).run(); }

const std::vector<GoldenPair>& golden_pairs() {
    using namespace formats;
    static const std::vector<GoldenPair> pairs = [] {
        std::vector<GoldenPair> all;
        for (const std::string_view from : {"fp32", "fp16", "bf16", "fp64"})
            for (const std::string_view to : {"e4m3", "e5m2", "e8m0"})
                all.push_back({find_format(from), find_format(to)});
        for (const std::string_view from : {"e4m3", "e5m2", "e8m0"})
            for (const std::string_view to : {"fp32", "fp16", "bf16", "fp64"})
                all.push_back({find_format(from), find_format(to)});
        return all;
    }();
    return pairs;
}

} // namespace mxcert
