// SPDX-License-Identifier: Apache-2.0
// MXFP8 recipes: what each product of a linear layer takes, and that both directions come from the values themselves.
#include "reference/exact/recipe/mxfp8.hpp"

#include <string>

#include "catch.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/block.hpp"

using namespace mxcert;
using namespace mxcert::recipe;
using namespace mxcert::formats;

namespace {

/// Rows and columns of a tensor as letters of the layer: tokens M, inputs K, outputs N.
std::string shape(Tensor tensor) {
    switch (tensor) {
    case Tensor::activations: return "MK";
    case Tensor::weights: return "NK";
    case Tensor::gradients: return "MN";
    }
    return "";
}
/// The letter that blocks lie along.
char along(const MxOperand& operand) { return shape(operand.tensor)[operand.along == Axis::row ? 1 : 0]; }
char kept(const MxOperand& operand) { return shape(operand.tensor)[operand.along == Axis::row ? 0 : 1]; }

CodeMatrix random_matrix(std::size_t rows, std::size_t columns) {
    SplitMix64 random(7);
    CodeMatrix values{rows, columns, {}};
    for (std::size_t i = 0; i < rows * columns; ++i)
        values.codes.push_back((120 + random.below(12)) << 23U | (random() & 0x807FFFFF));
    return values;
}

CodeMatrix transposed(const CodeMatrix& matrix) {
    CodeMatrix result{matrix.columns, matrix.rows, {}};
    for (std::size_t column = 0; column < matrix.columns; ++column)
        for (std::size_t row = 0; row < matrix.rows; ++row)
            result.codes.push_back(matrix.codes[row * matrix.columns + column]);
    return result;
}

} // namespace

TEST_CASE("the blocks of both operands lie along the sum of their product", "[recipe]") {
    for (const MxRecipe& recipe : mx_recipes()) {
        CAPTURE(recipe.name);
        CHECK(&mx_recipe(recipe.name) == &recipe);
        CHECK(recipe.choices.scale.rule == (recipe.name == "ocp_mxfp8" ? ScaleRule::ocp_floor : ScaleRule::rceil));
        const char sums[] = {'K', 'N', 'M'};
        const char* results[] = {"MN", "MK", "NK"};
        for (std::size_t i = 0; i < 3; ++i) {
            const MxProduct& product = recipe.products.at(i);
            CAPTURE(to_string(product.product));
            CHECK(static_cast<std::size_t>(product.product) == i);
            CHECK(along(product.left) == sums[i]);
            CHECK(along(product.right) == sums[i]);
            CHECK(std::string{kept(product.left), kept(product.right)} == results[i]);
        }
    }
    CHECK_THROWS_AS(mx_recipe("mxfp8"), std::invalid_argument);
}

TEST_CASE("only gradients may be E5M2", "[recipe]") {
    for (const MxRecipe& recipe : mx_recipes())
        for (const MxProduct& product : recipe.products)
            for (const MxOperand& operand : {product.left, product.right}) {
                const bool hybrid =
                    recipe.name == "te_mxfp8_hybrid" || recipe.name == "nvidia_pretraining_e5m2_gradients";
                CHECK(operand.element == (hybrid && operand.tensor == Tensor::gradients ? &e5m2 : &e4m3));
            }
}

TEST_CASE("Transformer Engine refuses what is no multiple of 32 in both directions", "[recipe]") {
    const MxRecipe& te = mx_recipe("te_mxfp8");
    CHECK_NOTHROW(check_shape(te, 32, 64));
    CHECK_THROWS_WITH(check_shape(te, 33, 64), "te_mxfp8 refuses 33x64: 33 rows are not a multiple of 32");
    CHECK_THROWS_AS(check_shape(te, 32, 63), std::invalid_argument);
    CHECK_THROWS_AS(exact::quantize(te, te.products[0].left, fp32, random_matrix(32, 31)), std::invalid_argument);
    CHECK_NOTHROW(check_shape(mx_recipe("nvidia_pretraining"), 33, 1));
    CHECK_THROWS_AS(exact::quantize(te, te.products[0].left, fp32, CodeMatrix{32, 32, {}}), std::invalid_argument);
}

TEST_CASE("columns are quantized as the rows of the transposed values", "[recipe]") {
    const MxRecipe& recipe = mx_recipe("nvidia_pretraining");
    const CodeMatrix values = random_matrix(34, 5);
    const CodeMatrix turned = transposed(values);
    const MxQuantized columns = exact::quantize(recipe, {Tensor::weights, Axis::column, &e4m3}, fp32, values);
    const MxQuantized rows = exact::quantize(recipe, {Tensor::weights, Axis::row, &e4m3}, fp32, turned);
    CHECK(columns.scales.rows == 2);
    CHECK(columns.scales.columns == 5);
    CHECK(transposed(columns.elements) == rows.elements);
    CHECK(transposed(columns.scales) == rows.scales);
    // The first block by hand of the exact model.
    const QuantizedBlock first = exact::quantize({&fp32, &e4m3}, recipe.choices, std::span(turned.codes).first(32));
    CHECK(columns.scales.codes[0] == first.scale);
    CHECK(rows.elements.codes[0] == first.elements[0]);
}

TEST_CASE("columns made of quantized rows differ: it must not be done", "[recipe]") {
    const MxRecipe& recipe = mx_recipe("te_mxfp8");
    const CodeMatrix values = random_matrix(32, 32);
    const MxOperand by_row{Tensor::weights, Axis::row, &e4m3};
    const MxOperand by_column{Tensor::weights, Axis::column, &e4m3};
    const MxQuantized rows = exact::quantize(recipe, by_row, fp32, values);
    CodeMatrix back = values;
    for (std::size_t row = 0; row < 32; ++row) {
        QuantizedBlock block{rows.scales.codes[row], {}};
        for (std::size_t i = 0; i < 32; ++i) block.elements.push_back(rows.elements.codes[row * 32 + i]);
        const std::vector<Code> decoded = exact::dequantize(e4m3, fp32, {}, block);
        std::copy(decoded.begin(), decoded.end(), back.codes.begin() + static_cast<std::ptrdiff_t>(row * 32));
    }
    CHECK(exact::quantize(recipe, by_column, fp32, back).elements !=
          exact::quantize(recipe, by_column, fp32, values).elements);
}
