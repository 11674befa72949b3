// SPDX-License-Identifier: Apache-2.0
// Products in NVFP4: the exact ones by the definition, those of an accumulator with the scales of the tensors after it.
#include "catch.hpp"
#include "conformance/tensors/multiply_tensors.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/accumulate.hpp"
#include "reference/exact/dot.hpp"
#include "reference/exact/epilogue.hpp"
#include "reference/fast/codes.hpp"

using namespace mxcert;
using namespace mxcert::tensors;
using Catch::Contains;

namespace {

/// How the scales of blocks are drawn.
enum class Scales : std::uint8_t { near_one, any, zeros };

/// Lines of a sum of k elements in blocks of 16, as rows, or as columns if the operand lies transposed.
MatrixOperand random_operand(std::uint64_t lines, std::uint64_t k, bool as_rows, Scales scales, std::uint64_t seed) {
    SplitMix64 random(seed);
    MatrixOperand operand;
    operand.format = &formats::e2m1;
    operand.scale = &formats::e4m3;
    operand.axis = as_rows ? Axis::row : Axis::column;
    operand.block = 16;
    operand.rows = as_rows ? lines : k;
    operand.columns = as_rows ? k : lines;
    for (std::uint64_t i = 0; i < lines * k; ++i)
        operand.elements.push_back(static_cast<unsigned char>(random.below(16)));
    for (std::uint64_t i = 0; i < lines * ((k + 15) / 16); ++i)
        operand.scales.push_back(static_cast<std::uint8_t>(scales == Scales::near_one ? 0x30 + random.below(16)
                                                           : scales == Scales::any    ? random.below(128)
                                                                                      : 0));
    operand.tensor = recipe::TensorScales{};
    return operand;
}

std::vector<Code> wide(const std::vector<unsigned char>& bytes) { return {bytes.begin(), bytes.end()}; }

/// D by the definition: the sum of all terms times the scales of both tensors, and C.
std::vector<Code> by_definition(const Product& product) {
    const MatmulShape shape = shape_of(product);
    const DotFormat format{&formats::e2m1, &formats::e2m1, &formats::e4m3, &formats::e4m3, nullptr, &formats::fp64};
    const std::vector<Code> a = wide(product.a.elements), b = wide(product.b.elements);
    const std::vector<Code> scales_a = wide(product.a.scales), scales_b = wide(product.b.scales);
    std::vector<Code> d;
    for (std::size_t row = 0; row < shape.m; ++row)
        for (std::size_t column = 0; column < shape.n; ++column) {
            DotLine line;
            gather(shape, {a, b, scales_a, scales_b, {}}, row, column, line);
            std::vector<exact::Value> terms = exact::terms(format, line.operands(shape, 0));
            for (exact::Value& term : terms)
                for (const MatrixOperand* operand : {&product.a, &product.b})
                    term = exact::times(term, exact::decode(formats::fp32, operand->tensor->decode));
            if (product.c.format != nullptr) {
                const auto bytes = static_cast<std::size_t>(product.c.format->bytes());
                const auto* const at = product.c.elements.data() + (row * shape.n + column) * bytes;
                terms.push_back(exact::decode(*product.c.format, fast::load(at, static_cast<int>(bytes))));
            }
            d.push_back(exact::result(*product.to, dot_choices(), exact::sum(terms, Rounding::nearest_even)));
        }
    return d;
}

std::vector<Code> codes_in(const Format& format, const std::vector<unsigned char>& bytes) {
    const auto size = static_cast<std::size_t>(format.bytes());
    std::vector<Code> all;
    for (std::size_t i = 0; i < bytes.size() / size; ++i)
        all.push_back(fast::load(bytes.data() + i * size, format.bytes()));
    return all;
}

constexpr Code one = 0x3F800000;

} // namespace

TEST_CASE("exact products in NVFP4 have the scales of the tensors before the one rounding", "[tensors][nvfp4]") {
    std::uint64_t seed = 1;
    const std::pair<Code, Code> tensors[] = {{one, one},
                                             {0x3DCCCCCD, 0x39D1B717},  // 0.1 and 0.0004
                                             {0x00000001, 0x7F7FFFFF},  // the ends of FP32
                                             {0x00000000, one},         // zero
                                             {0x7F800000, 0x3DCCCCCD},  // Inf
                                             {0x3DCCCCCD, 0x7FC00000}}; // NaN
    for (const auto& [of_a, of_b] : tensors)
        for (const Scales scales : {Scales::near_one, Scales::any, Scales::zeros})
            for (const Format* to : {&formats::fp64, &formats::fp32, &formats::bf16, &formats::fp16})
                for (const bool with_c : {false, true}) {
                    ++seed;
                    CAPTURE(of_a, of_b, static_cast<int>(scales), to->name, with_c);
                    Product product;
                    product.a_transposed = seed % 2 == 0;
                    product.b_transposed = seed % 3 == 0;
                    product.a = random_operand(3, 40, !product.a_transposed, scales, seed);
                    product.b = random_operand(5, 40, product.b_transposed, Scales::any, ~seed);
                    product.a.tensor->decode = of_a;
                    product.b.tensor->decode = of_b;
                    product.accumulator = &accumulator("exact");
                    product.to = to;
                    if (with_c) {
                        product.c.format = to;
                        product.c.rows = 3;
                        product.c.columns = 5;
                        product.c.elements.resize(15 * static_cast<std::size_t>(to->bytes()));
                        for (std::size_t i = 0; i < 15; ++i) {
                            const Code magnitude = i == 7   ? 0
                                                   : i == 8 ? to->inf_code()
                                                            : SplitMix64::at(seed, i) & to->inf_code();
                            fast::store(product.c.elements.data() + i * static_cast<std::size_t>(to->bytes()),
                                        to->bytes(), magnitude | (i % 2 != 0 ? to->sign_bit() : 0));
                        }
                    }
                    REQUIRE(codes_in(*to, multiply(product, {2})) == by_definition(product));
                }
}

TEST_CASE("zeros of products in NVFP4 have the sign of their terms", "[tensors][nvfp4]") {
    Product product;
    product.accumulator = &accumulator("exact");
    product.to = &formats::fp32;
    product.b_transposed = true;
    product.a = random_operand(2, 16, true, Scales::near_one, 1);
    product.b = random_operand(1, 16, true, Scales::near_one, 2);
    for (std::size_t i = 0; i < 32; ++i) product.a.elements[i] = i == 20 ? 0 : 8; // -0, once +0
    for (unsigned char& element : product.b.elements) element = 2;                // 1
    CHECK(codes_in(formats::fp32, multiply(product, {1})) == std::vector<Code>{0x80000000, 0});
    product.b.tensor->decode = 0x80000000; // no recipe makes such a scale; a file may hold it
    for (unsigned char& element : product.a.elements) element = 2;
    CHECK(codes_in(formats::fp32, multiply(product, {1})) == std::vector<Code>{0x80000000, 0x80000000});
}

TEST_CASE("sums of products in NVFP4 in FP32 are finished by an epilogue", "[tensors][nvfp4]") {
    Product product;
    product.b_transposed = true;
    product.a = random_operand(4, 96, true, Scales::near_one, 3);
    product.b = random_operand(3, 96, true, Scales::near_one, 4);
    *product.a.tensor = {0x44000000, 0x3DCCCCCD, 0x43FA0000}; // decode 0.1, amax 500
    *product.b.tensor = {0x44000000, 0x3F2AAAAB, 0x41200000}; // decode 0.66, amax 10
    const DotFormat format{&formats::e2m1, &formats::e2m1, &formats::e4m3,
                           &formats::e4m3, &formats::fp32, &formats::fp32};
    for (const char* name : {"exact", "blackwell_mxf4nvf4"})
        for (const char* by : {"product", "in_turn", "te_nvfp4"})
            for (const Format* to : {&formats::fp32, &formats::bf16}) {
                CAPTURE(name, by, to->name);
                product.accumulator = &accumulator(name);
                product.epilogue = &epilogue(by);
                product.to = to;
                const MatmulShape shape = shape_of(product);
                const std::vector<Code> d = codes_in(*to, multiply(product, {1}));
                const std::vector<Code> a = wide(product.a.elements), b = wide(product.b.elements);
                const std::vector<Code> scales_a = wide(product.a.scales), scales_b = wide(product.b.scales);
                const bool amax = std::string_view(by) == "te_nvfp4";
                for (std::size_t i = 0; i < d.size(); ++i) {
                    DotLine line;
                    gather(shape, {a, b, scales_a, scales_b, {}}, i / 3, i % 3, line);
                    const Code sum = is_exact(*product.accumulator)
                                         ? exact::dot(format, dot_choices(), line.operands(shape, 0))
                                         : exact::accumulate(*product.accumulator, format, line.operands(shape, 0));
                    const Code value =
                        exact::after_sum(*product.epilogue, {sum,
                                                             amax ? product.a.tensor->amax : product.a.tensor->decode,
                                                             amax ? product.b.tensor->amax : product.b.tensor->decode,
                                                             {}});
                    CHECK(d[i] == exact::as_element(*to, value));
                }
            }
}

TEST_CASE("products in NVFP4 that do not go together are refused", "[tensors][nvfp4]") {
    Product product;
    product.b_transposed = true;
    product.a = random_operand(4, 32, true, Scales::near_one, 3);
    product.b = random_operand(3, 32, true, Scales::near_one, 4);
    product.accumulator = &accumulator("blackwell_mxf4nvf4");
    product.to = &formats::fp32;
    CHECK_THROWS_WITH(shape_of(product), Contains("--epilogue says how the scales of the tensors come to its sums"));
    product.epilogue = &epilogue("product");
    CHECK_NOTHROW(shape_of(product));
    product.to = &formats::fp64;
    CHECK_THROWS_WITH(shape_of(product), Contains("may be rounded from fp32 to fp16 or bf16"));
    product.to = &formats::fp32;
    product.c = random_operand(4, 3, true, Scales::near_one, 3);
    product.c.format = &formats::fp32;
    CHECK_THROWS_WITH(shape_of(product), Contains("without C"));
    product.c = {};
    product.accumulator = &accumulator("fp16_fma");
    CHECK_THROWS_WITH(shape_of(product), Contains("come to FP32"));
    product.accumulator = &accumulator("exact");
    product.b.tensor.reset();
    CHECK_THROWS_WITH(shape_of(product), Contains("one operand is NVFP4"));
    product.a.tensor.reset();
    CHECK_THROWS_WITH(shape_of(product), Contains("for operands with scales of their tensors"));
}
