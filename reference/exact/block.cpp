// SPDX-License-Identifier: Apache-2.0
// A block in the order of MX v1.0 6.3: the amax of its values, the scale, then each element.
#include "reference/exact/block.hpp"

#include <stdexcept>

namespace mxcert::exact {

Code amax(const BlockFormat& format, const BlockChoices& choices, std::span<const Code> values) {
    const Format& to = amax_of(*format.value);
    const Code nan = to.magnitude_mask();
    Code code = 0;
    Rational largest = 0;
    bool has_number = false;
    bool has_inf = false;
    for (const Code one : values) {
        const Value value = decode(*format.value, one);
        switch (value.kind) {
        case Kind::nan:
            if (choices.amax_nan == AmaxNan::propagated) return nan;
            break;
        case Kind::inf: has_inf = has_inf || choices.amax_inf == AmaxInf::counted; break;
        case Kind::finite:
            has_number = true;
            if (largest < value.magnitude) {
                largest = value.magnitude;
                code = encode(to, largest);
            }
            break;
        }
    }
    if (has_inf) return to.inf_code();
    if (!has_number && choices.amax_nan == AmaxNan::if_alone) return nan;
    return code;
}

QuantizedBlock quantize(const BlockFormat& format, const BlockChoices& choices, std::span<const Code> values) {
    if (values.empty()) throw std::invalid_argument("a block has at least one value");
    const Format& by = by_scale(*format.value);
    QuantizedBlock block;
    const Code largest = amax(format, choices, values);
    block.scale = convert(amax_of(*format.value), scale_of(*format.element), choices.scale, largest).code;
    for (const Code value : values)
        block.elements.push_back(convert(by, *format.element, choices.element, by.code_of(block.scale, value)).code);
    return block;
}

std::vector<Code> dequantize(const Format& element, const Format& to, const Choices& choices,
                             const QuantizedBlock& block) {
    const Format& times = times_scale(element);
    std::vector<Code> values;
    for (const Code code : block.elements)
        values.push_back(convert(times, to, choices, times.code_of(block.scale, code)).code);
    return values;
}

} // namespace mxcert::exact
