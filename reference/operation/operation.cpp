// SPDX-License-Identifier: Apache-2.0
#include "reference/operation/operation.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <stdexcept>
#include <tuple>

namespace mxcert {
namespace {

constexpr std::array<std::string_view, 8> quantize_attributes{"source",   "element",  "scale", "rule",
                                                              "rounding", "overflow", "axis",  "block"};
constexpr std::array<std::string_view, 5> dequantize_attributes{"element", "scale", "target", "axis", "block"};
constexpr std::array<std::string_view, 7> quantize_2d_attributes{"source",   "element",  "scale", "rule",
                                                                 "rounding", "overflow", "tile"};
constexpr std::array<std::string_view, 4> quantize_nvfp4_attributes{"source", "recipe", "block", "tensor_scale"};
constexpr std::array<std::string_view, 3> dequantize_nvfp4_attributes{"recipe", "target", "block"};
constexpr std::array<std::string_view, 5> hadamard_attributes{"source", "target", "signs", "axis", "direction"};
constexpr std::array<std::string_view, 5> partial_cast_attributes{"source", "element", "scale", "block", "outside"};
constexpr std::array<std::string_view, 2> layout_attributes{"layout", "direction"};
constexpr std::array<std::string_view, 4> stochastic_attributes{"source", "target", "law", "overflow"};
constexpr std::array<std::string_view, 1> scaling_attributes{"recipe"};
constexpr std::array<std::string_view, 5> quantize_float_attributes{"source", "element", "scale", "recipe", "block"};
constexpr std::array<std::string_view, 4> dequantize_float_attributes{"element", "scale", "target", "block"};
constexpr std::array<std::string_view, 10> matmul_attributes{"a",         "b", "scale",  "block_a",     "block_b",
                                                             "transpose", "c", "output", "accumulator", "order"};
constexpr std::array<std::string_view, 10> scaled_matmul_attributes{
    "a", "b", "scales", "transpose", "bias", "epilogue", "output", "d_scale", "amax", "accumulator"};
constexpr std::array<std::string_view, 11> linear_attributes{
    "source", "recipe", "product", "left", "right", "scale", "dequantized", "c", "output", "accumulator", "order"};

/// The check of an operation: whether its record can be made.
template <auto as> void check(const Operation& operation) { static_cast<void>(as(operation)); }

constexpr std::array<std::size_t, 1> first{0};
constexpr std::array<std::size_t, 1> second{1};
constexpr std::array<std::size_t, 2> first_two{0, 1};
constexpr std::array<std::size_t, 2> first_and_third{0, 2};

constexpr OperationInfo operation_table[] = {
    {"quantize", quantize_attributes, check<as_quantize>, {}, first, {}, second, true},
    {"dequantize", dequantize_attributes, check<as_dequantize>, first, {}, second},
    {"quantize_2d", quantize_2d_attributes, check<as_quantize_2d>, {}, first_and_third},
    {"quantize_float", quantize_float_attributes, check<as_quantize_float>},
    {"dequantize_float", dequantize_float_attributes, check<as_dequantize_float>},
    {"quantize_nvfp4", quantize_nvfp4_attributes, check<as_quantize_nvfp4>, {}, first, {}, second, false, true, true},
    {"dequantize_nvfp4", dequantize_nvfp4_attributes, check<as_dequantize_nvfp4>, first, {}, second},
    {"hadamard", hadamard_attributes, check<as_hadamard>},
    {"partial_cast", partial_cast_attributes, check<as_partial_cast>, second, first},
    {"layout", layout_attributes, check<as_layout>},
    {"stochastic", stochastic_attributes, check<as_stochastic>},
    {"scaling", scaling_attributes, check<as_scaling>},
    {"matmul", matmul_attributes, check<as_matmul>, first_two},
    {"scaled_matmul", scaled_matmul_attributes, check<as_scaled_matmul>, first_two},
    {"linear", linear_attributes, check<as_linear>, {}, {}, {}, {}, false, false, true},
};

Axis axis_of(const Operation& operation) {
    const std::string_view text = operation.value("axis");
    if (text != "row" && text != "column")
        throw std::invalid_argument("axis '" + std::string(text) + "': there are row and column");
    return text == "row" ? Axis::row : Axis::column;
}

unsigned block_of(const Operation& operation) {
    const std::string_view text = operation.value("block");
    if (text == "any") return 0;
    unsigned size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc{} || end != text.data() + text.size() || size < 1 || size > largest_block)
        throw std::invalid_argument("block '" + std::string(text) + "' is neither 'any' nor a size from 1 to " +
                                    std::to_string(largest_block));
    return size;
}

void check_scale(const Operation& operation) {
    if (operation.value("scale") != "e8m0")
        throw std::invalid_argument("scale '" + std::string(operation.value("scale")) + "': there is e8m0");
}

/// The format that an attribute names, one of these.
const Format& one_of(const Operation& operation, std::string_view attribute,
                     std::initializer_list<const Format*> formats) {
    const std::string_view name = operation.value(attribute);
    std::string names;
    for (const Format* format : formats) {
        if (format->name == name) return *format;
        names.append(names.empty() ? "" : ", ").append(format->name);
    }
    throw std::invalid_argument(std::string(attribute) + " '" + std::string(name) + "': there are " + names);
}

BlockShape nvfp4_block_of(const Operation& operation) {
    const std::string_view block = operation.value("block");
    if (block != "1x16" && block != "16x1" && block != "16x16")
        throw std::invalid_argument("block '" + std::string(block) + "': there are 1x16, 16x1, 16x16");
    return parse_block_shape(block, largest_block);
}

/// A and B of a product, packed in the rows that they lie in.
void pack_product(const Operation& operation, PackedElements& elements) {
    if (operation.value("a") != operation.value("b"))
        throw std::invalid_argument("packing '" + std::string(elements.packing->name) +
                                    "': A and B have the same format");
    elements.element = &format(operation.value("a"));
    constexpr std::size_t m = 0;
    constexpr std::size_t n = 1;
    constexpr std::size_t k = 2;
    const std::string_view transpose = operation.value("transpose");
    elements.row_sizes = {transpose[0] == 't' ? m : k, transpose[1] == 't' ? k : n};
    const Matmul matmul = operation.info->name == "matmul" ? as_matmul(operation) : as_scaled_matmul(operation).matmul;
    const bool rows_along_sum = elements.row_sizes[0] == k && elements.row_sizes[1] == k;
    if (rows_along_sum && matmul.a_scale.along == matmul.b_scale.along)
        elements.block = static_cast<unsigned>(matmul.a_scale.along);
}

const Format& float_scale_of(const Operation& operation) {
    return one_of(operation, "scale", {&formats::fp32, &formats::fp16, &formats::bf16, &formats::e8m0});
}

} // namespace

std::span<const OperationInfo> all_operations() { return operation_table; }

LaidOutScales laid_out_scales(const Operation& operation) {
    if (!operation.info->may_lay_out()) return {&all_layouts().front(), {}};
    const ScaleLayout& layout = find_layout(operation.value("layout"));
    if (operation.info->name == "quantize_nvfp4" || operation.info->name == "dequantize_nvfp4")
        return {&layout, nvfp4_block_of(operation)};
    const unsigned block = block_of(operation);
    return {&layout, axis_of(operation) == Axis::row ? shapes::rowwise(block) : shapes::columnwise(block)};
}

PackedElements packed_elements(const Operation& operation) {
    PackedElements elements{&all_packings().front()};
    if (!operation.info->may_pack()) return elements;
    elements.packing = &find_packing(operation.value("packing"));
    if (!elements.packs()) return elements;
    if (operation.info->name == "quantize_nvfp4" || operation.info->name == "dequantize_nvfp4") {
        elements.element = &formats::e2m1;
        elements.block = static_cast<unsigned>(nvfp4_block_of(operation).columns);
        return elements;
    }
    if (operation.info->name == "matmul" || operation.info->name == "scaled_matmul") {
        pack_product(operation, elements);
        return elements;
    }
    elements.element = &format(operation.value("element"));
    if (operation.info->name == "partial_cast")
        elements.block = static_cast<unsigned>(as_partial_cast(operation).block.columns);
    else if (operation.info->name == "quantize_2d")
        elements.block = static_cast<unsigned>(as_quantize_2d(operation).tile.columns);
    else if (axis_of(operation) == Axis::row)
        elements.block = block_of(operation);
    return elements;
}

Quantize as_quantize(const Operation& operation) {
    check_scale(operation);
    Quantize quantize;
    quantize.format = {&format(operation.value("source")), &format(operation.value("element"))};
    const std::string_view overflow = operation.value("overflow");
    quantize.scale = make_conversion(amax_of(*quantize.format.value).name, scale_of(*quantize.format.element).name,
                                     operation.value("rule"), overflow, 0);
    // A format without NaN and Inf always saturates: the mode is that of the scale.
    const Format& element = *quantize.format.element;
    quantize.element = make_conversion(by_scale(*quantize.format.value).name, element.name, operation.value("rounding"),
                                       element.has_inf() || element.has_nan() ? overflow : "sat", 0);
    quantize.axis = axis_of(operation);
    quantize.block = block_of(operation);
    quantize.activation = find_activation(operation.value("activation"));
    return quantize;
}

Quantize2d as_quantize_2d(const Operation& operation) {
    std::vector<std::pair<std::string, std::string>> attributes{{"axis", "row"}, {"block", "any"}};
    for (const char* const name : {"source", "element", "scale", "rule", "rounding", "overflow"})
        attributes.emplace_back(name, operation.value(name));
    const BlockShape tile = parse_block_shape(operation.value("tile"), largest_block);
    if (tile.rows == BlockShape::whole || tile.columns == BlockShape::whole)
        throw std::invalid_argument("tile '" + std::string(operation.value("tile")) + "' has no size");
    return {as_quantize(make_operation("quantize", attributes)), tile};
}

Extent Quantize2d::row_scales(const Extent& values) const { return scales_of(values, shapes::rowwise(tile.columns)); }
Extent Quantize2d::column_scales(const Extent& values) const {
    return scales_of(values, shapes::columnwise(tile.rows));
}

Dequantize as_dequantize(const Operation& operation) {
    check_scale(operation);
    Dequantize dequantize;
    dequantize.element = &format(operation.value("element"));
    dequantize.value =
        make_conversion(times_scale(*dequantize.element).name, operation.value("target"), "nearest_even", "nosat", 0);
    dequantize.axis = axis_of(operation);
    dequantize.block = block_of(operation);
    return dequantize;
}

QuantizeFloat as_quantize_float(const Operation& operation) {
    QuantizeFloat quantize;
    quantize.source = &one_of(operation, "source", {&formats::fp32, &formats::fp16, &formats::bf16});
    quantize.recipe = &recipe::float_block_preset(operation.value("recipe"));
    quantize.choices = quantize.recipe->choices;
    recipe::FloatScale& scaling = quantize.choices.scaling;
    scaling.element = &one_of(operation, "element", {&formats::e4m3, &formats::e5m2});
    quantize.scale = &float_scale_of(operation);
    if (quantize.scale != &formats::e8m0)
        scaling.kept = quantize.scale;
    else if (!scaling.power_of_two)
        throw std::invalid_argument("scale 'e8m0': the scales of the recipe " + std::string(quantize.recipe->name) +
                                    " are no powers of two");
    quantize.block = parse_block_shape(operation.value("block"), largest_block);
    return quantize;
}

DequantizeFloat as_dequantize_float(const Operation& operation) {
    return {&one_of(operation, "element", {&formats::e4m3, &formats::e5m2}), &float_scale_of(operation),
            &one_of(operation, "target", {&formats::fp32, &formats::fp16, &formats::bf16, &formats::fp64}),
            parse_block_shape(operation.value("block"), largest_block)};
}

QuantizeNvfp4 as_quantize_nvfp4(const Operation& operation) {
    QuantizeNvfp4 quantize;
    quantize.source = &one_of(operation, "source", {&formats::fp32, &formats::fp16, &formats::bf16});
    quantize.recipe = &recipe::nvfp4_preset(operation.value("recipe"));
    quantize.block = nvfp4_block_of(operation);
    const std::string_view output = operation.value("tensor_scale");
    if (output == "decode")
        quantize.output = Nvfp4Output::decode_scale;
    else if (output == "encode")
        quantize.output = Nvfp4Output::encode_scale;
    else if (output != "none")
        throw std::invalid_argument("tensor_scale '" + std::string(output) + "': there are decode, encode, none");
    quantize.random = random_rounding_of(operation.value("rounding"));
    if (quantize.random && (quantize.recipe->name != "te_nvfp4" || quantize.random->given))
        throw std::invalid_argument("rounding '" + std::string(operation.value("rounding")) +
                                    "': only recipe=te_nvfp4 has it, by random bits of its own");
    const std::string_view signs = operation.value("hadamard");
    if (signs == "none") return quantize;
    quantize.hadamard = recipe::Hadamard{recipe::parse_signs(signs)};
    if (quantize.source != &formats::bf16 || quantize.recipe->name != "te_nvfp4" ||
        quantize.block == BlockShape{16, 16})
        throw std::invalid_argument("hadamard '" + std::string(signs) +
                                    "': only source=bf16 recipe=te_nvfp4 has it, with block=1x16 or 16x1");
    return quantize;
}

Matmul as_matmul(const Operation& operation) {
    Matmul matmul;
    matmul.accumulator = &accumulator(operation.value("accumulator"));
    const bool exact = is_exact(*matmul.accumulator);
    const Format& result = *matmul.accumulator->result;
    matmul.output = &format(operation.value("output"));
    // The exact sum is rounded once, to whatever comes out.
    const Format& to = exact ? *matmul.output : result;
    matmul.format = {&format(operation.value("a")), &format(operation.value("b")), nullptr, nullptr, &to, &to};
    if (operation.value("scale") != "none") {
        matmul.format.scale_a = matmul.format.scale_b = &format(operation.value("scale"));
        const BlockShape a = parse_block_shape(operation.value("block_a"), largest_block);
        const BlockShape b = parse_block_shape(operation.value("block_b"), largest_block);
        matmul.a_scale = {a.columns, a.rows};
        matmul.b_scale = {b.rows, b.columns};
    } else if (operation.value("block_a") != "none" || operation.value("block_b") != "none") {
        throw std::invalid_argument("without scales block_a and block_b are none");
    }
    const std::string_view transpose = operation.value("transpose");
    if (transpose != "nn" && transpose != "nt" && transpose != "tn" && transpose != "tt")
        throw std::invalid_argument("transpose '" + std::string(transpose) + "': there are nn, nt, tn, tt");
    matmul.a_transposed = transpose[0] == 't';
    matmul.b_transposed = transpose[1] == 't';
    matmul.has_c = operation.value("c") != "none";
    if (matmul.has_c && operation.value("c") != to.name)
        throw std::invalid_argument("c '" + std::string(operation.value("c")) + "': there are none, " +
                                    std::string(to.name));
    const std::string_view order = operation.value("order");
    if (order != "given" && order != "any")
        throw std::invalid_argument("order '" + std::string(order) + "': there are given, any");
    matmul.any_order = order == "any";
    if (exact && matmul.any_order)
        throw std::invalid_argument("order 'any': the exact sum has no order, it is 'given'");
    check(matmul.format, dot_choices());
    if (!exact && !takes(*matmul.accumulator, matmul.format))
        throw std::invalid_argument("the accumulator " + std::string(matmul.accumulator->name) +
                                    " does not take these formats");
    if (!exact && !takes_blocks(*matmul.accumulator, matmul.a_scale.along, matmul.b_scale.along))
        throw std::invalid_argument("blocks of the accumulator " + std::string(matmul.accumulator->name) +
                                    " are multiples of " + std::to_string(least_block(*matmul.accumulator)) +
                                    " along the sum");
    if (matmul.any_order && matmul.accumulator->scale_use == ScaleUse::promotion)
        throw std::invalid_argument("order 'any': no bound is known of " + std::string(matmul.accumulator->name));
    if (matmul.output != &result && !exact && matmul.output != &formats::fp16 && matmul.output != &formats::bf16)
        throw std::invalid_argument("output '" + std::string(matmul.output->name) + "': there are " +
                                    std::string(result.name) + ", fp16, bf16");
    return matmul;
}

ScaledMatmul as_scaled_matmul(const Operation& operation) {
    const auto& [fp32, fp16, bf16] = std::tie(formats::fp32, formats::fp16, formats::bf16);
    const auto is_one_of_two = [&](std::string_view attribute, std::string_view no, std::string_view yes) {
        const std::string_view value = operation.value(attribute);
        if (value != no && value != yes)
            throw std::invalid_argument(std::string(attribute) + " '" + std::string(value) + "': there are " +
                                        std::string(no) + ", " + std::string(yes));
        return value == yes;
    };
    const std::string_view scales = operation.value("scales");
    const bool nvfp4 = scales == "nvfp4";
    if (!nvfp4 && scales != "tensor" && scales != "line")
        throw std::invalid_argument("scales '" + std::string(scales) + "': there are tensor, line, nvfp4");
    std::vector<std::pair<std::string, std::string>> attributes{{"scale", nvfp4 ? "ue4m3" : "none"},
                                                                {"block_a", nvfp4 ? "1x16" : "none"},
                                                                {"block_b", nvfp4 ? "16x1" : "none"},
                                                                {"c", "none"},
                                                                {"output", "fp32"},
                                                                {"order", "given"}};
    for (const char* const name : {"a", "b", "transpose", "accumulator"})
        attributes.emplace_back(name, operation.value(name));
    ScaledMatmul scaled;
    for (const char* const operand : {"a", "b"}) {
        if (nvfp4)
            static_cast<void>(one_of(operation, operand, {&formats::e2m1}));
        else
            static_cast<void>(one_of(operation, operand, {&formats::e4m3, &formats::e5m2}));
    }
    scaled.matmul = as_matmul(make_operation("matmul", attributes));
    scaled.by_lines = scales == "line";
    scaled.epilogue = &epilogue(operation.value("epilogue"));
    if (scaled.epilogue->factor != 0 && !nvfp4)
        throw std::invalid_argument("epilogue '" + std::string(scaled.epilogue->name) + "': only scales=nvfp4 has it");
    if (operation.value("bias") != "none") scaled.bias = &one_of(operation, "bias", {&fp32, &fp16, &bf16});
    scaled.output = &one_of(operation, "output", {&fp32, &fp16, &bf16, &formats::e4m3, &formats::e5m2});
    scaled.has_d_scale = is_one_of_two("d_scale", "none", "fp32");
    scaled.has_amax = is_one_of_two("amax", "none", "fp32");
    if (scaled.has_d_scale && scaled.output->width() > 8)
        throw std::invalid_argument("d_scale 'fp32': only D in FP8 has a scale");
    return scaled;
}

Matmul matmul_of(const Operation& linear, const recipe::LayerProduct& operands) {
    using recipe::Product;
    const bool a_transposed = operands.product == Product::wgrad;
    const bool b_transposed = operands.product == Product::fprop;
    const auto block = [](const recipe::LayerOperand& operand, bool transposed) {
        return text(transposed ? BlockShape{operand.block.columns, operand.block.rows} : operand.block);
    };
    const std::string dequantized(linear.value("dequantized"));
    const bool elements = dequantized == "none";
    const auto& [product, left, right] = operands;
    const std::string_view epilogue = elements ? recipe::epilogue_of(linear.value("recipe")) : "";
    if (!epilogue.empty() && linear.value("c") != "none")
        throw std::invalid_argument("c: D of elements in NVFP4 is the sum times the scales of both tensors, without C");
    const Accumulator& how = accumulator(linear.value("accumulator"));
    if (!epilogue.empty() && !is_exact(how) && how.result != &formats::fp32)
        throw std::invalid_argument("the accumulator " + std::string(how.name) + " does not give FP32");
    const std::pair<std::string, std::string> attributes[] = {
        {"a", elements ? std::string(left.element->name) : dequantized},
        {"b", elements ? std::string(right.element->name) : dequantized},
        {"scale", elements ? std::string(left.scale->name) : "none"},
        {"block_a", elements ? block(left, a_transposed) : "none"},
        {"block_b", elements ? block(right, b_transposed) : "none"},
        {"transpose", std::string(a_transposed ? "t" : "n") + (b_transposed ? "t" : "n")},
        {"c", std::string(linear.value("c"))},
        {"output", epilogue.empty() ? std::string(linear.value("output")) : "fp32"},
        {"accumulator", std::string(linear.value("accumulator"))},
        {"order", std::string(linear.value("order"))}};
    Matmul matmul = as_matmul(make_operation("matmul", attributes));
    if (epilogue.empty()) return matmul;
    matmul.epilogue = &mxcert::epilogue(epilogue);
    matmul.output = &one_of(linear, "output", {&formats::fp32, &formats::fp16, &formats::bf16});
    return matmul;
}

MatmulShape Linear::shape(const recipe::LayerSizes& sizes) const {
    switch (operands.product) {
    case recipe::Product::fprop: return matmul.shape(sizes.tokens, sizes.outputs, sizes.inputs);
    case recipe::Product::dgrad: return matmul.shape(sizes.tokens, sizes.inputs, sizes.outputs);
    default: return matmul.shape(sizes.outputs, sizes.inputs, sizes.tokens);
    }
}

Linear as_linear(const Operation& operation) {
    using recipe::Product;
    Linear linear;
    linear.recipe = operation.value("recipe");
    const Product products[] = {Product::fprop, Product::dgrad, Product::wgrad};
    const std::string_view product = operation.value("product");
    const auto* const named = std::find_if(std::begin(products), std::end(products),
                                           [&](Product this_product) { return to_string(this_product) == product; });
    if (named == std::end(products))
        throw std::invalid_argument("product '" + std::string(product) + "': there are fprop, dgrad, wgrad");
    const auto element = [&](std::string_view attribute) -> const Format& {
        return one_of(operation, attribute, {&formats::e4m3, &formats::e5m2, &formats::e2m1});
    };
    const Format& scale =
        one_of(operation, "scale", {&formats::fp32, &formats::fp16, &formats::bf16, &formats::e8m0, &formats::ue4m3});
    linear.operands = layer_product(linear.recipe, *named,
                                    one_of(operation, "source", {&formats::fp32, &formats::fp16, &formats::bf16}),
                                    element("left"), element("right"), scale);
    if (operation.value("dequantized") != "none")
        linear.dequantized = &one_of(operation, "dequantized", {&formats::fp32, &formats::fp16, &formats::bf16});
    else if (scale.name == formats::ue4m3.name && recipe::epilogue_of(linear.recipe).empty())
        throw std::invalid_argument("dequantized 'none': how the sums of the recipe " + linear.recipe +
                                    " are scaled is not said, there are fp32, fp16, bf16");
    linear.matmul = matmul_of(operation, linear.operands);
    const std::optional<RandomRounding> random = random_rounding_of(operation.value("rounding"));
    if (!random) return linear;
    // Transformer Engine's recipes, which round gradients alone at random.
    if (!random->given || linear.operands.left.tensor != recipe::Tensor::gradients ||
        recipe::epilogue_of(linear.recipe).empty())
        throw std::invalid_argument("rounding '" + std::string(operation.value("rounding")) +
                                    "': only gradients by the recipes te_nvfp4* have it, by given random bits");
    linear.operands.left.rounding = random->law;
    linear.operands.left.random_bits = random->bits;
    return linear;
}

Stochastic as_stochastic(const Operation& operation) {
    const std::string_view law = operation.value("law");
    const bool known = law != "any";
    const std::string rounding = known ? std::string(law) : "stochastic_a1";
    const Conversion conversion =
        parse_conversion(std::string(operation.value("source")) + "-" + std::string(operation.value("target")) + "-" +
                         rounding + "-" + std::string(operation.value("overflow")));
    if (!is_stochastic_law(conversion.rounding))
        throw std::invalid_argument("law '" + std::string(law) +
                                    "' is neither 'any' nor a stochastic rounding with its bits, as stochastic_a8");
    return {conversion, known};
}

const recipe::TensorRecipe& as_scaling(const Operation& operation) {
    return recipe::tensor_recipe(operation.value("recipe"));
}

DequantizeNvfp4 as_dequantize_nvfp4(const Operation& operation) {
    return {&recipe::nvfp4_preset(operation.value("recipe")), nvfp4_block_of(operation),
            &one_of(operation, "target", {&formats::fp32, &formats::fp16, &formats::bf16})};
}

HadamardTransform as_hadamard(const Operation& operation) {
    const std::string_view direction = operation.value("direction");
    if (direction != "forward" && direction != "inverse")
        throw std::invalid_argument("direction '" + std::string(direction) + "': there are forward and inverse");
    const auto format_of = [&](std::string_view attribute) {
        return &one_of(operation, attribute, {&formats::fp32, &formats::fp16, &formats::bf16});
    };
    return {format_of("source"),
            format_of("target"),
            {recipe::parse_signs(operation.value("signs")), direction == "inverse"},
            axis_of(operation) == Axis::row ? shapes::rowwise(recipe::hadamard_size)
                                            : shapes::columnwise(recipe::hadamard_size)};
}

recipe::PartialCast as_partial_cast(const Operation& operation) {
    using recipe::GivenScale;
    recipe::PartialCast cast;
    cast.source = &one_of(operation, "source", {&formats::fp32, &formats::fp16, &formats::bf16});
    cast.element = &one_of(operation, "element", {&formats::e4m3, &formats::e5m2, &formats::e2m1});
    const GivenScale scales[] = {GivenScale::encode, GivenScale::e8m0, GivenScale::nvfp4};
    const std::string_view scale = operation.value("scale");
    const auto* const named =
        std::find_if(std::begin(scales), std::end(scales), [&](GivenScale given) { return to_string(given) == scale; });
    if (named == std::end(scales))
        throw std::invalid_argument("scale '" + std::string(scale) + "': there are fp32, e8m0, nvfp4");
    cast.scale = *named;
    if ((cast.scale == GivenScale::nvfp4) != (cast.element == &formats::e2m1))
        throw std::invalid_argument("scale '" + std::string(scale) + "': e2m1 has nvfp4, e4m3 and e5m2 the others");
    const auto sides_of = [&](std::string_view attribute) {
        const BlockShape shape = parse_block_shape(operation.value(attribute), largest_block);
        if (shape.rows == BlockShape::whole || shape.columns == BlockShape::whole)
            throw std::invalid_argument(std::string(attribute) + " '" + std::string(operation.value(attribute)) +
                                        "' has no size");
        return shape;
    };
    cast.block = sides_of("block");
    if (operation.value("outside") == "kept") return cast;
    cast.strip = sides_of("outside");
    if (cast.element == &formats::e2m1)
        throw std::invalid_argument("outside '" + std::string(operation.value("outside")) + "': of e2m1 it is kept");
    return cast;
}

Layout as_layout(const Operation& operation) {
    const std::string_view direction = operation.value("direction");
    if (direction != "arrange" && direction != "restore")
        throw std::invalid_argument("direction '" + std::string(direction) + "': there are arrange and restore");
    return {&find_layout(operation.value("layout")),
            direction == "arrange" ? LayoutDirection::arrange : LayoutDirection::restore};
}

} // namespace mxcert
