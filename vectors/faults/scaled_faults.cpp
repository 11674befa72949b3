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

} // namespace

std::vector<ConversionFault> scaled_faults() {
    return {
        {"the scale 0xFF is read as 2^128", "NAN_X_ZERO_SCALE",
         [](const Format& from, const Format& to) { return from.scaling == Scaling::multiply && to.has_zero(); },
         nan_scale_is_a_power},
        {"an element whose value is beyond FP32 is not taken", "CANDIDATE_OVERFLOW",
         [](const Format& from, const Format& to) { return from.scaling == Scaling::divide && is_element(to); },
         beyond_fp32_not_taken},
    };
}

} // namespace mxcert
