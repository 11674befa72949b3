// SPDX-License-Identifier: Apache-2.0
#include "conformance/tensors/multiply_layer.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "reference/fast/codes.hpp"
#include "reference/fast/recipe/linear.hpp"

namespace mxcert::tensors {
namespace {

void store_all(const Format& format, const std::vector<Code>& codes, MatrixOperand& operand) {
    operand.format = &format;
    const int bytes = format.bytes();
    operand.elements.resize(codes.size() * static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < codes.size(); ++i)
        fast::store(operand.elements.data() + i * static_cast<std::size_t>(bytes), bytes, codes[i]);
}

/// A scale for each block along the sum, where tiles have one together.
std::vector<std::uint8_t> scales_of_blocks(const recipe::LayerOperand& how, const Extent& matrix,
                                           const std::vector<Code>& scales) {
    const BlockShape block = how.along == Axis::row ? BlockShape{1, how.block.columns} : BlockShape{how.block.rows, 1};
    std::vector<std::uint8_t> all(count(scales_of(matrix, block), "scales"));
    const std::uint64_t of_blocks = scales_of(matrix, block).columns;
    const std::uint64_t of_tiles = scales_of(matrix, how.block).columns;
    for (std::uint64_t at = 0; at < all.size(); ++at) {
        const std::uint64_t row = at / of_blocks * block.rows / how.block.rows;
        const std::uint64_t column = at % of_blocks * block.columns / how.block.columns;
        all[at] = static_cast<std::uint8_t>(scales[row * of_tiles + column]);
    }
    return all;
}

MatrixOperand operand_of(std::string_view recipe, const recipe::LayerOperand& how, const LayerChoices& choices,
                         const MatrixOperand& values) {
    if (values.format != how.source)
        throw std::invalid_argument(
            fmt::format("{} are {}, and were to be {}", to_string(how.tensor), values.format->name, how.source->name));
    const recipe::CodeMatrix matrix{values.rows, values.columns, codes_of(values)};
    if (const auto why = recipe::refused_by(recipe, matrix.extent()))
        throw std::invalid_argument(
            fmt::format("{} refuses {} of {}: {}", recipe, to_string(how.tensor), text(matrix.extent()), *why));
    const recipe::LayerQuantized quantized = fast::quantize(how, matrix);
    MatrixOperand operand;
    operand.rows = values.rows;
    operand.columns = values.columns;
    if (choices.dequantized != nullptr) {
        store_all(*choices.dequantized, fast::dequantize(how, quantized, *choices.dequantized).codes, operand);
        return operand;
    }
    if (how.scale != &formats::e8m0 && choices.epilogue == nullptr)
        throw std::invalid_argument(
            fmt::format("the scales of {} are {}: its operands are multiplied dequantized", recipe, how.scale->name));
    store_all(*how.element, quantized.elements.codes, operand);
    operand.scales = scales_of_blocks(how, matrix.extent(), quantized.scales);
    operand.scale = how.scale;
    operand.axis = how.along;
    operand.block = static_cast<unsigned>(how.along == Axis::row ? how.block.columns : how.block.rows);
    if (choices.epilogue != nullptr) operand.tensor = quantized.tensor;
    return operand;
}

} // namespace

Product product_of(std::string_view recipe, const LayerChoices& choices, const MatrixOperand& left,
                   const MatrixOperand& right) {
    const recipe::Product which = choices.operands.product;
    const std::uint64_t left_along = which == recipe::Product::wgrad ? left.rows : left.columns;
    const std::uint64_t right_along = which == recipe::Product::fprop ? right.columns : right.rows;
    if (left_along != right_along)
        throw std::invalid_argument(fmt::format("{} of {} x {} {} and {} x {} {}: the sums have {} and {} products",
                                                to_string(which), left.rows, left.columns,
                                                to_string(choices.operands.left.tensor), right.rows, right.columns,
                                                to_string(choices.operands.right.tensor), left_along, right_along));
    Product product;
    product.a = operand_of(recipe, choices.operands.left, choices, left);
    product.b = operand_of(recipe, choices.operands.right, choices, right);
    // X W^T, G W, G^T X: each tensor as it lies.
    product.a_transposed = choices.operands.product == recipe::Product::wgrad;
    product.b_transposed = choices.operands.product == recipe::Product::fprop;
    product.accumulator = choices.accumulator;
    product.epilogue = choices.epilogue;
    product.to = choices.to;
    return product;
}

} // namespace mxcert::tensors
