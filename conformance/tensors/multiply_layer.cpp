// SPDX-License-Identifier: Apache-2.0
#include "conformance/tensors/multiply_layer.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "reference/fast/codes.hpp"
#include "reference/fast/recipe/linear.hpp"
#include "reference/fast/recipe/machine_float.hpp"

namespace mxcert::tensors {
namespace {

void store_all(const Format& format, const std::vector<Code>& codes, MatrixOperand& operand) {
    operand.format = &format;
    const int bytes = format.bytes();
    operand.elements.resize(codes.size() * static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < codes.size(); ++i)
        fast::store(operand.elements.data() + i * static_cast<std::size_t>(bytes), bytes, codes[i]);
}

MatrixOperand operand_of(std::string_view recipe, const recipe::LayerOperand& how, const Format* dequantized,
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
    if (dequantized != nullptr) {
        store_all(*dequantized, fast::dequantize(how, quantized, *dequantized).codes, operand);
        return operand;
    }
    if (how.scale != &formats::e8m0 || (how.block.rows != 1 && how.block.columns != 1))
        throw std::invalid_argument(
            fmt::format("the scales of {} are {}: its operands are multiplied dequantized", recipe, how.scale->name));
    store_all(*how.element, quantized.elements.codes, operand);
    operand.scales.assign(quantized.scales.begin(), quantized.scales.end());
    operand.axis = how.along;
    operand.block = static_cast<unsigned>(how.along == Axis::row ? how.block.columns : how.block.rows);
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
    product.a = operand_of(recipe, choices.operands.left, choices.dequantized, left);
    product.b = operand_of(recipe, choices.operands.right, choices.dequantized, right);
    // X W^T, G W, G^T X: each tensor as it lies.
    product.a_transposed = choices.operands.product == recipe::Product::wgrad;
    product.b_transposed = choices.operands.product == recipe::Product::fprop;
    product.accumulator = choices.accumulator;
    product.to = is_exact(*choices.accumulator) ? choices.to : choices.accumulator->result;
    return product;
}

std::vector<unsigned char> multiply_layer(const LayerChoices& choices, const Product& product, const TensorRun& run) {
    std::vector<unsigned char> d = multiply(product, run);
    if (product.to == choices.to) return d;
    const int from = product.to->bytes();
    const int bytes = choices.to->bytes();
    std::vector<unsigned char> rounded(d.size() / static_cast<std::size_t>(from) * static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i * static_cast<std::size_t>(bytes) < rounded.size(); ++i) {
        const float value = fast::widened(*product.to, fast::load(d.data() + i * static_cast<std::size_t>(from), from));
        fast::store(rounded.data() + i * static_cast<std::size_t>(bytes), bytes, fast::rounded_to(*choices.to, value));
    }
    return rounded;
}

} // namespace mxcert::tensors
