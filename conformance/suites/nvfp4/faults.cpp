// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/nvfp4/faults.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace mxcert::suites {
namespace {

using recipe::BlockQuotient;
using recipe::ElementScale;
using recipe::FourOverSix;
using recipe::Nvfp4;
using recipe::TensorScale;

template <auto member, auto value> bool set(Nvfp4Way& way) {
    return std::exchange(way.choices.*member, value) != value;
}
template <auto member> bool turn_on(Nvfp4Way& way) { return !std::exchange(way.*member, true); }
bool decodes_by_quotient(Nvfp4Way& way) {
    return way.choices.tensor == TensorScale::encode && set<&Nvfp4::tensor, TensorScale::decode>(way);
}
bool in_bf16(Nvfp4Way& way) { return std::exchange(way.choices.scales_in, &formats::bf16) != &formats::bf16; }
bool in_e4m3(Nvfp4Way& way) { return std::exchange(way.choices.scale, &formats::e4m3) != &formats::e4m3; }
bool in_ue5m3(Nvfp4Way& way) { return std::exchange(way.choices.scale, &formats::ue5m3) != &formats::ue5m3; }
bool in_fp32(Nvfp4Way& way) { return std::exchange(way.choices.scales_in, &formats::fp32) != &formats::fp32; }
bool encodes_by_quotient(Nvfp4Way& way) {
    return way.choices.tensor == TensorScale::decode && set<&Nvfp4::tensor, TensorScale::encode>(way);
}
template <Code range> bool set_range(Nvfp4Way& way) {
    return way.choices.tensor != TensorScale::none && set<&Nvfp4::range, range>(way);
}

template <auto member> bool of_two_maps(Nvfp4Way& way) {
    return way.choices.four_over_six != FourOverSix::off && turn_on<member>(way);
}
template <FourOverSix error> bool by_error(Nvfp4Way& way) {
    return way.choices.four_over_six != FourOverSix::off && std::exchange(way.choices.four_over_six, error) != error;
}

template <FirstTransform transform> bool set_transform(Nvfp4Way& way) {
    return std::exchange(way.transform, transform) != transform;
}

constexpr Code of_1536 = 0x44C00000;
constexpr Code of_2688 = 0x45280000;
constexpr Code of_448 = 0x43E00000;
constexpr Code of_6 = 0x40C00000;
constexpr Code fp32_2_to_minus_6 = 0x3C800000;
constexpr Code fp32_2_to_minus_9 = 0x3B000000;

// clang-format off
constexpr std::array nvfp4_table{
    Nvfp4Fault{"the tensor's amax mapped to 256 x 6", "WRONG_TARGET_MAX", set_range<of_1536>},
    Nvfp4Fault{"the tensor's amax mapped to 448 x 6", "WRONG_TARGET_MAX", set_range<of_2688>},
    Nvfp4Fault{"every block mapped to 6", "SCALING_RECIPE", by_error<FourOverSix::off>},
    Nvfp4Fault{"every block mapped to 4", "SCALING_RECIPE", of_two_maps<&Nvfp4Way::always_to_4>},
    Nvfp4Fault{"blocks with equal errors mapped to 4", "SCALING_RECIPE", of_two_maps<&Nvfp4Way::ties_to_4>},
    Nvfp4Fault{"blocks mapped by their absolute errors", "SCALING_RECIPE", by_error<FourOverSix::absolute>},
    Nvfp4Fault{"blocks mapped by their squared errors", "SCALING_RECIPE", by_error<FourOverSix::square>},
    Nvfp4Fault{"the tensor's amax mapped to 448, without the 6 of E2M1", "WRONG_TARGET_MAX", set_range<of_448>},
    Nvfp4Fault{"the tensor's amax mapped to 6, without the 448 of E4M3", "WRONG_TARGET_MAX", set_range<of_6>},
    Nvfp4Fault{"no scale of the tensor", "MISSING_SCALE_DEFAULT", set<&Nvfp4::tensor, TensorScale::none>},
    Nvfp4Fault{"the decode scale computed first", "SCALING_RECIPE", decodes_by_quotient},
    Nvfp4Fault{"the encode scale computed first", "SCALING_RECIPE", encodes_by_quotient},
    Nvfp4Fault{"the range times the reciprocal of the tensor's amax", "SCALING_RECIPE", set<&Nvfp4::reciprocal, true>},
    Nvfp4Fault{"the range over the tensor's amax", "SCALING_RECIPE", set<&Nvfp4::reciprocal, false>},
    Nvfp4Fault{"the scale of a block is amax x (encode x 1/6)", "SCALING_RECIPE", set<&Nvfp4::quotient, BlockQuotient::by_product>},
    Nvfp4Fault{"the scale of a block is encode x (amax / 6)", "SCALING_RECIPE", set<&Nvfp4::quotient, BlockQuotient::then_encode>},
    Nvfp4Fault{"the scale of a block is (amax / 6) / decode", "SCALING_RECIPE", set<&Nvfp4::quotient, BlockQuotient::then_decode>},
    Nvfp4Fault{"the scale of a block is amax / (6 x decode)", "SCALING_RECIPE", set<&Nvfp4::quotient, BlockQuotient::at_once>},
    Nvfp4Fault{"an element is x times the reciprocal of scale x decode", "SCALING_RECIPE", set<&Nvfp4::element, ElementScale::times_inverse>},
    Nvfp4Fault{"an element is x times (1 / decode) / scale", "SCALING_RECIPE", set<&Nvfp4::element, ElementScale::times_quotient>},
    Nvfp4Fault{"an element is x / (scale x decode)", "SCALING_RECIPE", set<&Nvfp4::element, ElementScale::over_product>},
    Nvfp4Fault{"an element is x / (scale / encode)", "SCALING_RECIPE", set<&Nvfp4::element, ElementScale::over_quotient>},
    Nvfp4Fault{"elements by the scale before it was rounded", "SCALE_USED_IS_NOT_STORED", turn_on<&Nvfp4Way::by_unrounded>},
    Nvfp4Fault{"the reciprocal of the tensor's scale given out", "SCALING_RECIPE", turn_on<&Nvfp4Way::gives_inverse>},
    Nvfp4Fault{"amaxes divided in BF16", "ROUNDED_IN_SOURCE", in_bf16},
    Nvfp4Fault{"amaxes divided in FP32, not in BF16", "SCALING_RECIPE", in_fp32},
    Nvfp4Fault{"the scale of a block rounded up", "SCALE_RULE_MISMATCH", set<&Nvfp4::scale_rounding, Rounding::up>},
    Nvfp4Fault{"the scale of a block rounded toward zero", "SCALE_RULE_MISMATCH", set<&Nvfp4::scale_rounding, Rounding::toward_zero>},
    Nvfp4Fault{"a scale beyond 448 that is NaN", "OVERFLOW_POLICY", set<&Nvfp4::scale_overflow, Overflow::nosat>},
    Nvfp4Fault{"no least scale of a block", "CLAMP_MISMATCH", set<&Nvfp4::least_quotient, Code{0}>},
    Nvfp4Fault{"a least scale of 2^-6", "CLAMP_MISMATCH", set<&Nvfp4::least_quotient, fp32_2_to_minus_6>},
    Nvfp4Fault{"a least scale of 2^-9", "CLAMP_MISMATCH", set<&Nvfp4::least_quotient, fp32_2_to_minus_9>},
    Nvfp4Fault{"a scale of zeros that is 1", "ZERO_BLOCK", set<&Nvfp4::zero_is_one, true>},
    Nvfp4Fault{"a scale of zeros that is not 1", "ZERO_BLOCK", set<&Nvfp4::zero_is_one, false>},
    Nvfp4Fault{"a scale of zero where 1/8 stands", "ZERO_BLOCK", set<&Nvfp4::zero_scale, Code{0}>},
    Nvfp4Fault{"a scale of a tensor of zeros that is not 1", "ZERO_BLOCK", set<&Nvfp4::unusable_is_one, false>},
    Nvfp4Fault{"an encode scale of Inf or NaN that is not 1", "AMAX_INF", set<&Nvfp4::special_is_one, false>},
    Nvfp4Fault{"no limit of scales beyond binary32", "AMAX_INF", set<&Nvfp4::limited, false>},
    Nvfp4Fault{"scales in E4M3", "OTHER_ELEMENT", in_e4m3},
    Nvfp4Fault{"scales in UE5M3", "OTHER_ELEMENT", in_ue5m3},
    Nvfp4Fault{"a scale that rounds up to the next binade", "CARRY_DROPPED", set<&Nvfp4::scale_carry_lost, false>},
    Nvfp4Fault{"a scale that does not round up to the next binade", "CARRY_DROPPED", set<&Nvfp4::scale_carry_lost, true>},
    Nvfp4Fault{"a scale above zero that rounds to zero", "CLAMP_MISMATCH", set<&Nvfp4::positive_scale_is_least, false>},
    Nvfp4Fault{"a scale above zero that is never zero", "CLAMP_MISMATCH", set<&Nvfp4::positive_scale_is_least, true>},
    Nvfp4Fault{"an amax of NaN whose scale is NaN", "AMAX_NAN_DROPPED", set<&Nvfp4::nan_scale_is_zero, false>},
    Nvfp4Fault{"ties of elements away from zero", "TIES_AWAY", set<&Nvfp4::rounding, Rounding::nearest_away>},
    Nvfp4Fault{"ties of elements toward zero", "TIES_TO_ZERO", set<&Nvfp4::rounding, Rounding::nearest_zero>},
    Nvfp4Fault{"elements cut toward zero", "TRUNCATES", set<&Nvfp4::rounding, Rounding::toward_zero>},
    Nvfp4Fault{"elements without the sign of zero", "NEG_ZERO", set<&Nvfp4::zero_sign, ZeroSign::dropped>},
    Nvfp4Fault{"the sign of zero kept", "NEG_ZERO", set<&Nvfp4::zero_sign, ZeroSign::kept>},
    Nvfp4Fault{"a NaN that makes the amax NaN", "AMAX_NAN_DROPPED", set<&Nvfp4::amax_nan, AmaxNan::propagated>},
    Nvfp4Fault{"NaNs left out of the amax", "AMAX_NAN_DROPPED", set<&Nvfp4::amax_nan, AmaxNan::ignored>},
    Nvfp4Fault{"a NaN that is the largest element", "NAN_LOST", set<&Nvfp4::nan, Code{0x7}>},
    Nvfp4Fault{"a NaN that is zero", "NAN_LOST", set<&Nvfp4::nan, Code{0}>},
    Nvfp4Fault{"the amax of the tensor in every block", "AMAX_LANES", turn_on<&Nvfp4Way::one_amax>},
    Nvfp4Fault{"the amax without the last value of a block", "AMAX_LANES", turn_on<&Nvfp4Way::last_left_out>},
    Nvfp4Fault{"amaxes without magnitudes", "AMAX_SIGN", turn_on<&Nvfp4Way::signed_amax>},
    Nvfp4Fault{"the scales of blocks in columns, not in rows", "WRONG_AXIS", turn_on<&Nvfp4Way::in_columns>},
};
constexpr std::array transform_table{
    Nvfp4Fault{"values that are not transformed", "HADAMARD", set_transform<FirstTransform::left_out>},
    Nvfp4Fault{"values transformed without signs", "HADAMARD", set_transform<FirstTransform::without_signs>},
    Nvfp4Fault{"signs after the sums of the transform", "HADAMARD", set_transform<FirstTransform::signs_after>},
    Nvfp4Fault{"groups of the transform across the blocks", "WRONG_AXIS", set_transform<FirstTransform::other_axis>},
    Nvfp4Fault{"the factor 1/4 of the transform left out", "HADAMARD", set_transform<FirstTransform::without_factor>},
    Nvfp4Fault{"transformed values in FP32, not in BF16", "HADAMARD", set_transform<FirstTransform::not_rounded>},
    Nvfp4Fault{"the amax of the tensor before the transform", "AMAX_LANES", set_transform<FirstTransform::after_tensor_amax>},
};
constexpr std::array random_table{
    Nvfp4Fault{"scales rounded at random too", "SCALE_RULE_MISMATCH", turn_on<&Nvfp4Way::scales_at_random>},
    Nvfp4Fault{"elements without their signs", "UNSIGNED_SIGN", turn_on<&Nvfp4Way::unsigned_elements>},
};
// clang-format on

} // namespace

std::span<const Nvfp4Fault> nvfp4_random_faults() { return random_table; }

std::span<const Nvfp4Fault> nvfp4_transform_faults() { return transform_table; }

std::span<const Nvfp4Fault> nvfp4_faults() { return nvfp4_table; }

std::vector<KnownFault> known_as(const QuantizeNvfp4& quantize, std::span<const Nvfp4Seen> seen) {
    const auto explains = [&](const Nvfp4Way& way) {
        return std::all_of(seen.begin(), seen.end(), [&](const Nvfp4Seen& matrix) { return matrix.gives_all(way); });
    };
    const Nvfp4Way right{quantize.recipe->choices};
    std::vector<KnownFault> known;
    if (explains(right)) return known;
    const auto try_all = [&](std::span<const Nvfp4Fault> faults) {
        for (const Nvfp4Fault& fault : faults) {
            Nvfp4Way way = right;
            if (fault.plant(way) && explains(way))
                known.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
        }
    };
    if (quantize.hadamard) try_all(transform_table);
    if (quantize.random) try_all(random_table);
    try_all(nvfp4_table);
    if (!known.empty()) return known;
    for (const recipe::Nvfp4Preset& preset : recipe::nvfp4_presets())
        if (&preset != quantize.recipe && explains({preset.choices}))
            known.push_back({find_bug_class("SCALING_RECIPE"), "the recipe " + std::string(preset.name)});
    return known;
}

} // namespace mxcert::suites
