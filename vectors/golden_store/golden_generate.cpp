// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "reference/block.hpp"
#include "reference/clause.hpp"
#include "reference/scale_rule.hpp"
#include "reference/scaled_format.hpp"
#include "vectors/golden_store/golden.hpp"
#include "vectors/golden_store/golden_compact.hpp"
#include "vectors/tables/input_ranges.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert {
namespace {

/// "any" stands for every NaN code: not a value an implementation can have, but one a profile can permit.
constexpr std::string_view any_nan = any_nan_code;

/// Whether that value of the choice `nan` gives a NaN.
bool gives_nan(std::string_view value) {
    Choices choices;
    set(choices, "nan", value);
    return !is_number(choices.nan);
}

/// The values a choice takes in golden files, for a target. A choice that is not here keeps its default and is not
/// named in `when`: such Behaviours are deviations, found by tabulating them.
struct GoldenChoice {
    Choice choice;
    std::vector<std::string_view> values;
};

constexpr std::string_view roundings[] = {"nearest_even", "nearest_away",   "nearest_zero", "toward_zero", "up",
                                          "down",         "away_from_zero", "to_odd",       "nearest_log2"};

/// Those of an instruction set's sources are the only one that its instructions have.
std::vector<std::string_view> roundings_of(const Format& from) {
    const bool is_of_instructions = from.rectified || (from.scale != nullptr && from.scale->name != formats::e8m0.name);
    if (is_of_instructions) return {"nearest_even"};
    return {std::begin(roundings), std::end(roundings)};
}

/// In the order in which a conversion consults them: whether a later one has a say depends only on earlier ones.
std::vector<GoldenChoice> golden_choices(const Format& from, const Format& to) {
    if (to.flags_of != nullptr)
        return {
            {Choice::invalid_nan, {"signalling", "signalling_e4m3", "never"}},
            {Choice::overflow, {"sat", "nosat"}},
            {Choice::inf_flags, {"none", "overflow"}},
            {Choice::rounding, {std::begin(roundings), std::end(roundings)}},
            {Choice::tininess, {"after_rounding", "before_rounding"}},
        };
    if (to.element == nullptr && !to.has_nan()) {
        std::vector<GoldenChoice> choices{
            // what overflows and what NaN becomes is a number
            {Choice::nan, {"max", "max_sign", "zero", "zero_inverted"}},
            {Choice::rounding, roundings_of(from)},
            {Choice::overflow, {"sat"}},
            {Choice::zero_sign, {"kept", "dropped"}},
        };
        if (to.is_twos_complement()) choices.push_back({Choice::lowest, {"unused", "used"}});
        return choices;
    }
    if (to.element == nullptr)
        return {
            {Choice::negative, {"magnitude", "zero", "nan"}},
            {Choice::lowest_binade, {"by_value", "up_above_smallest", "up_nonzero", "zero_below"}},
            {Choice::zero, {"smallest", "nan"}},
            {Choice::nan, {any_nan, "canonical", "sign", "quiet", "quiet_sign", "payload_sign"}},
            {Choice::rounding, roundings_of(from)},
            {Choice::overflow, {"sat", "nosat"}},
            {Choice::directed_overflow, {"special", "max"}},
            {Choice::overflow_nan, {any_nan, "sign", "canonical"}},
            {Choice::zero_sign, {"kept", "dropped"}},
        };
    GoldenChoice rules{Choice::rule, {}};
    for (const ScaleRuleInfo& entry : all_scale_rules()) rules.values.push_back(to_string(entry.rule));
    GoldenChoice arithmetics{Choice::arithmetic, {"exact", "fp32_multiply", "fp32_divide"}};
    if (from.name == formats::amax_bf16.name) arithmetics.values.emplace_back("bf16_divide");
    return {
        {Choice::nan, {"canonical", "max", "zero"}},
        {Choice::least_amax, {"none", "fp32_1e_30"}},
        std::move(rules),
        std::move(arithmetics),
        {Choice::overflow, {"sat", "nosat"}},
        {Choice::lowest_binade, {"by_value", "up_above_smallest", "up_nonzero"}},
        {Choice::zero, {"smallest", "nan", "one", "lowered"}},
    };
}

/// What a profile permits of a choice, without what "any" stands for besides.
std::vector<std::string_view> permitted_of(const Profile& profile, const Conversion& conversion, Choice choice) {
    std::vector<std::string_view> values = permitted_values(profile, conversion, choice);
    if (values.front() != any_nan) return values; // at least one is permitted of each choice
    std::erase_if(values, [&](std::string_view value) {
        return value != any_nan && (choice == Choice::overflow_nan || gives_nan(value));
    });
    return values;
}

/// A choice that golden files do not name has its default there. Of one that has no say in a conversion other values
/// may be permitted too; overflow_test has one wherever something overflows.
bool is_default(const std::vector<std::string_view>& values, Choice choice) {
    const bool has_default = std::find(values.begin(), values.end(), value_name(Choices{}, choice)) != values.end();
    return has_default && (values.size() == 1 || choice != Choice::overflow_test);
}

/// Which code comes out of what is not in doubt: no flag depends on it.
bool decides_no_flag(Choice choice) {
    return choice == Choice::directed_overflow || choice == Choice::nan || choice == Choice::overflow_nan ||
           choice == Choice::zero_sign;
}

/// Arithmetics differ for few inputs, or none: what they have in common is one row.
bool is_united(Choice choice) { return choice == Choice::arithmetic; }

/// The values fixed so far: an index into GoldenChoice::values, or -1.
using Fixed = std::vector<int>;

/// A row, its condition not yet in words.
struct Found {
    Fixed fixed; ///< choices that have a say only
    Code first;
    Code last;
    Permit permit;
    std::string_view clause;
};

bool alike(const Found& a, const Found& b) { return a.permit == b.permit && a.clause == b.clause; }

class Generator {
  public:
    /// `base`: the values of choices that are not listed.
    Generator(const Format& from, const Format& to, std::vector<GoldenChoice> choices, const Choices& base)
        : from_(from), to_(to), choices_(std::move(choices)), base_(base) {}

    GoldenFile run() {
        const Fixed none(choices_.size(), -1);
        std::vector<GoldenRow> rows;
        for (Found& found : explore({{0, from_.last_code()}}, none))
            rows.push_back({when(found.fixed), found.first, found.last, std::move(found.permit), found.clause});
        std::stable_sort(rows.begin(), rows.end(), [](const GoldenRow& a, const GoldenRow& b) {
            return std::tie(a.when, a.first) < std::tie(b.when, b.first);
        });
        GoldenFile golden{&from_, &to_, {}};
        for (GoldenRow& row : rows) {
            // Rows that differ only in choices without a name here are one row.
            GoldenRow* before = golden.rows.empty() ? nullptr : &golden.rows.back();
            if (before != nullptr && before->when == row.when && before->last + 1 == row.first &&
                before->permit == row.permit && before->clause == row.clause)
                before->last = row.last;
            else
                golden.rows.push_back(std::move(row));
        }
        if (from_.scale != nullptr) golden.rows = compact(std::move(golden.rows), from_, to_);
        return golden;
    }

  private:
    /// The rows of these ranges: of inputs whose choices are all fixed, then of the others, by the first open choice.
    [[nodiscard]] std::vector<Found> explore(const std::vector<InputRange>& ranges, const Fixed& fixed) const {
        const Choices choices = apply(fixed);
        std::vector<Found> all;
        std::vector<std::vector<InputRange>> open(choices_.size());
        for (const TracedStep& step : trace_steps(from_, to_, choices, ranges)) {
            const int next = first_open(step.consulted, fixed);
            if (next < 0)
                all.push_back(found(step, fixed, choices));
            else
                append(open[static_cast<std::size_t>(next)], {step.first, step.last});
        }
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (open[i].empty()) continue;
            std::vector<Found> of_choice;
            for (std::size_t value = 0; value < choices_[i].values.size(); ++value) {
                Fixed more = fixed;
                more[i] = static_cast<int>(value);
                std::vector<Found> of_value = explore(open[i], more);
                std::move(of_value.begin(), of_value.end(), std::back_inserter(of_choice));
            }
            if (is_united(choices_[i].choice)) of_choice = united(of_choice, i);
            std::move(of_choice.begin(), of_choice.end(), std::back_inserter(all));
        }
        return all;
    }

    /// The same rows, where choice `i` is named only for inputs on which its values differ.
    [[nodiscard]] std::vector<Found> united(const std::vector<Found>& rows, std::size_t i) const {
        std::map<Fixed, std::vector<const Found*>> groups; // by all other choices
        for (const Found& row : rows) {
            Fixed others = row.fixed;
            others[i] = -1;
            groups[others].push_back(&row);
        }
        std::vector<Found> all;
        for (const auto& [others, group] : groups) {
            // Inputs at which a row begins or the one after a row; the last is after every row. Only scale rules have a
            // choice of arithmetic: their source is an amax, and the NaN that it ends with leaves nothing to choose.
            std::set<Code> cuts;
            for (const Found* row : group) {
                cuts.insert(row->first);
                cuts.insert(row->last + 1);
            }
            for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
                const Code last = *std::next(cut) - 1;
                std::vector<const Found*> here;
                for (const Found* row : group)
                    if (row->first <= *cut && last <= row->last) here.push_back(row);
                const bool same =
                    here.size() == choices_[i].values.size() &&
                    std::all_of(here.begin(), here.end(), [&](const Found* row) { return alike(*row, *here.front()); });
                if (same) here.resize(1);
                for (const Found* row : here)
                    all.push_back({same ? others : row->fixed, *cut, last, row->permit, row->clause});
            }
        }
        return all;
    }

    [[nodiscard]] int first_open(ChoiceSet consulted, const Fixed& fixed) const {
        for (std::size_t i = 0; i < fixed.size(); ++i)
            if ((consulted & bit(choices_[i].choice)) != 0 && fixed[i] < 0) return static_cast<int>(i);
        return -1;
    }

    [[nodiscard]] Choices apply(const Fixed& fixed) const {
        Choices choices = base_;
        for (std::size_t i = 0; i < fixed.size(); ++i) {
            if (fixed[i] < 0) continue;
            const std::string_view value = choices_[i].values[static_cast<std::size_t>(fixed[i])];
            if (value != any_nan) set(choices, info(choices_[i].choice).name, value);
        }
        return choices;
    }

    [[nodiscard]] Found found(const TracedStep& step, const Fixed& fixed, const Choices& choices) const {
        Fixed consulted = fixed;
        bool any = false;
        for (std::size_t i = 0; i < fixed.size(); ++i) {
            if ((step.consulted & bit(choices_[i].choice)) == 0) consulted[i] = -1;
            if (consulted[i] < 0) continue;
            if (choices_[i].values[static_cast<std::size_t>(consulted[i])] == any_nan) any = true;
        }
        const Permit permit = any && to_.is_nan(step.code) ? permit_any_nan() : permit_code(step.code);
        return {std::move(consulted), step.first, step.last, permit, clause_of(step.rule, from_, to_, choices.rule)};
    }

    [[nodiscard]] std::string when(const Fixed& fixed) const {
        std::string text;
        for (const ChoiceInfo& choice : all_choices())
            for (std::size_t i = 0; i < fixed.size(); ++i) {
                if (choices_[i].choice != choice.choice || fixed[i] < 0) continue;
                if (!text.empty()) text += ' ';
                text += std::string(choice.name) + "=" +
                        std::string(choices_[i].values[static_cast<std::size_t>(fixed[i])]);
            }
        return text;
    }

    const Format& from_;
    const Format& to_;
    std::vector<GoldenChoice> choices_;
    Choices base_;
};

} // namespace

GoldenFile generate_golden(const Format& from, const Format& to) {
    Choices base;
    if (to.element != nullptr) base.rule = ScaleRule::ocp_floor; // until one is fixed
    return Generator(from, to, golden_choices(from, to), base).run();
}

bool golden_names(const Profile& profile, const Conversion& conversion) {
    const std::vector<GoldenChoice> named = golden_choices(*conversion.from, *conversion.to);
    return std::all_of(all_choices().begin(), all_choices().end(), [&](const ChoiceInfo& choice) {
        const auto at = std::find_if(named.begin(), named.end(),
                                     [&](const GoldenChoice& golden) { return golden.choice == choice.choice; });
        if (conversion.to->flags_of != nullptr && decides_no_flag(choice.choice)) return true;
        if (at == named.end()) return is_default(permitted_values(profile, conversion, choice.choice), choice.choice);
        const std::vector<std::string_view> permitted = permitted_of(profile, conversion, choice.choice);
        return std::all_of(permitted.begin(), permitted.end(), [&](std::string_view value) {
            return std::find(at->values.begin(), at->values.end(), value) != at->values.end();
        });
    });
}

GoldenFile generate_golden(const Profile& profile, const Conversion& conversion) {
    std::vector<GoldenChoice> open;
    Choices base = choices_of(conversion);
    std::vector<GoldenChoice> named = golden_choices(*conversion.from, *conversion.to);
    for (GoldenChoice& golden : named) {
        golden.values = permitted_of(profile, conversion, golden.choice);
        if (golden.values.size() > 1 || golden.values.front() == any_nan)
            open.push_back(golden);
        else
            set(base, info(golden.choice).name, golden.values.front());
    }
    for (const ChoiceInfo& choice : all_choices()) {
        if (std::any_of(named.begin(), named.end(), [&](const GoldenChoice& g) { return g.choice == choice.choice; }))
            continue;
        const std::vector<std::string_view> values = permitted_values(profile, conversion, choice.choice);
        if (is_default(values, choice.choice)) continue;
        if (values.size() == 1) {
            set(base, choice.name, values.front());
            continue;
        }
        if (choice.choice != Choice::overflow_test)
            throw std::logic_error(std::string(profile.name) + " permits several values of " +
                                   std::string(choice.name) + ", which golden files do not name");
        // Whether a value overflows is asked before the code that it becomes.
        open.insert(std::find_if(open.begin(), open.end(),
                                 [](const GoldenChoice& golden) {
                                     return golden.choice == Choice::directed_overflow ||
                                            golden.choice == Choice::overflow_nan;
                                 }),
                    {choice.choice, values});
    }
    return Generator(*conversion.from, *conversion.to, std::move(open), base).run();
}

const std::vector<GoldenPair>& golden_pairs() {
    using namespace formats;
    static constexpr std::string_view narrow[] = {"e4m3", "e5m2", "e8m0",  "e3m2", "e2m3",
                                                  "e2m1", "int8", "ue4m3", "ue5m3"};
    static const std::vector<GoldenPair> pairs = [] {
        std::vector<GoldenPair> all;
        for (const std::string_view from : {"fp32", "fp16", "bf16", "fp64"})
            for (const std::string_view to : narrow) all.push_back({find_format(from), find_format(to)});
        for (const std::string_view from : narrow)
            for (const std::string_view to : {"fp32", "fp16", "bf16", "fp64"})
                all.push_back({find_format(from), find_format(to)});
        for (const Format* fp8 : {&e4m3, &e5m2})
            for (const Format* smaller : {&e3m2, &e2m3, &e2m1}) {
                all.push_back({smaller, fp8});
                all.push_back({fp8, smaller});
            }
        for (const Format* to : {&flags_of_e4m3, &flags_of_e5m2})
            for (const Format* from : {&fp32, &fp16, &bf16}) all.push_back({from, to});
        all.push_back({&e2m1, &flags_of_e4m3});
        for (const Format* to : {&flags_of_fp16, &flags_of_bf16})
            for (const Format* from : {&e4m3, &e5m2}) all.push_back({from, to});
        for (const Format* from : {&fp32_times_nscale, &bf16_times_nscale, &fp16_times_nscale5})
            for (const Format* to : {&e4m3, &e5m2}) all.push_back({from, to});
        for (const Format* from : {&e4m3_by_lscale4, &e5m2_by_lscale4}) all.push_back({from, &fp16});
        for (const Format* from : {&e4m3_by_lscale6, &e5m2_by_lscale6}) all.push_back({from, &bf16});
        for (const Format* from : {&relu_fp32, &relu_fp16, &relu_bf16})
            for (const Format* to : {&e4m3, &e5m2, &e3m2, &e2m3, &e2m1}) all.push_back({from, to});
        for (const ScaledFormat& scaled : mx_formats()) {
            for (const Format* value : {&fp32, &fp16, &bf16}) {
                all.push_back({&amax_of(*value), scaled.scale_of_amax});
                all.push_back({&by_scale(*value), scaled.element});
            }
            for (const Format* to : {&fp32, &fp16, &bf16, &fp64}) all.push_back({scaled.product, to});
        }
        return all;
    }();
    return pairs;
}

} // namespace mxcert
