// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/float_block.hpp"

#include <stdexcept>
#include <string>

namespace mxcert::recipe {

void check(const FloatBlock& choices, const Format& value, const CodeMatrix& values) {
    check(choices.scaling);
    if (&value != &formats::fp32 && &value != &formats::bf16 && &value != &formats::fp16)
        throw std::invalid_argument("the values of a block are fp32, bf16 or fp16, not " + std::string(value.name));
    if (values.codes.size() != values.rows * values.columns)
        throw std::invalid_argument("the matrix has " + std::to_string(values.codes.size()) + " values, not " +
                                    std::to_string(values.rows) + " x " + std::to_string(values.columns));
    static_cast<void>(count(values.extent(), "values"));
}

void check(const FloatBlock& choices, const BlockShape& shape, const FloatQuantized& quantized) {
    check(choices, formats::fp32, quantized.elements);
    if (quantized.scales.size() != count(mxcert::scales_of(quantized.elements.extent(), shape), "scales"))
        throw std::invalid_argument("there is one scale a block");
}

std::string_view to_string(Apply value) { return value == Apply::multiply ? "multiply" : "divide"; }

} // namespace mxcert::recipe
