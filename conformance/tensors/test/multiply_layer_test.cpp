// SPDX-License-Identifier: Apache-2.0
// The products of a linear layer against the exact model: operands by exact::, sums in rational numbers.
#include "conformance/tensors/multiply_layer.hpp"

#include "catch.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/epilogue.hpp"
#include "reference/exact/number.hpp"
#include "reference/exact/recipe/linear.hpp"
#include "reference/fast/codes.hpp"

using namespace mxcert;
using namespace mxcert::tensors;
using Catch::Contains;
using exact::Rational;
using Which = recipe::Product;

namespace {

MatrixOperand random_matrix(const Format& format, std::uint64_t rows, std::uint64_t columns, std::uint64_t seed) {
    MatrixOperand matrix;
    matrix.format = &format;
    matrix.rows = rows;
    matrix.columns = columns;
    const int bytes = format.bytes();
    matrix.elements.resize(rows * columns * static_cast<std::size_t>(bytes));
    for (std::uint64_t i = 0; i < rows * columns; ++i) {
        // Of some binades around 1, with a sign.
        const std::uint64_t word = SplitMix64::at(seed, i);
        const Code field = static_cast<Code>(format.bias - 4) + word % 9;
        const Code code = field << static_cast<unsigned>(format.fraction_bits) | (word >> 8 & format.fraction_mask()) |
                          (word >> 63 != 0 ? format.sign_bit() : 0);
        fast::store(matrix.elements.data() + i * static_cast<std::size_t>(bytes), bytes, code);
    }
    return matrix;
}

/// What an operand stands for: FP32 holds every element of E4M3 and E5M2 times a scale near 1.
std::vector<Rational> numbers_of(const recipe::LayerOperand& how, const MatrixOperand& values) {
    std::vector<Rational> numbers;
    for (const Code code :
         exact::dequantize(how, exact::quantize(how, {values.rows, values.columns, codes_of(values)}), formats::fp32)
             .codes)
        numbers.push_back(exact::number(exact::decode(formats::fp32, code)));
    return numbers;
}

Code nearest(const Format& format, const Rational& sum) {
    if (sum == 0) return 0;
    const bool negative = sum < 0;
    const Rational magnitude = exact::round(format, negative ? -sum : sum, negative, Rounding::nearest_even).value;
    return exact::encode(format, magnitude) | (negative ? format.sign_bit() : 0);
}

struct Sizes {
    std::uint64_t tokens = 64;
    std::uint64_t inputs = 96;
    std::uint64_t outputs = 32;
};

/// A product of random tensors, and the same by the exact model.
void check(std::string_view name, Which which, const Format& source, const Format& left_element, const Format* scale,
           const Format* dequantized) {
    CAPTURE(name, to_string(which), source.name);
    const Sizes sizes;
    const bool forward = which == Which::fprop;
    const bool of_weights = which == Which::wgrad;
    const MatrixOperand left = random_matrix(source, sizes.tokens, forward ? sizes.inputs : sizes.outputs, 1);
    const MatrixOperand right = random_matrix(source, of_weights ? sizes.tokens : sizes.outputs, sizes.inputs, 2);
    LayerChoices choices;
    const Format& right_element = scale == &formats::ue4m3 ? formats::e2m1 : formats::e4m3;
    choices.operands = recipe::layer_product(name, which, source, left_element, right_element, *scale);
    choices.dequantized = dequantized;
    choices.accumulator = &accumulator("exact");
    for (const Format* to : {&formats::fp32, &formats::bf16}) {
        choices.to = to;
        const Product product = product_of(name, choices, left, right);
        const MatmulShape shape = shape_of(product);
        const std::vector<unsigned char> d = multiply(product, {});
        const std::vector<Rational> a = numbers_of(choices.operands.left, left);
        const std::vector<Rational> b = numbers_of(choices.operands.right, right);
        CHECK(shape.m == (of_weights ? sizes.outputs : sizes.tokens));
        CHECK(shape.n == (forward ? sizes.outputs : sizes.inputs));
        for (std::size_t i = 0; i < shape.m; i += 7)
            for (std::size_t j = 0; j < shape.n; j += 5) {
                Rational sum = 0;
                for (std::size_t l = 0; l < shape.k; ++l)
                    sum += a[of_weights ? l * left.columns + i : i * left.columns + l] *
                           b[forward ? j * right.columns + l : l * right.columns + j];
                const auto bytes = static_cast<std::size_t>(to->bytes());
                CHECK(fast::load(d.data() + (i * shape.n + j) * bytes, to->bytes()) == nearest(*to, sum));
            }
    }
}

} // namespace

TEST_CASE("the products of a layer are what the exact model gives", "[tensors][layer][values]") {
    for (const Which which : {Which::fprop, Which::dgrad, Which::wgrad}) {
        const Format& gradient = which == Which::fprop ? formats::e4m3 : formats::e5m2;
        check("te_mxfp8", which, formats::bf16, formats::e4m3, &formats::e8m0, nullptr);
        check("te_mxfp8_hybrid", which, formats::fp32, gradient, &formats::e8m0, nullptr);
        check("ocp_mxfp8", which, formats::bf16, formats::e4m3, &formats::e8m0, &formats::fp32);
        check("absmax", which, formats::bf16, formats::e4m3, &formats::fp32, &formats::fp32);
        check("modelopt_nvfp4", which, formats::bf16, formats::e2m1, &formats::ue4m3, &formats::fp32);
        check("deepseek_v3", which, formats::fp32, formats::e4m3, &formats::fp32, &formats::fp32);
    }
}

TEST_CASE("the amaxes of two tensors in NVFP4 come to the sums of elements and scales", "[tensors][layer]") {
    for (const Which which : {Which::fprop, Which::dgrad, Which::wgrad}) {
        CAPTURE(to_string(which));
        const bool forward = which == Which::fprop;
        const bool of_weights = which == Which::wgrad;
        const MatrixOperand left = random_matrix(formats::bf16, 48, forward ? 64 : 32, 1);
        const MatrixOperand right = random_matrix(formats::bf16, of_weights ? 48 : 32, 64, 2);
        LayerChoices choices;
        choices.operands =
            recipe::layer_product("te_nvfp4", which, formats::bf16, formats::e2m1, formats::e2m1, formats::ue4m3);
        choices.accumulator = &accumulator("exact");
        choices.epilogue = &epilogue("te_nvfp4");
        choices.to = &formats::bf16;
        const Product product = product_of("te_nvfp4", choices, left, right);
        const MatmulShape shape = shape_of(product);
        const std::vector<unsigned char> d = multiply(product, {});
        const auto numbers = [](const recipe::LayerOperand& how, const MatrixOperand& values) {
            const recipe::LayerQuantized quantized =
                exact::quantize(how, {values.rows, values.columns, codes_of(values)});
            std::vector<Rational> all(quantized.elements.codes.size());
            recipe::for_each_block(quantized.elements.extent(), how.block, [&](std::size_t block, const auto& places) {
                for (const std::size_t at : places)
                    all[at] = exact::number(exact::decode(formats::e2m1, quantized.elements.codes[at])) *
                              exact::number(exact::decode(formats::e4m3, quantized.scales[block]));
            });
            return std::pair{all, quantized.tensor.amax};
        };
        const auto of_left = numbers(choices.operands.left, left);
        const auto of_right = numbers(choices.operands.right, right);
        for (std::size_t i = 0; i < shape.m; i += 3)
            for (std::size_t j = 0; j < shape.n; j += 5) {
                Rational sum = 0;
                for (std::size_t l = 0; l < shape.k; ++l)
                    sum += of_left.first[of_weights ? l * left.columns + i : i * left.columns + l] *
                           of_right.first[forward ? j * right.columns + l : l * right.columns + j];
                const Code value = exact::after_sum(*choices.epilogue,
                                                    {nearest(formats::fp32, sum), of_left.second, of_right.second, {}});
                CHECK(fast::load(d.data() + (i * shape.n + j) * 2, 2) == exact::as_element(formats::bf16, value));
            }
    }
}

TEST_CASE("what an accumulator gives is rounded to the format of D at last", "[tensors][layer]") {
    const MatrixOperand x = random_matrix(formats::bf16, 4, 32, 1);
    const MatrixOperand w = random_matrix(formats::bf16, 3, 32, 2);
    LayerChoices choices;
    choices.operands =
        recipe::layer_product("ocp_mxfp8", Which::fprop, formats::bf16, formats::e4m3, formats::e4m3, formats::e8m0);
    choices.accumulator = &accumulator("fp32_fma");
    choices.to = &formats::fp32;
    Product product = product_of("ocp_mxfp8", choices, x, w);
    const std::vector<unsigned char> wide = multiply(product, {});
    product.to = &formats::bf16;
    const std::vector<unsigned char> narrow = multiply(product, {});
    REQUIRE(wide.size() == 2 * narrow.size());
    for (std::size_t i = 0; i < 12; ++i) {
        const Rational sum = exact::number(exact::decode(formats::fp32, fast::load(wide.data() + 4 * i, 4)));
        CHECK(fast::load(narrow.data() + 2 * i, 2) == nearest(formats::bf16, sum));
    }
    // C is added: D of the same operands with C = D is not D, and a C of another size or format is refused.
    product.c = random_matrix(formats::fp32, 4, 3, 3);
    product.to = &formats::fp32;
    CHECK(multiply(product, {}) != wide);
    product.c.rows = 3;
    product.c.columns = 4;
    CHECK_THROWS_WITH(multiply(product, {}), Contains("C is 3 x 4, D is 4 x 3"));
    product.c = random_matrix(formats::e4m3, 4, 3, 3);
    CHECK_THROWS_WITH(multiply(product, {}), Contains("not quantized"));
    product.c = random_matrix(formats::bf16, 4, 3, 3);
    CHECK_THROWS_WITH(multiply(product, {}), Contains("C is bf16: the sum is added to one of fp32"));
}

TEST_CASE("tensors that do not go together are refused", "[tensors][layer]") {
    LayerChoices choices;
    choices.operands =
        recipe::layer_product("te_mxfp8", Which::fprop, formats::bf16, formats::e4m3, formats::e4m3, formats::e8m0);
    choices.accumulator = &accumulator("exact");
    choices.to = &formats::fp32;
    const auto matrix = [](const Format& format, std::uint64_t rows, std::uint64_t columns) {
        return random_matrix(format, rows, columns, 1);
    };
    CHECK_THROWS_WITH(product_of("te_mxfp8", choices, matrix(formats::bf16, 32, 64), matrix(formats::bf16, 64, 32)),
                      Contains("the sums have 64 and 32 products"));
    CHECK_THROWS_WITH(product_of("te_mxfp8", choices, matrix(formats::bf16, 32, 48), matrix(formats::bf16, 32, 48)),
                      Contains("te_mxfp8 refuses activations of 32x48"));
    CHECK_THROWS_WITH(product_of("te_mxfp8", choices, matrix(formats::fp32, 32, 64), matrix(formats::fp32, 32, 64)),
                      Contains("activations are fp32, and were to be bf16"));
    choices.operands =
        recipe::layer_product("absmax", Which::fprop, formats::bf16, formats::e4m3, formats::e4m3, formats::fp32);
    CHECK_THROWS_WITH(product_of("absmax", choices, matrix(formats::bf16, 32, 64), matrix(formats::bf16, 32, 64)),
                      Contains("its operands are multiplied dequantized"));
}
