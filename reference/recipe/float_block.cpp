// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/float_block.hpp"

#include <stdexcept>
#include <string>

#include "reference/exact/arithmetic.hpp"
#include "reference/exact/block.hpp"

namespace mxcert::recipe {
namespace {

using formats::fp32;

/// A value as binary32, which has all of them.
Code widened(const Format& from, Code code) {
    Choices nosat;
    nosat.overflow = Overflow::nosat;
    return exact::convert(from, fp32, nosat, code).code;
}

} // namespace

void check(const FloatBlock& choices, const Format& value, const Tile& tile, const CodeMatrix& values) {
    check(choices.scaling);
    if (&value != &fp32 && &value != &formats::bf16 && &value != &formats::fp16)
        throw std::invalid_argument("the values of a block are fp32, bf16 or fp16, not " + std::string(value.name));
    if (tile.rows == 0 || tile.columns == 0) throw std::invalid_argument("a tile has at least one row and one column");
    if (values.codes.size() != values.rows * values.columns)
        throw std::invalid_argument("the matrix has " + std::to_string(values.codes.size()) + " values, not " +
                                    std::to_string(values.rows) + " x " + std::to_string(values.columns));
}

void check(const FloatBlock& choices, const Tile& tile, const FloatQuantized& quantized) {
    check(choices, fp32, tile, quantized.elements);
    if (quantized.scales.size() != tiles(tile, quantized.elements.rows, quantized.elements.columns))
        throw std::invalid_argument("there is one scale a tile");
}

FloatQuantized quantize(const FloatBlock& choices, const Format& value, const Tile& tile, const CodeMatrix& values) {
    check(choices, value, tile, values);
    const Format& element = *choices.scaling.element;
    BlockChoices of_amax;
    of_amax.amax_nan = choices.amax_nan;
    Choices of_element;
    of_element.overflow = choices.overflow;
    FloatQuantized result{values, {}};
    for_each_tile(tile, values.rows, values.columns, [&](std::size_t, const std::vector<std::size_t>& places) {
        std::vector<Code> block;
        for (const std::size_t place : places) block.push_back(values.codes[place]);
        const Code narrow = exact::amax({&value, &element}, of_amax, block);
        const auto scales = scales_of(choices.scaling, widened(value, narrow));
        if (!scales) throw std::invalid_argument("a block has no earlier scale to keep: choose one or computed");
        result.scales.push_back(*scales);
        for (const std::size_t place : places) {
            const Code wide = widened(value, values.codes[place]);
            const Code scaled = choices.apply == Apply::multiply ? exact::multiply(fp32, wide, scales->inverse)
                                                                 : exact::divide(fp32, wide, scales->scale);
            result.elements.codes[place] = exact::convert(fp32, element, of_element, scaled).code;
        }
    });
    return result;
}

CodeMatrix dequantize(const FloatBlock& choices, const Tile& tile, const FloatQuantized& quantized) {
    check(choices, tile, quantized);
    CodeMatrix values = quantized.elements;
    for_each_tile(tile, values.rows, values.columns, [&](std::size_t number, const std::vector<std::size_t>& places) {
        for (const std::size_t place : places)
            values.codes[place] = exact::multiply(fp32, widened(*choices.scaling.element, values.codes[place]),
                                                  quantized.scales[number].scale);
    });
    return values;
}

std::string_view to_string(Apply value) { return value == Apply::multiply ? "multiply" : "divide"; }

} // namespace mxcert::recipe
