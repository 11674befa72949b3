// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "conformance/cases/given_case.hpp"

// What a case of each operation is made of.
namespace mxcert::cases {
namespace {

CaseForm of_matrix(const BlockShape& block) {
    const auto unit = [](std::uint64_t side) { return side == BlockShape::whole ? std::size_t{1} : side; };
    return {{{"rows", unit(block.rows)}, {"columns", unit(block.columns)}}, {}};
}

FormTensor values(std::string_view name, const Format& format) { return {name, &format, 0, {0, 1}, {1, 1}}; }

FormTensor scales_of_blocks(const Format& format, const BlockShape& block) {
    return {"scales", &format, format.one_code(), {0, block.rows}, {1, block.columns}};
}

/// `block` 0: any, as the case says.
BlockShape shape_of(Axis axis, unsigned block) {
    const std::uint64_t size = block == 0 ? FormSide::block : block;
    return axis == Axis::row ? shapes::rowwise(size) : shapes::columnwise(size);
}

CaseForm of_blocks(const BlockShape& shape, unsigned block) {
    CaseForm form = of_matrix(shape);
    if (block == 0) form.axes.push_back({"block", 1, true});
    return form;
}

CaseForm of_quantize(const Operation& operation) {
    const Quantize quantize = as_quantize(operation);
    CaseForm form = of_blocks(shape_of(quantize.axis, quantize.block), quantize.block);
    form.tensors = {values("values", *quantize.format.value)};
    return form;
}

CaseForm of_dequantize(const Operation& operation) {
    const Dequantize dequantize = as_dequantize(operation);
    const BlockShape shape = shape_of(dequantize.axis, dequantize.block);
    CaseForm form = of_blocks(shape, dequantize.block);
    form.tensors = {values("elements", *dequantize.element), scales_of_blocks(formats::e8m0, shape)};
    return form;
}

CaseForm of_quantize_float(const Operation& operation) {
    const QuantizeFloat quantize = as_quantize_float(operation);
    CaseForm form = of_matrix(quantize.block);
    form.tensors = {values("values", *quantize.source)};
    return form;
}

CaseForm of_dequantize_float(const Operation& operation) {
    const DequantizeFloat dequantize = as_dequantize_float(operation);
    CaseForm form = of_matrix(dequantize.block);
    form.tensors = {values("elements", *dequantize.element), scales_of_blocks(*dequantize.scale, dequantize.block)};
    return form;
}

FormTensor lying(FormTensor tensor, bool transposed) {
    if (transposed) std::swap(tensor.rows, tensor.columns);
    return tensor;
}

CaseForm of_matmul(const Operation& operation) {
    const Matmul matmul = as_matmul(operation);
    constexpr std::size_t m = 0;
    constexpr std::size_t n = 1;
    constexpr std::size_t k = 2;
    const bool scaled = matmul.format.scale_a != nullptr;
    const SharedScale& a = matmul.a_scale;
    const SharedScale& b = matmul.b_scale;
    const auto unit = [&](std::size_t of_a, std::size_t of_b) {
        return scaled ? std::max({of_a, of_b, std::size_t{1}}) : 1;
    };
    CaseForm form{{{"m", unit(a.across, 1)}, {"n", unit(1, b.across)}, {"k", unit(a.along, b.along)}}, {}};
    form.tensors = {lying({"a", matmul.format.a, 0, {m, 1}, {k, 1}}, matmul.a_transposed),
                    lying({"b", matmul.format.b, 0, {k, 1}, {n, 1}}, matmul.b_transposed)};
    if (scaled) {
        form.tensors.push_back(
            lying({"scales_a", matmul.format.scale_a, matmul.format.scale_a->one_code(), {m, a.across}, {k, a.along}},
                  matmul.a_transposed));
        form.tensors.push_back(
            lying({"scales_b", matmul.format.scale_b, matmul.format.scale_b->one_code(), {k, b.along}, {n, b.across}},
                  matmul.b_transposed));
    }
    if (matmul.has_c) form.tensors.push_back({"c", matmul.format.c, 0, {m, 1}, {n, 1}});
    return form;
}

CaseForm of_scaled_matmul(const Operation& operation) {
    const ScaledMatmul scaled = as_scaled_matmul(operation);
    const FormSide rows{0, 1};
    const FormSide columns{1, 1};
    const FormSide along{2, 1};
    const FormSide one{FormSide::fixed, 1};
    const Format& fp32 = formats::fp32;
    CaseForm form{{{"m"}, {"n"}, {"k"}}, {}};
    form.tensors = {lying({"a", scaled.matmul.format.a, 0, rows, along}, scaled.matmul.a_transposed),
                    lying({"b", scaled.matmul.format.b, 0, along, columns}, scaled.matmul.b_transposed)};
    if (scaled.has_blocks()) {
        const Format* const scale = scaled.matmul.format.scale_a;
        const FormSide blocks{2, scaled.matmul.a_scale.along};
        form.axes[2].unit = scaled.matmul.a_scale.along;
        form.tensors.push_back(
            lying({"block_scales_a", scale, scale->one_code(), rows, blocks}, scaled.matmul.a_transposed));
        form.tensors.push_back(
            lying({"block_scales_b", scale, scale->one_code(), blocks, columns}, scaled.matmul.b_transposed));
    }
    form.tensors.push_back({"scales_a", &fp32, fp32.one_code(), scaled.by_lines ? rows : one, one});
    form.tensors.push_back({"scales_b", &fp32, fp32.one_code(), one, scaled.by_lines ? columns : one});
    if (scaled.bias != nullptr) form.tensors.push_back({"bias", scaled.bias, 0, one, columns});
    if (scaled.has_d_scale) form.tensors.push_back({"d_scale", &fp32, fp32.one_code(), one, one});
    return form;
}

/// The axes of a layer that a tensor lies along: tokens, inputs, outputs.
struct TensorAxes {
    std::size_t rows;
    std::size_t columns;
};
TensorAxes axes_of(recipe::Tensor tensor) {
    switch (tensor) {
    case recipe::Tensor::activations: return {0, 1};
    case recipe::Tensor::weights: return {2, 1};
    case recipe::Tensor::gradients: return {0, 2};
    }
    return {0, 1};
}

/// The same of D.
TensorAxes axes_of_result(recipe::Product product) {
    switch (product) {
    case recipe::Product::fprop: return {0, 2};
    case recipe::Product::dgrad: return {0, 1};
    case recipe::Product::wgrad: return {2, 1};
    }
    return {0, 2};
}

CaseForm of_linear(const Operation& operation) {
    const Linear linear = as_linear(operation);
    CaseForm form{{{"tokens"}, {"inputs"}, {"outputs"}}, {}};
    const auto raise = [&](std::size_t axis, std::uint64_t side) {
        if (side != BlockShape::whole) form.axes[axis].unit = std::max<std::size_t>(form.axes[axis].unit, side);
    };
    for (const recipe::LayerOperand* operand : {&linear.operands.left, &linear.operands.right}) {
        const auto [rows, columns] = axes_of(operand->tensor);
        const char* const name = operand == &linear.operands.left ? "left" : "right";
        form.tensors.push_back({name, operand->source, 0, {rows, 1}, {columns, 1}});
        raise(rows, operand->block.rows);
        raise(columns, operand->block.columns);
    }
    // A scale and its inverse.
    if (linear.operands.left.given)
        for (const char* const name : {"scales_left", "scales_right"})
            form.tensors.push_back(
                {name, &formats::fp32, formats::fp32.one_code(), {FormSide::fixed, 1}, {FormSide::fixed, 2}});
    if (linear.operands.left.random_bits != 0) {
        const auto [rows, columns] = axes_of(linear.operands.left.tensor);
        form.tensors.push_back({"random", &recipe::random_word, 0, {rows, 1}, {columns, 1}});
    }
    if (linear.matmul.has_c) {
        const auto [rows, columns] = axes_of_result(linear.operands.product);
        form.tensors.push_back({"c", linear.matmul.format.c, 0, {rows, 1}, {columns, 1}});
    }
    return form;
}

CaseForm of_quantize_2d(const Operation& operation) {
    const Quantize2d quantize = as_quantize_2d(operation);
    CaseForm form = of_matrix(quantize.tile);
    form.tensors.push_back(values("values", *quantize.quantize.format.value));
    return form;
}

CaseForm of_quantize_nvfp4(const Operation& operation) {
    const QuantizeNvfp4 quantize = as_quantize_nvfp4(operation);
    CaseForm form = of_matrix(quantize.block);
    form.tensors.push_back(values("values", *quantize.source));
    return form;
}

CaseForm of_dequantize_nvfp4(const Operation& operation) {
    const DequantizeNvfp4 dequantize = as_dequantize_nvfp4(operation);
    CaseForm form = of_matrix(dequantize.block);
    form.tensors = {values("elements", formats::e2m1), scales_of_blocks(formats::e4m3, dequantize.block)};
    if (dequantize.has_number())
        form.tensors.push_back(
            {"number", &formats::fp32, formats::fp32.one_code(), {FormSide::fixed, 1}, {FormSide::fixed, 1}});
    return form;
}

CaseForm of_hadamard(const Operation& operation) {
    const HadamardTransform transform = as_hadamard(operation);
    CaseForm form = of_matrix(transform.group);
    form.tensors.push_back(values("values", *transform.source));
    return form;
}

CaseForm of_layout(const Operation& /*operation*/) { return {{{"rows"}, {"columns"}}, {}}; }

constexpr struct {
    std::string_view operation;
    CaseForm (*form)(const Operation&);
} forms[] = {
    {"quantize", of_quantize},
    {"dequantize", of_dequantize},
    {"quantize_2d", of_quantize_2d},
    {"quantize_float", of_quantize_float},
    {"dequantize_float", of_dequantize_float},
    {"quantize_nvfp4", of_quantize_nvfp4},
    {"dequantize_nvfp4", of_dequantize_nvfp4},
    {"hadamard", of_hadamard},
    {"matmul", of_matmul},
    {"scaled_matmul", of_scaled_matmul},
    {"linear", of_linear},
    {"layout", of_layout},
};

const auto* find_form(const Operation& operation) {
    return std::find_if(std::begin(forms), std::end(forms),
                        [&](const auto& row) { return row.operation == operation.info->name; });
}

} // namespace

bool can_be_given(const Operation& operation) { return find_form(operation) != std::end(forms); }

CaseForm form_of(const Operation& operation) {
    if (can_be_given(operation)) return find_form(operation)->form(operation);
    throw std::invalid_argument("a case of the operation '" + std::string(operation.info->name) +
                                "' cannot be written down");
}

} // namespace mxcert::cases
