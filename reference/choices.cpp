// SPDX-License-Identifier: Apache-2.0
#include "reference/choices.hpp"

#include <algorithm>
#include <stdexcept>

#include "reference/base/near_names.hpp"
#include "reference/base/other_names.hpp"

namespace mxcert {
namespace {

using Names = std::string_view;

// The order of each list is that of the enumeration; choices_test.cpp checks the lengths.
constexpr Names rounding[] = {"nearest_even", "nearest_away",   "nearest_zero", "toward_zero",  "up",
                              "down",         "away_from_zero", "to_odd",       "nearest_log2", "stochastic_a",
                              "stochastic_b", "stochastic_c",   "stochastic_s", "ptx_rs_a",     "ptx_rs_b",
                              "ptx_rs_e",     "ptx_rs_f"};
constexpr Names overflow[] = {"sat", "nosat", "sat_finite"};
constexpr Names overflow_test[] = {"after_rounding", "before_rounding", "tie_overflows"};
constexpr Names directed_overflow[] = {"special", "max"};
constexpr Names nan[] = {"canonical", "sign",      "quiet", "quiet_sign", "payload_sign", "inverted_first", "negative",
                         "fp32_ones", "bf16_ones", "max",   "max_sign",   "zero",         "zero_inverted"};
constexpr Names overflow_nan[] = {"sign", "canonical", "negative"};
constexpr Names zero_sign[] = {"kept", "dropped", "input_dropped"};
constexpr Names flush[] = {"none", "input", "output", "both", "product"};
constexpr Names via[] = {"none", "fp16_nearest_even", "fp16_toward_zero", "bf16_nearest_even"};
constexpr Names negative[] = {"magnitude", "zero", "nan"};
constexpr Names zero[] = {"smallest", "nan", "one", "lowered"};
constexpr Names lowest_binade[] = {"by_value", "up_above_smallest", "up_nonzero", "zero_below"};
constexpr Names rule[] = {"none", "ocp_floor", "ceil",        "rceil",        "rfloor",        "even", "even_fbgemm",
                          "tosa", "neuron",    "log_nearest", "log_nearest2", "arith_nearest", "p3109"};
constexpr Names arithmetic[] = {"exact", "fp32_multiply", "fp32_divide", "bf16_divide", "fp32_log2"};
constexpr Names least_amax[] = {"none", "fp32_1e_30"};
constexpr Names inf_amax[] = {"overflows", "next_power"};
constexpr Names smallest_scale[] = {"by_value", "second", "one"};
constexpr Names lowest[] = {"unused", "used"};
constexpr Names exceptions[] = {"raised", "none"};
constexpr Names tininess[] = {"after_rounding", "before_rounding"};
constexpr Names invalid_nan[] = {"signalling", "signalling_e4m3", "every", "never"};
constexpr Names inf_flags[] = {"none", "overflow", "invalid"};

constexpr ChoiceInfo choice_table[] = {
    {Choice::rounding, "rounding", "K10", "how a value between two codes is decided", rounding},
    {Choice::overflow, "overflow", "K12", "what a magnitude beyond the largest finite one becomes", overflow},
    {Choice::overflow_test, "overflow_test", "K13", "when overflow is decided", overflow_test},
    {Choice::directed_overflow, "directed_overflow", "K12",
     "what overflows under a rounding that points away from overflow, not saturating", directed_overflow},
    {Choice::nan, "nan", "K14 K15", "which code a NaN becomes", nan},
    {Choice::overflow_nan, "overflow_nan", "K14", "the sign of a NaN made by overflow or Inf", overflow_nan},
    {Choice::zero_sign, "zero_sign", "K16", "the sign of a zero result", zero_sign},
    {Choice::flush, "flush", "K8 K18", "which subnormal values become zero", flush},
    {Choice::via, "via", "K11", "a rounding to another format first", via},
    {Choice::negative, "negative", "K17", "what a negative value becomes in a format without sign", negative},
    {Choice::zero, "zero", "K5 K17", "what zero becomes in a format without zero", zero},
    {Choice::lowest_binade, "lowest_binade", "K6 K17",
     "what happens below the second code of a format without subnormals", lowest_binade},
    {Choice::rule, "rule", "K1", "which power of two is the scale of an amax", rule},
    {Choice::arithmetic, "arithmetic", "K2 K9",
     "the arithmetic in which a scale rule divides the amax, or a value is scaled", arithmetic},
    {Choice::least_amax, "least_amax", "K5 K6", "a lower bound that the amax is raised to", least_amax},
    {Choice::inf_amax, "inf_amax", "K4 K7", "what an amax of Inf is to a scale rule", inf_amax},
    {Choice::smallest_scale, "smallest_scale", "K9", "what a value under the smallest scale is divided by",
     smallest_scale},
    {Choice::lowest, "lowest", "K25", "whether the code without a positive counterpart is used in two's complement",
     lowest},
    {Choice::exceptions, "exceptions", "K26", "whether exceptions are raised at all", exceptions},
    {Choice::tininess, "tininess", "K27", "when the magnitude of an underflow is compared", tininess},
    {Choice::invalid_nan, "invalid_nan", "K28", "which NaN sources raise invalid", invalid_nan},
    {Choice::inf_flags, "inf_flags", "K29", "what Inf raises where it becomes a number or NaN", inf_flags},
};
static_assert(std::size(choice_table) == choice_count);

/// Calls `use` with a reference to the member of that choice.
template <class C, class Use> auto with_member(C& choices, Choice choice, Use use) {
    switch (choice) {
    case Choice::rounding: return use(choices.rounding);
    case Choice::overflow: return use(choices.overflow);
    case Choice::overflow_test: return use(choices.overflow_test);
    case Choice::directed_overflow: return use(choices.directed_overflow);
    case Choice::nan: return use(choices.nan);
    case Choice::overflow_nan: return use(choices.overflow_nan);
    case Choice::zero_sign: return use(choices.zero_sign);
    case Choice::flush: return use(choices.flush);
    case Choice::via: return use(choices.via);
    case Choice::negative: return use(choices.negative);
    case Choice::zero: return use(choices.zero);
    case Choice::lowest_binade: return use(choices.lowest_binade);
    case Choice::rule: return use(choices.rule);
    case Choice::arithmetic: return use(choices.arithmetic);
    case Choice::least_amax: return use(choices.least_amax);
    case Choice::inf_amax: return use(choices.inf_amax);
    case Choice::smallest_scale: return use(choices.smallest_scale);
    case Choice::lowest: return use(choices.lowest);
    case Choice::exceptions: return use(choices.exceptions);
    case Choice::tininess: return use(choices.tininess);
    case Choice::invalid_nan: return use(choices.invalid_nan);
    case Choice::inf_flags: return use(choices.inf_flags);
    }
    throw std::out_of_range("no such choice");
}

} // namespace

std::span<const ChoiceInfo> all_choices() { return choice_table; }

const ChoiceInfo& info(Choice choice) { return choice_table[static_cast<std::size_t>(choice)]; }

unsigned get(const Choices& choices, Choice choice) {
    return with_member(choices, choice, [](const auto& member) { return static_cast<unsigned>(member); });
}

void set(Choices& choices, Choice choice, unsigned value) {
    if (value >= info(choice).values.size())
        throw std::out_of_range("no such value of " + std::string(info(choice).name));
    with_member(choices, choice,
                [&](auto& member) { member = static_cast<std::remove_reference_t<decltype(member)>>(value); });
}

std::string_view to_string(Rounding value) { return rounding[static_cast<std::size_t>(value)]; }

std::string_view to_string(ScaleRule value) { return rule[static_cast<std::size_t>(value)]; }

std::string_view value_name(const Choices& choices, Choice choice) { return info(choice).values[get(choices, choice)]; }

void set(Choices& choices, std::string_view choice, std::string_view value) {
    std::vector<std::string_view> names;
    for (const ChoiceInfo& c : choice_table) {
        names.push_back(c.name);
        if (c.name != choice) continue;
        const auto it = std::find(c.values.begin(), c.values.end(), value);
        if (it == c.values.end())
            throw std::invalid_argument(unknown_name("value of " + std::string(choice), value, c.values));
        set(choices, c.choice, static_cast<unsigned>(it - c.values.begin()));
        return;
    }
    throw std::invalid_argument(unknown_name("choice", choice, names));
}

void set_by_text(Choices& choices, std::string_view text, std::string_view option) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos)
        throw std::invalid_argument(std::string(option) + " '" + std::string(text) +
                                    "': expected name=value, as in via=fp16_nearest_even");
    const std::string_view choice = text.substr(0, equals);
    const std::string_view value = text.substr(equals + 1);
    set(choices, choice, choice == "rounding" ? rounding_name(value) : value);
}

std::string describe(const Choices& choices) {
    const Choices defaults;
    std::string text;
    for (const ChoiceInfo& c : choice_table) {
        if (get(choices, c.choice) == get(defaults, c.choice)) continue;
        if (!text.empty()) text += ' ';
        text += std::string(c.name) + "=" + std::string(value_name(choices, c.choice));
    }
    return text.empty() ? "defaults" : text;
}

} // namespace mxcert
