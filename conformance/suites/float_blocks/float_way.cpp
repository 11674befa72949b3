// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/float_blocks/float_way.hpp"
#include "reference/fast/recipe/float_block.hpp"
#include "reference/fast/recipe/float_scale.hpp"

#include <algorithm>
#include <utility>

namespace mxcert::suites {
namespace {

/// As binary32. A NaN is one without a sign.
Code amax_as_fp32(const Format& source, Code amax) {
    return source.is_nan(amax) ? formats::fp32.inf_code() | Code{1} << 22U : fast::scale_from(source, amax);
}

} // namespace

AmaxOf::AmaxOf(const Format& format, std::span<const Code> values) {
    for (const Code value : values) {
        const Code magnitude = value & format.magnitude_mask();
        if (format.is_nan(value)) {
            nan = magnitude;
        } else {
            any_number = true;
            numbers = std::max(numbers, magnitude);
        }
    }
}

FloatMaker::FloatMaker(const QuantizeFloat& quantize, const FloatWay& way)
    : quantize_(quantize), way_(way), to_element_(way.choices) {
    to_element_.scaling.element = quantize.choices.scaling.element;
}

Code FloatMaker::amax_of(const AmaxOf& values) const {
    const AmaxNan choice = way_.choices.amax_nan;
    const bool is_nan = choice == AmaxNan::propagated || (choice == AmaxNan::if_alone && !values.any_number);
    return values.nan != 0 && is_nan ? values.nan : values.numbers;
}

const FloatMaker::Made& FloatMaker::of_amax(Code amax) {
    const auto [at, fresh] = by_amax_.try_emplace(amax);
    if (!fresh) return at->second;
    const Code wide = amax_as_fp32(*quantize_.source, amax);
    recipe::Scales scales = fast::scales_of(way_.choices.scaling, wide);
    recipe::Scales used = scales;
    if (way_.by_unrounded) {
        recipe::FloatScale unrounded = way_.choices.scaling;
        unrounded.kept = &formats::fp32;
        used = fast::scales_of(unrounded, wide);
    }
    if (way_.gives_inverse) std::swap(scales.scale, scales.inverse);
    if (way_.uses_inverse) std::swap(used.scale, used.inverse);
    at->second = {fast::scale_to(*quantize_.scale, scales.scale), used};
    return at->second;
}

Code FloatMaker::element_of(const Made& quantized, Code value) const {
    return fast::element_of(to_element_, *quantize_.source, quantized.used, value);
}

} // namespace mxcert::suites
