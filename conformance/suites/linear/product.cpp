// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/frames/words.hpp"
#include "conformance/suites/linear/cases.hpp"
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
                      [&](Code one, Code other) { return same(format, one, other); });
}

/// An operand of the product: its codes, and its scales unless it is dequantized.
struct Operand {
    std::vector<Code> codes;
    std::vector<Code> scales;
};

Operand operand_of(const LayerOperand& how, const Format* dequantized, const CodeMatrix& values,
                   const recipe::Scales& scales) {
    LayerQuantized made = fast::quantize(how, values, scales);
    if (dequantized == nullptr) return {std::move(made.elements.codes), std::move(made.scales)};
    return {fast::dequantize(how, made, *dequantized).codes, {}};
}

void must_agree(bool agree, const std::string& name) {
    if (!agree)
        throw std::logic_error(fmt::format("the two models disagree on an operand of {}: nothing can be judged", name));
}

/// The exact models give that operand.
void check(const Operand& made, const LayerOperand& how, const Format* dequantized, const CodeMatrix& values,
           const recipe::Scales& scales, const std::string& name) {
    const LayerQuantized exact = exact::quantize(how, values, scales);
    if (dequantized == nullptr)
        must_agree(all_same(*how.element, made.codes, exact.elements.codes) &&
                       all_same(*how.scale, made.scales, exact.scales),
                   name);
    else
        must_agree(all_same(*dequantized, made.codes, exact::dequantize(how, exact, *dequantized).codes), name);
}

} // namespace

MatmulCase product_of(const Linear& linear, const LinearCase& one, bool checked) {
    const auto& [product, of_left, of_right] = linear.operands;
    Operand left = operand_of(of_left, linear.dequantized, one.left, one.left_scales);
    Operand right = operand_of(of_right, linear.dequantized, one.right, one.right_scales);
    if (checked) {
        check(left, of_left, linear.dequantized, one.left, one.left_scales, one.name);
        check(right, of_right, linear.dequantized, one.right, one.right_scales, one.name);
    }
    MatmulCase made;
    made.name = one.name;
    made.shape = linear.shape(one.sizes);
    made.a = std::move(left.codes);
    made.b = std::move(right.codes);
    made.scales_a = std::move(left.scales);
    made.scales_b = std::move(right.scales);
    made.c = one.c;
    return made;
}

frames::RunCase run_of(const Linear& linear, const LinearCase& one) {
    const auto& [product, left, right] = linear.operands;
    const MatmulShape shape = linear.shape(one.sizes);
    frames::RunCase run;
    run.shape = {one.sizes.tokens, one.sizes.inputs, one.sizes.outputs, 0};
    run.inputs = {frames::values_of(one.left.codes, *left.source), frames::values_of(one.right.codes, *right.source)};
    if (left.given)
        for (const recipe::Scales& scales : {one.left_scales, one.right_scales})
            run.inputs.push_back(frames::values_of({scales.scale, scales.inverse}, formats::fp32));
    if (linear.matmul.has_c) run.inputs.push_back(frames::values_of(one.c, *linear.matmul.format.c));
    run.outputs = {frames::Values(shape.m * shape.n, frames::bytes_of(*linear.matmul.output))};
    return run;
}

LinearCase case_of(const Linear& linear, const cases::GivenCase& given) {
    const auto& [product, left, right] = linear.operands;
    LinearCase one;
    one.name = "this case";
    one.sizes = {given.sizes[0], given.sizes[1], given.sizes[2]};
    auto input = given.tensors.begin();
    const auto tensor = [&](const LayerOperand& operand) {
        const Extent extent = one.sizes.of(operand.tensor);
        return CodeMatrix{extent.rows, extent.columns, *input++};
    };
    one.left = tensor(left);
    one.right = tensor(right);
    if (left.given)
        for (recipe::Scales* scales : {&one.left_scales, &one.right_scales}) {
            *scales = {input->front(), input->back()};
            ++input;
        }
    const MatmulShape shape = linear.shape(one.sizes);
    one.c = linear.matmul.has_c ? *input : std::vector<Code>(shape.m * shape.n, 0);
    return one;
}

} // namespace mxcert::suites
