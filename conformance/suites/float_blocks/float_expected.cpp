// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/float_blocks/float_expected.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include <fmt/format.h>

#include "conformance/suites/models_agree.hpp"
#include "reference/code_text.hpp"
#include "reference/exact/block.hpp"
#include "reference/exact/recipe/float_block.hpp"
#include "reference/exact/recipe/float_scale.hpp"
#include "reference/fast/recipe/float_block.hpp"
#include "reference/fast/recipe/float_scale.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

using formats::fp32;

/// As binary32, by either model. A NaN is one without a sign.
Code wide_amax(const Format& source, Code amax) {
    return source.is_nan(amax) ? fp32.inf_code() | Code{1} << 22U : exact::scale_from(source, amax);
}

} // namespace

FloatExpected::Scale& FloatExpected::scales_of(Code amax) {
    const auto [at, fresh] = by_amax_.try_emplace(amax);
    Scale& scale = at->second;
    if (!fresh) return scale;
    const recipe::FloatScale& scaling = quantize_.choices.scaling;
    const Code wide = wide_amax(*quantize_.source, amax);
    scale.scales = exact::scales_of(scaling, wide).value();
    scale.given_out = exact::scale_to(*quantize_.scale, scale.scales.scale);
    const recipe::Scales by_machine = fast::scales_of(scaling, wide);
    must_agree(by_machine == scale.scales &&
                   same(*quantize_.scale, fast::scale_to(*quantize_.scale, by_machine.scale), scale.given_out),
               "the scale of the amax " + code_text(*quantize_.source, amax));
    return scale;
}

Code FloatExpected::element_of(Scale& scale, Code value) {
    const auto [at, fresh] = scale.elements.try_emplace(value, 0);
    if (fresh) {
        at->second = exact::element_of(quantize_.choices, *quantize_.source, scale.scales, value);
        must_agree(same(*quantize_.choices.scaling.element, at->second,
                        fast::element_of(quantize_.choices, *quantize_.source, scale.scales, value)),
                   "the element of " + code_text(*quantize_.source, value));
    }
    return at->second;
}

FloatExpected::Block FloatExpected::block(std::span<const Code> values) {
    std::vector<Code> distinct(values.begin(), values.end());
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    BlockChoices of_amax;
    of_amax.amax_nan = quantize_.choices.amax_nan;
    const Code amax = exact::amax({quantize_.source, quantize_.choices.scaling.element}, of_amax, distinct);
    Scale& scale = scales_of(amax);
    Block block{scale.given_out, {}};
    for (const Code value : values) block.elements.push_back(element_of(scale, value));
    // What joins them, the amax of the values, by the other model as well.
    const recipe::FloatQuantized by_machine =
        fast::quantize(quantize_.choices, *quantize_.source, shapes::per_row, {1, distinct.size(), distinct});
    bool agree = by_machine.scales.front() == scale.scales;
    for (std::size_t i = 0; i < distinct.size(); ++i)
        agree = agree &&
                same(*quantize_.choices.scaling.element, by_machine.elements.codes[i], element_of(scale, distinct[i]));
    must_agree(agree, "a block");
    return block;
}

const std::vector<Code>& FloatValues::under(Code scale) {
    const auto [at, fresh] = known_.try_emplace(scale);
    if (!fresh) return at->second;
    const Format& format = *dequantize_.scale;
    recipe::FloatBlock choices;
    choices.scaling.element = dequantize_.element;
    recipe::FloatQuantized all{{1, dequantize_.element->last_code() + 1, {}}, {{}}};
    for (Code element = 0; element < all.elements.columns; ++element) all.elements.codes.push_back(element);
    all.scales.front().scale = fast::scale_from(format, scale);
    const std::vector<Code> by_machine = fast::dequantize(choices, shapes::per_tensor, all, *dequantize_.target).codes;
    all.scales.front().scale = exact::scale_from(format, scale);
    at->second = exact::dequantize(choices, shapes::per_tensor, all, *dequantize_.target).codes;
    for (Code element = 0; element < by_machine.size(); ++element)
        must_agree(same(*dequantize_.target, by_machine[element], at->second[element]),
                   fmt::format("{} times {}", code_text(*dequantize_.element, element), code_text(format, scale)));
    return at->second;
}

FloatExpected& expected_of(const QuantizeFloat& quantize) {
    thread_local std::deque<std::pair<QuantizeFloat, FloatExpected>> known;
    for (auto& [operation, expected] : known)
        if (operation.source == quantize.source && operation.scale == quantize.scale &&
            operation.choices == quantize.choices)
            return expected;
    return known.emplace_back(quantize, quantize).second;
}

FloatValues& expected_of(const DequantizeFloat& dequantize) {
    thread_local std::deque<std::pair<DequantizeFloat, FloatValues>> known;
    for (auto& [operation, expected] : known)
        if (operation.element == dequantize.element && operation.scale == dequantize.scale &&
            operation.target == dequantize.target)
            return expected;
    return known.emplace_back(dequantize, dequantize).second;
}

} // namespace mxcert::suites
