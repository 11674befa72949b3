// SPDX-License-Identifier: Apache-2.0
// What goes wrong with a given scale.
#include "reference/exact/exact.hpp"
#include "vectors/faults/fault_families.hpp"
#include "vectors/faults/fault_tables.hpp"

namespace mxcert {
namespace {

/// E8M0 of which 0xFF is a power of two as well.
constexpr Format e8m0_of_numbers{"e8m0", "E8M0 with 0xFF read as 2^128", 8, 0, 127, false, false, Specials::none, ""};
StepTable nan_scale_is_a_power(const Format& from, const Format& to, const Choices& choices) {
    Format taken = from;
    taken.scale = &e8m0_of_numbers;
    return mistaken(from, to, taken, to, choices);
}

/// The inputs with which each scale begins.
std::set<Code> scale_starts(const Format& from) {
    std::set<Code> starts;
    for (Code scale = 0; scale <= from.scale->last_code(); ++scale) starts.insert(from.code_of(scale, 0));
    return starts;
}

/// Of a product with a scale that is NaN: the product with Inf.
StepTable nan_scale_is_inf(const Format& from, const Format& to, const Choices& choices) {
    std::set<Code> inputs;
    const Code scale = from.scale->last_code();
    for (Code value = 0; value <= from.value->last_code(); ++value) inputs.insert(from.code_of(scale, value));
    return edited(right_table(from, to, choices), inputs, [&](const Step& step) {
        const Code value = from.value_of(step.first);
        if (from.scale_of(step.first) != scale || from.value->is_nan(value) || from.value->magnitude_of(value) == 0)
            return step.code;
        return to.with_sign(to.inf_code(), (value & from.value->sign_bit()) != 0);
    });
}

/// The scale as FP16 has it: beyond its largest power of two Inf, up to half of its smallest number zero.
StepTable scale_through_fp16(const Format& from, const Format& to, const Choices& choices) {
    const int largest = formats::fp16.emax();
    const int smallest = formats::fp16.emin() - formats::fp16.fraction_bits;
    return edited(right_table(from, to, choices), scale_starts(from), [&](const Step& step) {
        const Code scale = from.scale_of(step.first);
        const Code value = from.value_of(step.first);
        const int exponent = static_cast<int>(scale) - from.scale->bias;
        if (from.scale->is_nan(scale) || from.value->is_nan(value) || (exponent >= smallest && exponent <= largest))
            return step.code;
        const bool negative = (value & from.value->sign_bit()) != 0;
        const bool is_inf = exponent > largest;
        if (is_inf ? from.value->magnitude_of(value) == 0 : from.value->is_inf(value))
            return to.magnitude_mask(); // NaN
        return to.with_sign(is_inf ? to.inf_code() : 0, negative);
    });
}

/// Of the elements, that is taken whose value comes nearest in FP32: one beyond its largest value is infinitely far.
StepTable beyond_fp32_not_taken(const Format& from, const Format& to, const Choices& choices) {
    std::set<Code> scales;
    for (Code scale = 0; scale <= formats::e8m0.last_code(); ++scale) scales.insert(from.code_of(scale, 0));
    return edited(right_table(from, to, choices), scales, [&](const Step& step) {
        const Code scale = from.scale_of(step.first);
        if (from.scale->is_nan(scale) || !from.value->is_finite(from.value_of(step.first)) || !to.is_finite(step.code))
            return step.code;
        const Code sign = step.code & to.sign_bit();
        Code magnitude = step.code & to.magnitude_mask();
        const auto exponent_of = [&](Code code) {
            return exact::floor_log2(exact::decode(to, code).magnitude) + static_cast<int>(scale) - from.scale->bias;
        };
        while (magnitude != 0 && exponent_of(magnitude) > formats::fp32.emax()) --magnitude;
        return sign | magnitude;
    });
}

/// Exponent field 0 of the value as any other, but for the zeros.
StepTable value_always_with_hidden_bit(const Format& from, const Format& to, const Choices& choices) {
    Format value = *from.value;
    value.has_subnormals = false;
    Format taken = from;
    taken.value = &value;
    taken.has_subnormals = false;
    InputRanges subnormals;
    for (Code scale = 0; scale <= from.scale->last_code(); ++scale)
        for (const InputRange& range : of_both_signs(value, {1, value.fraction_mask()}))
            append(subnormals, {from.code_of(scale, range.first), from.code_of(scale, range.last)});
    return replaced(right_table(from, to, choices), mistaken(from, to, taken, to, choices), subnormals);
}

bool is_by_e8m0(const Format& from) { return from.scale != nullptr && from.scale->name == formats::e8m0.name; }
bool multiplies_by_e8m0(const Format& from) { return is_by_e8m0(from) && from.scaling == Scaling::multiply; }
bool divides_to_element(const Format& from, const Format& to) {
    return is_by_e8m0(from) && from.scaling == Scaling::divide && is_element(to);
}
bool is_by_fpmr(const Format& from, const Format&) { return from.scale != nullptr && !is_by_e8m0(from); }
bool is_by_nscale(const Format& from, const Format& to) {
    return is_by_fpmr(from, to) && from.scaling == Scaling::multiply;
}

StepTable scaled_the_other_way(const Format& from, const Format& to, const Choices& choices) {
    Format taken = from;
    taken.scaling = from.scaling == Scaling::multiply ? Scaling::divide : Scaling::multiply;
    return mistaken(from, to, taken, to, choices);
}

/// A negative NSCALE, the lower half of the codes, is taken for the whole number that its bits are.
StepTable nscale_without_sign(const Format& from, const Format& to, const Choices& choices) {
    Format scale = *from.scale;
    scale.bias -= 1 << scale.exponent_bits;
    Format taken = from;
    taken.scale = &scale;
    const Code negative = from.code_of(static_cast<Code>(from.scale->bias), 0);
    return replaced(right_table(from, to, choices), mistaken(from, to, taken, to, choices), {{0, negative - 1}});
}

/// The table under the scale that `other` makes of each.
template <class Other>
StepTable by_another_scale(const Format& from, const Format& to, const Choices& choices, Other other) {
    return mapped(from, right_table(from, to, choices), scale_starts(from),
                  [&](Code input) { return from.code_of(other(from.scale_of(input)), from.value_of(input)); });
}

StepTable not_scaled(const Format& from, const Format& to, const Choices& choices) {
    const auto one = static_cast<Code>(from.scale->bias);
    return by_another_scale(from, to, choices, [one](Code) { return one; });
}

StepTable lscale_of_four_bits(const Format& from, const Format& to, const Choices& choices) {
    return by_another_scale(from, to, choices, [](Code scale) { return scale & 0xF; });
}

} // namespace

std::vector<ConversionFault> scaled_faults() {
    return {
        {"the scale 0xFF is read as 2^128", "NAN_X_ZERO_SCALE",
         [](const Format& from, const Format& to) { return multiplies_by_e8m0(from) && to.has_zero(); },
         nan_scale_is_a_power},
        {"the scale 0xFF is read as Inf in a product", "E8M0_FF_AS_INF",
         [](const Format& from, const Format& to) { return multiplies_by_e8m0(from) && to.has_inf(); },
         nan_scale_is_inf},
        {"the scale is rounded to FP16 first", "DOUBLE_ROUND_F16",
         [](const Format& from, const Format& to) { return multiplies_by_e8m0(from) && &to == &formats::fp16; },
         scale_through_fp16},
        {"an element whose value is beyond FP32 is not taken", "CANDIDATE_OVERFLOW", divides_to_element,
         beyond_fp32_not_taken},
        {"subnormal values are read with a hidden bit", "SUBNORMAL_AS_NORMAL", divides_to_element,
         value_always_with_hidden_bit},
        {"the exponent of FPMR is taken with the other sign", "SCALE_INVERTED", is_by_fpmr, scaled_the_other_way},
        {"the exponent of FPMR is left out", "MISSING_SCALE_DEFAULT", is_by_fpmr, not_scaled},
        {"NSCALE is read without its sign", "SOURCE_MISREAD", is_by_nscale, nscale_without_sign},
        {"LSCALE is read by four of its six bits", "SOURCE_MISREAD",
         [](const Format& from, const Format& to) {
             return is_by_fpmr(from, to) && from.scale->name == formats::lscale6.name;
         },
         lscale_of_four_bits},
    };
}

} // namespace mxcert
