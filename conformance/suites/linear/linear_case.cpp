// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/linear/linear_case.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <variant>

#include <fmt/format.h>

#include "conformance/frames/words.hpp"
#include "reference/exact/recipe/linear.hpp"
#include "reference/fast/recipe/linear.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

using recipe::CodeMatrix;
using recipe::LayerOperand;
using recipe::LayerQuantized;

/// Codes that are the same, whatever NaN a NaN is.
bool all_same(const Format& format, const std::vector<Code>& a, const std::vector<Code>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](Code one, Code other_code) { return same(format, one, other_code); });
}

/// An operand of the product: its codes, and its scales unless it is dequantized.
struct Operand {
    std::vector<Code> codes;
    std::vector<Code> scales;
    Code amax = 0; ///< of the tensor, where it is a factor of the sums
};

Operand operand_of(const LayerOperand& how, const Format* dequantized, const CodeMatrix& values,
                   const recipe::Scales& scales, std::span<const Code> random) {
    LayerQuantized quantized = fast::quantize(how, values, scales, random);
    if (dequantized == nullptr)
        return {std::move(quantized.elements.codes), std::move(quantized.scales), quantized.tensor.amax};
    return {fast::dequantize(how, quantized, *dequantized).codes, {}, 0};
}

void must_agree(bool agree, const std::string& name) {
    if (!agree)
        throw std::logic_error(fmt::format("the two models disagree on an operand of {}: nothing can be judged", name));
}

/// The exact models give that operand.
void check(const Operand& operand, const LayerOperand& how, const Format* dequantized, const CodeMatrix& values,
           const recipe::Scales& scales, const LinearCase& linear_case) {
    const std::string& name = linear_case.name;
    const LayerQuantized exact = exact::quantize(how, values, scales, linear_case.random);
    if (dequantized == nullptr)
        must_agree(all_same(*how.element, operand.codes, exact.elements.codes) &&
                       all_same(*how.scale, operand.scales, exact.scales) &&
                       same(formats::fp32, operand.amax, exact.tensor.amax),
                   name);
    else
        must_agree(all_same(*dequantized, operand.codes, exact::dequantize(how, exact, *dequantized).codes), name);
}

/// Whether what an Inf in a block gives is said by the recipe's source.
bool says_what_inf_gives(const Linear& linear) {
    return !std::holds_alternative<BlockChoices>(linear.operands.left.choices) ||
           recipe::mx_recipe(linear.recipe).grade == Grade::primary;
}

bool holds_inf(const LayerOperand& operand, const CodeMatrix& values) {
    return std::any_of(values.codes.begin(), values.codes.end(),
                       [&](Code code) { return operand.source->is_inf(code); });
}

} // namespace

bool has_open_elements(const Linear& linear, const LinearCase& linear_case) {
    const auto& [product, left, right] = linear.operands;
    if (!says_what_inf_gives(linear) && (holds_inf(left, linear_case.left) || holds_inf(right, linear_case.right)))
        return true;
    return fast::has_open_elements(left, linear_case.left) || fast::has_open_elements(right, linear_case.right);
}

std::size_t largest_side(const recipe::LayerProduct& operands) {
    const BlockShape& left = operands.left.block;
    const BlockShape& right = operands.right.block;
    return std::max({left.rows, left.columns, right.rows, right.columns, std::uint64_t{32}});
}

MatmulCase product_of(const Linear& linear, const LinearCase& linear_case, bool checked) {
    const auto& [product, of_left, of_right] = linear.operands;
    const auto& [name, sizes, left_values, right_values, left_scales, right_scales, c, random] = linear_case;
    Operand left = operand_of(of_left, linear.dequantized, left_values, left_scales, random);
    Operand right = operand_of(of_right, linear.dequantized, right_values, right_scales, random);
    if (checked) {
        check(left, of_left, linear.dequantized, left_values, left_scales, linear_case);
        check(right, of_right, linear.dequantized, right_values, right_scales, linear_case);
    }
    MatmulCase matmul_case;
    matmul_case.name = linear_case.name;
    matmul_case.shape = linear.shape(linear_case.sizes);
    matmul_case.a = std::move(left.codes);
    matmul_case.b = std::move(right.codes);
    matmul_case.scales_a = std::move(left.scales);
    matmul_case.scales_b = std::move(right.scales);
    matmul_case.tensor_a = left.amax;
    matmul_case.tensor_b = right.amax;
    matmul_case.c = linear_case.c;
    return matmul_case;
}

frames::RunCase run_of(const Linear& linear, const LinearCase& linear_case) {
    const auto& [product, left, right] = linear.operands;
    const MatmulShape shape = linear.shape(linear_case.sizes);
    frames::RunCase run;
    run.shape = {linear_case.sizes.tokens, linear_case.sizes.inputs, linear_case.sizes.outputs, 0};
    run.product = {shape.m, shape.n, shape.k};
    run.inputs = {frames::values_of(linear_case.left.codes, *left.source),
                  frames::values_of(linear_case.right.codes, *right.source)};
    if (left.given)
        for (const recipe::Scales& scales : {linear_case.left_scales, linear_case.right_scales})
            run.inputs.push_back(frames::values_of({scales.scale, scales.inverse}, formats::fp32));
    if (left.random_bits != 0) run.inputs.push_back(frames::values_of(linear_case.random, recipe::random_word));
    if (linear.matmul.has_c) run.inputs.push_back(frames::values_of(linear_case.c, *linear.matmul.format.c));
    run.outputs = {frames::Values(shape.m * shape.n, frames::bytes_of(*linear.matmul.output))};
    return run;
}

LinearCase case_of(const Linear& linear, const cases::GivenCase& given_case) {
    const auto& [product, left, right] = linear.operands;
    LinearCase linear_case;
    linear_case.name = "this case";
    linear_case.sizes = {given_case.sizes[0], given_case.sizes[1], given_case.sizes[2]};
    auto input = given_case.tensors.begin();
    const auto tensor = [&](const LayerOperand& operand) {
        const Extent extent = linear_case.sizes.of(operand.tensor);
        return CodeMatrix{extent.rows, extent.columns, *input++};
    };
    linear_case.left = tensor(left);
    linear_case.right = tensor(right);
    if (left.given)
        for (recipe::Scales* scales : {&linear_case.left_scales, &linear_case.right_scales}) {
            *scales = {input->front(), input->back()};
            ++input;
        }
    if (left.random_bits != 0) {
        linear_case.random = *input++;
        for (const Code word : linear_case.random)
            if (word >> left.random_bits != 0)
                throw std::invalid_argument(
                    fmt::format("a random word of more than {} bits: 0x{:X}", left.random_bits, word));
    }
    const MatmulShape shape = linear.shape(linear_case.sizes);
    linear_case.c = linear.matmul.has_c ? *input : std::vector<Code>(shape.m * shape.n, 0);
    return linear_case;
}

} // namespace mxcert::suites
