// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/dequantize_nvfp4/way.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "reference/exact/exact.hpp"
#include "reference/fast/convert.hpp"
#include "reference/fast/recipe/machine_float.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

using formats::fp32;
using formats::fp64;
using recipe::Nvfp4Factor;

constexpr float of_448_times_6 = 2688;
constexpr float of_256_times_6 = 1536;

template <auto member> bool turn_on(Nvfp4BackWay& way) { return !std::exchange(way.*member, true); }
template <auto member> bool of_e4m3(Nvfp4BackWay& way) { return way.scale == &formats::e4m3 && turn_on<member>(way); }
template <const Format& format> bool reads_as(Nvfp4BackWay& way) {
    return std::exchange(way.scale, &format) != &format;
}
template <auto member> bool with_number(Nvfp4BackWay& way) {
    return way.factor != Nvfp4Factor::scale && turn_on<member>(way);
}
template <const float& range> bool set_range(Nvfp4BackWay& way) {
    return way.factor != Nvfp4Factor::scale && std::exchange(way.range, range) != range;
}
template <Nvfp4Factor factor> bool set_factor(Nvfp4BackWay& way) {
    return way.factor != Nvfp4Factor::scale && std::exchange(way.factor, factor) != factor;
}

// clang-format off
constexpr std::array fault_table{
    Nvfp4BackFault{"the factor is (scale x amax) x (1 / 2688)", "SCALING_RECIPE", set_factor<Nvfp4Factor::times_amax>},
    Nvfp4BackFault{"the factor is scale x decode", "SCALING_RECIPE", set_factor<Nvfp4Factor::times_decode>},
    Nvfp4BackFault{"the factor is scale / encode", "SCALING_RECIPE", set_factor<Nvfp4Factor::over_encode>},
    Nvfp4BackFault{"the product rounded once, to the target", "PER_PRODUCT_ROUNDING", turn_on<&Nvfp4BackWay::once>},
    Nvfp4BackFault{"the factor rounded to the target", "ROUNDED_IN_SOURCE", turn_on<&Nvfp4BackWay::factor_in_target>},
    Nvfp4BackFault{"the reciprocal of the number of the tensor", "SCALING_RECIPE", with_number<&Nvfp4BackWay::number_inverted>},
    Nvfp4BackFault{"no number of the tensor", "MISSING_SCALE_DEFAULT", with_number<&Nvfp4BackWay::number_left_out>},
    Nvfp4BackFault{"the amax of the tensor over 256 x 6", "WRONG_TARGET_MAX", set_range<of_256_times_6>},
    Nvfp4BackFault{"the amax of the tensor over 448 x 6", "WRONG_TARGET_MAX", set_range<of_448_times_6>},
    Nvfp4BackFault{"the scales of blocks in columns, not in rows", "WRONG_AXIS", turn_on<&Nvfp4BackWay::scales_in_columns>},
    Nvfp4BackFault{"the scale of the first block of the row", "OOB_SCALE", turn_on<&Nvfp4BackWay::scale_of_first>},
    Nvfp4BackFault{"scales without their sign", "E8M0_SIGN_ZERO_INF", of_e4m3<&Nvfp4BackWay::sign_of_scale_lost>},
    Nvfp4BackFault{"the scale 0x7F read as 480", "MAX480_FORMAT", of_e4m3<&Nvfp4BackWay::nan_is_480>},
    Nvfp4BackFault{"scales read as E4M3", "SOURCE_MISREAD", reads_as<formats::e4m3>},
    Nvfp4BackFault{"scales read as UE5M3", "SOURCE_MISREAD", reads_as<formats::ue5m3>},
    Nvfp4BackFault{"subnormal scales flushed", "SUBNORMAL_SCALE_FTZ", turn_on<&Nvfp4BackWay::subnormal_scales_flushed>},
    Nvfp4BackFault{"neighbouring elements exchanged", "LANES_EXCHANGED", turn_on<&Nvfp4BackWay::pairs_exchanged>},
    Nvfp4BackFault{"the element -0 read as +0", "NEG_ZERO", turn_on<&Nvfp4BackWay::minus_zero_is_zero>},
    Nvfp4BackFault{"values without the sign of zero", "NEG_ZERO", turn_on<&Nvfp4BackWay::zero_sign_lost>},
    Nvfp4BackFault{"values beyond the target saturated", "OVERFLOW_POLICY", turn_on<&Nvfp4BackWay::saturates>},
};
// clang-format on

/// The number that comes in, as the one that a factor asks for.
float number_as(Nvfp4Factor wanted, const recipe::Nvfp4& recipe, float number) {
    const Nvfp4Factor given = recipe.factor;
    if (wanted == given) return number;
    const float range = fast::as_float(recipe.range);
    const float decode = given == Nvfp4Factor::times_amax    ? number / range
                         : given == Nvfp4Factor::over_encode ? 1.0F / number
                                                             : number;
    switch (wanted) {
    case Nvfp4Factor::times_amax: return decode * range;
    case Nvfp4Factor::over_encode: return given == Nvfp4Factor::times_amax ? range / number : 1.0F / decode;
    default: break;
    }
    return decode;
}

/// The values of a small format, computed once: a search asks for each of them many thousand times.
template <const Format* format> float value_of(Code code) {
    static const std::vector<float> values = [] {
        std::vector<float> all;
        for (Code each = 0; each <= format->last_code(); ++each)
            all.push_back(fast::as_float(fast::convert(*format, formats::fp32, {}, each)));
        return all;
    }();
    return values.at(code);
}

float scale_by(const Nvfp4BackWay& way, Code scale) {
    const Format& format = *way.scale;
    if (way.sign_of_scale_lost) scale &= format.magnitude_mask();
    const Code magnitude = scale & format.magnitude_mask();
    const float sign = (scale & format.sign_bit()) != 0 ? -1.0F : 1.0F;
    if (way.nan_is_480 && format.is_nan(scale)) return sign * 480.0F;
    if (way.subnormal_scales_flushed && magnitude <= format.fraction_mask()) return sign * 0.0F;
    if (&format == &formats::e4m3) return value_of<&formats::e4m3>(scale);
    return fast::as_float(fast::convert(format, fp32, {}, scale));
}

Code narrowed(const Format& target, float value) {
    return std::isnan(value) ? fast::code_in(target, value) : fast::rounded_to(target, value);
}

/// Rounded once.
Code narrowed(const Format& target, double value) {
    Choices keeps_inf;
    keeps_inf.overflow = Overflow::nosat;
    return exact::convert(fp64, target, keeps_inf, std::bit_cast<std::uint64_t>(value)).code;
}

/// In the arithmetic of a type: rounded at each step in float, in double as good as exact.
template <class Number>
Number factor_by(const Nvfp4BackWay& way, const recipe::Nvfp4& recipe, float scale, float number) {
    if (way.number_left_out || way.factor == Nvfp4Factor::scale) return scale;
    if (way.number_inverted) number = 1.0F / number;
    const auto wanted = static_cast<Number>(number_as(way.factor, recipe, number));
    // The decode scale of a smaller range is larger.
    const auto ratio = static_cast<Number>(fast::as_float(recipe.range) / way.range);
    switch (way.factor) {
    case Nvfp4Factor::times_amax: return scale * wanted * (Number{1} / static_cast<Number>(way.range));
    case Nvfp4Factor::times_decode: return scale * (wanted * ratio);
    default: break;
    }
    return scale / (wanted / ratio);
}

} // namespace

std::span<const Nvfp4BackFault> nvfp4_back_faults() { return fault_table; }

Nvfp4BackWay right_way(const DequantizeNvfp4& dequantize) {
    Nvfp4BackWay way;
    way.factor = dequantize.recipe->choices.factor;
    way.scale = dequantize.recipe->choices.scale;
    way.range = fast::as_float(dequantize.recipe->choices.range);
    way.minus_zero_is_zero = dequantize.recipe->choices.minus_zero_is_zero;
    return way;
}

Code value_by(const DequantizeNvfp4& dequantize, const Nvfp4BackWay& way, const Nvfp4BackCase& back_case,
              std::uint64_t block, std::uint64_t place) {
    const FloatMatrix& matrix = back_case.matrix;
    const std::uint64_t columns = matrix.values.columns;
    const std::uint64_t across = matrix.scales().columns;
    if (way.scales_in_columns) block = matrix.place_in_columns(block);
    if (way.scale_of_first) block = block / across * across;
    if (way.pairs_exchanged && (place % columns ^ 1U) < columns)
        place = place / columns * columns + (place % columns ^ 1U);
    const float scale = scale_by(way, back_case.scales[block]);
    float element = value_of<&formats::e2m1>(back_case.elements[place]);
    if (way.minus_zero_is_zero && element == 0) element = 0; // without its sign
    const float number = fast::as_float(back_case.number);
    const recipe::Nvfp4& recipe = dequantize.recipe->choices;
    const Format& target = *dequantize.target;
    Code code = 0;
    bool is_number = true;
    if (way.once) {
        const double value = element * factor_by<double>(way, recipe, scale, number);
        code = narrowed(target, value);
        is_number = std::isfinite(value);
    } else {
        auto factor = factor_by<float>(way, recipe, scale, number);
        if (way.factor_in_target && &target != &fp32) factor = fast::widened(target, narrowed(target, factor));
        const float value = element * factor;
        code = narrowed(target, value);
        is_number = std::isfinite(factor);
    }
    if (way.zero_sign_lost && (code & target.magnitude_mask()) == 0) code = 0;
    if (way.saturates && is_number && target.is_inf(code)) code = (code & target.sign_bit()) | target.max_code();
    return code;
}

bool Nvfp4BackSeen::gives(const DequantizeNvfp4& dequantize, const Nvfp4BackWay& way, std::uint64_t block) const {
    const BlockRange range = asked.matrix.block(block);
    for (std::uint64_t lane = 0; lane < count(range.size, "values"); ++lane) {
        const std::uint64_t place = asked.matrix.place(range, lane);
        if (!same(*dequantize.target, outputs[0].get(place), value_by(dequantize, way, asked, block, place)))
            return false;
    }
    return true;
}

std::vector<KnownFault> known_as(const DequantizeNvfp4& dequantize, std::span<const Nvfp4BackSeen> seen) {
    const auto explains = [&](const Nvfp4BackWay& way) {
        return std::all_of(seen.begin(), seen.end(), [&](const Nvfp4BackSeen& back_seen) {
            for (std::uint64_t block = 0; block < back_seen.asked.matrix.blocks(); ++block)
                if (!back_seen.gives(dequantize, way, block)) return false;
            return true;
        });
    };
    std::vector<KnownFault> known;
    if (explains(right_way(dequantize))) return known;
    for (const Nvfp4BackFault& fault : fault_table) {
        Nvfp4BackWay way = right_way(dequantize);
        if (fault.plant(way) && explains(way))
            known.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
    }
    return known;
}

} // namespace mxcert::suites
