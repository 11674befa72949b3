// SPDX-License-Identifier: Apache-2.0
// Whole products by accumulators: every element has the bits of its own dot product, by every instruction set.
#include "reference/fast/matmul/accumulate_matmul.hpp"

#include <array>
#include <atomic>
#include <cfenv>

#include "catch.hpp"
#include "reference/exact/accumulate.hpp"
#include "reference/fast/accumulate.hpp"
#include "reference/fast/sum/aligned_lanes.hpp"
#include "reference/fast/sum/float_lanes.hpp"
#include "reference/test/dot_cases.hpp"

using namespace mxcert;
using namespace mxcert::formats;

namespace {

/// The codes of a matrix, of as many lines and columns as a product needs.
struct CodeBuffer {
    std::vector<Code> codes;
    std::vector<unsigned char> bytes;

    CodeBuffer() = default;
    CodeBuffer(const Format& format, std::size_t n, const std::function<Code(const Format&)>& draw) {
        const auto size = static_cast<std::size_t>(format.bytes());
        bytes.resize(n * size + 1);
        for (std::size_t i = 0; i < n; ++i) {
            codes.push_back(draw(format));
            fast::store(bytes.data() + i * size, format.bytes(), codes.back());
        }
    }
    [[nodiscard]] const void* data() const { return bytes.empty() ? nullptr : bytes.data(); }
};

struct AccumulatedProduct {
    const Accumulator& model;
    DotFormat format;
    MatmulShape shape;
    CodeBuffer a, b, scales_a, scales_b, c;

    /// Each element by `accumulate`, a function of either model.
    template <class Accumulate>
    [[nodiscard]] std::vector<Code> each(const Accumulator& by, const Accumulate& accumulate) const {
        std::vector<Code> d;
        DotLine line;
        for (std::size_t i = 0; i < shape.m; ++i)
            for (std::size_t j = 0; j < shape.n; ++j) {
                gather(shape, {a.codes, b.codes, scales_a.codes, scales_b.codes, c.codes}, i, j, line);
                d.push_back(accumulate(by, format, line.operands(shape, c.codes[i * shape.n + j])));
            }
        return d;
    }
    [[nodiscard]] std::vector<Code> by_elements() const { return each(model, fast::accumulate); }
    [[nodiscard]] std::vector<Code> by_exact(const Accumulator& by) const { return each(by, exact::accumulate); }
    [[nodiscard]] std::vector<Code> at_once(unsigned threads, fast::Isa isa) const {
        const auto size = static_cast<std::size_t>(format.to->bytes());
        std::vector<unsigned char> d(shape.m * shape.n * size + 1, 0xA5);
        std::atomic<std::uint64_t> done = 0;
        fast::matmul(model, format, shape, {a.data(), b.data(), scales_a.data(), scales_b.data(), c.data()}, d.data(),
                     threads, isa, [&](std::uint64_t elements) { done += elements; });
        CHECK(d.back() == 0xA5);
        CHECK(done == shape.m * shape.n);
        std::vector<Code> codes;
        for (std::size_t i = 0; i < shape.m * shape.n; ++i)
            codes.push_back(fast::load(d.data() + i * size, format.to->bytes()));
        return codes;
    }
    void compare(unsigned threads = 1) const {
        const std::vector<Code> expected = by_elements();
        for (const fast::Isa isa : fast::all_isas) {
            if (!fast::runs(isa)) continue;
            CAPTURE(static_cast<int>(isa));
            REQUIRE(at_once(threads, isa) == expected);
        }
    }
};

AccumulatedProduct make_product(const Accumulator& model, const DotFormat& format, const MatmulShape& shape,
                                test::Kind kind, SplitMix64& random) {
    AccumulatedProduct product{model, format, shape, {}, {}, {}, {}, {}};
    const auto element = [&](const Format& of) {
        // A few specials among others: most lanes of a panel stay finite.
        const bool rare = kind == test::Kind::specials && random.below(200) != 0;
        return test::code_of(of, rare ? test::Kind::narrow : kind, random);
    };
    const std::uint64_t spread = random.below(3) == 0 ? 200 : 5;
    const auto scale = [&](const Format& of) -> Code {
        if (of.name != "e8m0") return test::code_of(of, test::Kind::narrow, random);
        return random.below(500) == 0 ? Code{0xFF} : 127 - spread / 2 + random.below(spread);
    };
    product.a = CodeBuffer(*format.a, shape.m * shape.k, element);
    product.b = CodeBuffer(*format.b, shape.k * shape.n, element);
    if (format.scale_a != nullptr) product.scales_a = CodeBuffer(*format.scale_a, shape.a_scales(), scale);
    if (format.scale_b != nullptr) product.scales_b = CodeBuffer(*format.scale_b, shape.b_scales(), scale);
    product.c = CodeBuffer(*format.c, shape.m * shape.n,
                           [&](const Format& of) { return random.below(3) == 0 ? Code{0} : element(of); });
    return product;
}

/// Pairs of formats that an accumulator takes: of the forms of software, which take nearly all, two.
std::vector<DotFormat> formats_to_multiply(const Accumulator& model) {
    std::vector<const Format*> scales(model.scales.begin(), model.scales.end());
    if (model.scale_use == ScaleUse::factors || scales.empty()) scales.push_back(nullptr);
    const bool many = model.operands.size() > 4;
    std::vector<DotFormat> all;
    for (const Format* a : model.operands)
        for (const Format* b : model.operands)
            for (const Format* scale : scales) {
                const bool named = (a->name == "e4m3" && b->name == "fp32") || (a->name == "e5m2" && b == a);
                const bool other_scale = scale != nullptr && scale->name != "e8m0" && model.scales.size() > 1;
                if (many && (!named || other_scale)) continue;
                const DotFormat format = dot_format(model, *a, *b, scale);
                if (takes(model, format)) all.push_back(format);
            }
    return all;
}

} // namespace

TEST_CASE("a product by an accumulator has the bits of its dot products", "[values][accumulator][matmul]") {
    SplitMix64 random(71);
    for (const Accumulator& model : accumulators()) {
        CAPTURE(model.name);
        const std::vector<DotFormat> all = formats_to_multiply(model);
        REQUIRE_FALSE(all.empty());
        for (const DotFormat& format : all)
            for (const test::Kind kind : test::all_kinds) {
                MatmulShape shape{1 + random.below(3), 1 + random.below(36), 1 + random.below(300)};
                shape.a_transposed = random.below(2) == 0;
                shape.b_transposed = random.below(2) == 0;
                const std::size_t block = std::max<std::size_t>(32, least_block(model));
                if (format.scale_a != nullptr) shape.a_scale = shape.b_scale = {block, 1};
                CAPTURE(format.a->name, format.b->name, shape.m, shape.n, shape.k, static_cast<int>(kind));
                make_product(model, format, shape, kind, random).compare();
            }
    }
}

TEST_CASE("a product by an accumulator is the same on several threads and in any rounding mode",
          "[accumulator][matmul]") {
    SplitMix64 random(72);
    for (const char* name : {"hopper_fp8_f32", "blackwell_mxf8f6f4", "fp32_fma", "fp32_blocks_32", "fp64_fma"}) {
        const Accumulator& model = accumulator(name);
        const Format* scale = model.scale_use == ScaleUse::exponents ? &e8m0 : nullptr;
        const DotFormat format = dot_format(model, e4m3, e4m3, scale);
        MatmulShape shape{70, 67, 64};
        if (scale != nullptr) shape.a_scale = shape.b_scale = {32, 1};
        const AccumulatedProduct product = make_product(model, format, shape, test::Kind::narrow, random);
        const std::vector<Code> expected = product.by_elements();
        for (const int mode : {FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST}) {
            REQUIRE(std::fesetround(mode) == 0);
            const std::vector<Code> codes = product.at_once(3, fast::best_isa());
            const int left = std::fegetround();
            std::fesetround(FE_TONEAREST);
            CAPTURE(name, mode);
            CHECK(left == mode);
            REQUIRE(codes == expected);
        }
    }
}

TEST_CASE("a product by an accumulator refuses what it cannot be", "[accumulator][matmul]") {
    const Accumulator& model = accumulator("hopper_fp8_f32");
    const DotFormat format = dot_format(model, e4m3, e4m3);
    const std::vector<unsigned char> a(4, 0x38);
    const std::vector<unsigned char> c(16, 0);
    std::vector<unsigned char> d(16);
    const fast::MatmulBuffers buffers{a.data(), a.data(), nullptr, nullptr, c.data()};
    const MatmulShape shape{2, 2, 2};
    using Catch::Contains;
    CHECK_THROWS_WITH(fast::matmul(model, dot_format(model, fp16, fp16), shape, buffers, d.data()),
                      Contains("does not take these formats"));
    CHECK_THROWS_WITH(fast::matmul(model, format, shape, buffers, d.data(), 0), Contains("one thread at least"));
    CHECK_THROWS_WITH(fast::matmul(model, format, shape, buffers, nullptr), Contains("the matrix D is missing"));
    CHECK_THROWS_WITH(fast::matmul(model, format, shape, {a.data(), a.data(), nullptr, nullptr, nullptr}, d.data()),
                      Contains("the matrix C is missing"));
    CHECK_THROWS_WITH(fast::matmul(model, format, shape, {a.data(), a.data(), nullptr, nullptr, d.data()}, d.data()),
                      Contains("D lies over C"));
    const Accumulator& scaled = accumulator("deepgemm_hopper_fp8");
    MatmulShape of_blocks = shape;
    of_blocks.a_scale = of_blocks.b_scale = {32, 1};
    const std::vector<unsigned char> scales(16, 0);
    CHECK_THROWS_WITH(fast::matmul(scaled, dot_format(scaled, e4m3, e4m3, &fp32), of_blocks,
                                   {a.data(), a.data(), scales.data(), scales.data(), c.data()}, d.data()),
                      Contains("multiples of 128"));
    // A sum of nothing is C,
    // and so a NaN keeps the sign and the payload that no sum does.
    for (const std::vector<unsigned char>& alone :
         {std::vector<unsigned char>{0x00, 0x00, 0x80, 0x3F}, {0x01, 0x00, 0xC0, 0xFF}}) {
        fast::matmul(model, format, {1, 1, 0}, {nullptr, nullptr, nullptr, nullptr, alone.data()}, d.data());
        CHECK(std::equal(alone.begin(), alone.end(), d.begin()));
    }
}

namespace {

using Operands = std::span<const Format* const>;

constexpr Format fp16_finite = [] {
    Format format = fp16;
    format.name = "fp16_finite";
    format.specials = Specials::none;
    return format;
}();
constexpr std::array wide_operands{&fp64, &fp32, &fp16, &e5m2, &e4m3, &fp16_finite};
constexpr std::array float_scale{&ue4m3};

/// An accumulator that differs in one thing from one that has lanes, or operands that differ.
struct Beside {
    const char* base;
    const char* difference;
    void (*change)(Accumulator&);
    const Format& a;
    const Format& b;
    const Format* scale = nullptr;
};

constexpr auto any_wide = [](Accumulator& model) {
    model.operands = wide_operands;
    model.mixed = true;
};

const Beside beside_floats[] = {
    {"fp32_fma", "arithmetic toward zero",
     [](Accumulator& model) { model.arithmetic_rounding = Rounding::toward_zero; }, e4m3, fp32},
    {"fp32_fma", "flushed", [](Accumulator& model) { model.flush = true; }, e5m2, e5m2},
    {"fp32_blocks_32", "promoted", [](Accumulator& model) { model.promote = 64; }, e4m3, fp32},
    {"fp32_fma", "a of 64 bits", any_wide, fp64, fp32},
    {"fp32_fma", "b of 64 bits", any_wide, fp32, fp64},
    {"fp64_fma", "a of 64 bits", any_wide, fp64, e5m2},
    {"fp32_fma", "to FP16",
     [](Accumulator& model) {
         model.result = &fp16;
         model.result_fraction = fp16.fraction_bits;
     },
     e5m2, e5m2},
    {"fp32_fma", "13 bits of the result", [](Accumulator& model) { model.result_fraction = 13; }, e4m3, fp32},
    {"fp64_fma", "result toward zero", [](Accumulator& model) { model.rounding = Rounding::toward_zero; }, e4m3, fp32},
    {"fp64_fma", "saturating", [](Accumulator& model) { model.overflow = Overflow::sat_finite; }, fp32, fp32},
    {"fp32_fma", "sign of zero dropped", [](Accumulator& model) { model.zero_sign = ZeroSign::dropped; }, fp32, fp32},
};

const Beside beside_aligned[] = {
    {"blackwell_fp8_f16", "sign of zero kept", [](Accumulator& model) { model.zero_sign = ZeroSign::kept; }, e5m2,
     e5m2},
    {"blackwell_fp8_f32", "result to odd", [](Accumulator& model) { model.rounding = Rounding::to_odd; }, e4m3, e5m2},
    {"blackwell_fp8_f16", "result up", [](Accumulator& model) { model.rounding = Rounding::up; }, e4m3, e5m2},
    {"blackwell_fp8_f32", "all in one group", [](Accumulator& model) { model.group = 0; }, e4m3, e4m3},
    {"hopper_f16_f32", "a of 32 bits", any_wide, fp32, fp16},
    {"hopper_f16_f32", "b of 32 bits", any_wide, fp16, fp32},
    {"hopper_f16_f32", "16 bits and eight", any_wide, fp16, e4m3},
    {"hopper_f16_f32", "16 bits without Inf", any_wide, fp16_finite, fp16_finite},
    {"blackwell_fp8_f32", "scales that are factors",
     [](Accumulator& model) {
         model.scale_use = ScaleUse::factors;
         model.scales = float_scale;
     },
     e4m3, e5m2, &ue4m3},
};

/// Compares products with both models element by element; whether one of them is not what the accumulator without the
/// difference makes.
bool compare_beside(const Beside& beside, const Accumulator& model, SplitMix64& random) {
    const Accumulator& base = accumulator(beside.base);
    const DotFormat format = dot_format(model, beside.a, beside.b, beside.scale);
    bool told = false;
    for (const test::Kind kind : test::all_kinds)
        for (const std::size_t k : {std::size_t{1}, std::size_t{3}, std::size_t{100}}) {
            MatmulShape shape{2, 9, k};
            if (beside.scale != nullptr) shape.a_scale = shape.b_scale = {32, 1};
            const AccumulatedProduct product = make_product(model, format, shape, kind, random);
            CAPTURE(beside.base, beside.difference, static_cast<int>(kind), k);
            const std::vector<Code> expected = product.by_exact(model);
            REQUIRE(product.by_elements() == expected);
            product.compare();
            if (takes(base, format)) told = told || product.by_exact(base) != expected;
        }
    return told || !takes(base, format);
}

} // namespace

TEST_CASE("an accumulator beside those with lanes has the bits of its dot products", "[accumulator][matmul]") {
    SplitMix64 random(73);
    for (const Beside& beside : beside_floats) {
        Accumulator model = accumulator(beside.base);
        const bool is_float = model.arithmetic->name == fp32.name;
        const DotFormat of_base = dot_format(model, e4m3, fp32);
        REQUIRE(
            (is_float ? fast::has_float_lanes<float>(model, of_base) : fast::has_float_lanes<double>(model, of_base)));
        beside.change(model);
        CAPTURE(beside.base, beside.difference);
        const DotFormat format = dot_format(model, beside.a, beside.b);
        CHECK_FALSE(fast::has_float_lanes<float>(model, format));
        CHECK_FALSE(fast::has_float_lanes<double>(model, format));
        CHECK(compare_beside(beside, model, random));
    }
    for (const Beside& beside : beside_aligned) {
        Accumulator model = accumulator(beside.base);
        const Format& operand = *model.operands.front();
        REQUIRE(fast::has_aligned_lanes(model, dot_format(model, operand, operand)));
        beside.change(model);
        CAPTURE(beside.base, beside.difference);
        CHECK_FALSE(fast::has_aligned_lanes(model, dot_format(model, beside.a, beside.b, beside.scale)));
        CHECK(compare_beside(beside, model, random));
    }
}

TEST_CASE("scales of a product that all elements share", "[accumulator][matmul]") {
    SplitMix64 random(74);
    for (const auto& [name, scale] : {std::pair{"blackwell_mxf8f6f4", &e8m0}, {"deepgemm_hopper_fp8", &fp32}})
        for (const SharedScale& shared : {SharedScale{0, 1}, SharedScale{0, 0}})
            for (const bool of_a : {false, true}) {
                const Accumulator& model = accumulator(name);
                MatmulShape shape{2, 18, 200};
                shape.a_scale = of_a ? shared : SharedScale{128, 1};
                shape.b_scale = of_a ? SharedScale{128, 1} : shared;
                const DotFormat format = dot_format(model, e4m3, e4m3, scale);
                const AccumulatedProduct product = make_product(model, format, shape, test::Kind::narrow, random);
                CAPTURE(name, shared.across, of_a);
                CHECK(product.by_exact(model) == product.by_elements());
                product.compare();
            }
}

TEST_CASE("promoted sums beyond FP32 are Inf, and NaN where their scales are Inf and they differ in sign",
          "[accumulator][matmul]") {
    const Accumulator& model = accumulator("deepgemm_hopper_fp8");
    const DotFormat format = dot_format(model, e4m3, e4m3, &fp32);
    MatmulShape shape{1, 3, 256};
    shape.a_scale = shape.b_scale = {128, 1};
    AccumulatedProduct product{model, format, shape, {}, {}, {}, {}, {}};
    const auto all = [](Code code) { return [code](const Format&) { return code; }; };
    product.a = CodeBuffer(e4m3, 256, all(0x7E));
    std::size_t at = 0;
    // Of the columns the first half is 448, 448 and 1; the second half 448, -448 and 1.
    product.b = CodeBuffer(e4m3, 3 * 256, [&](const Format&) -> Code {
        const std::size_t i = at++;
        if (i % 3 == 2) return 0x38;
        return i % 3 == 1 && i / 3 >= 128 ? 0xFE : 0x7E;
    });
    product.scales_a = CodeBuffer(fp32, 2, all(0x5D800000)); // 2^60
    at = 0;
    // 2^60, 2^70 and 1: in the second column the product of the scales is Inf.
    constexpr Code of_columns[] = {0x5D800000, 0x62800000, 0x3F800000};
    product.scales_b = CodeBuffer(fp32, 6, [&](const Format&) { return of_columns[at++ % 3]; });
    product.c = CodeBuffer(fp32, 3, all(0x3F800000));
    // 2 x 128 x 448 x 2^60, the 1 lost: 448 x 2^68.
    CHECK(product.by_exact(model) == std::vector<Code>{0x7F800000, 0x7FFFFFFF, 0x65E00000});
    CHECK(product.by_elements() == std::vector<Code>{0x7F800000, 0x7FFFFFFF, 0x65E00000});
    product.compare();
}

TEST_CASE("a product far below the smallest number of the result is zero", "[accumulator][matmul]") {
    // A zero has an exponent below that of the product, which nothing moves up then.
    Accumulator model = accumulator("blackwell_mxf8f6f4");
    model.zero_exponent = -1000;
    const DotFormat format = dot_format(model, e4m3, e4m3, &e8m0);
    const std::vector<Code> one{0x38};
    const std::vector<Code> minus_one{0xB8};
    const std::vector<Code> smallest{0};
    for (const std::vector<Code>& a : {one, minus_one})
        for (const Rounding rounding : {Rounding::toward_zero, Rounding::nearest_even}) {
            model.rounding = rounding;
            CHECK(exact::accumulate(model, format, {a, one, smallest, smallest, 32, 32, 0}) == 0);
            CHECK(fast::accumulate(model, format, {a, one, smallest, smallest, 32, 32, 0}) == 0);
            CHECK(fast::accumulate(model, format, {a, one, smallest, smallest, 32, 32, 0x80000001}) == 0x80000001);
            AccumulatedProduct product{model, format, {1, 3, 1, false, false, {32, 1}, {32, 1}}, {}, {}, {}, {}, {}};
            const auto all = [](Code code) { return [code](const Format&) { return code; }; };
            product.a = CodeBuffer(e4m3, 1, all(a.front()));
            product.b = CodeBuffer(e4m3, 3, all(0x38));
            product.scales_a = CodeBuffer(e8m0, 1, all(0));
            product.scales_b = CodeBuffer(e8m0, 3, all(0));
            product.c = CodeBuffer(fp32, 3, all(0));
            CHECK(product.by_elements() == std::vector<Code>(3, 0));
            product.compare();
        }
}

TEST_CASE("a scale that is NaN makes the group NaN, whatever the next one is", "[accumulator]") {
    const Accumulator& model = accumulator("blackwell_mxf8f6f4");
    const DotFormat format = dot_format(model, e4m3, e4m3, &e8m0);
    const std::vector<Code> ones(32, 0x38);
    const std::vector<Code> fine{127, 127};
    for (const std::vector<Code>& scales : {std::vector<Code>{0xFF, 127}, {127, 0xFF}, {0xFF, 0xFF}}) {
        CHECK(exact::accumulate(model, format, {ones, ones, scales, fine, 16, 16, 0}) == 0x7FFFFFFF);
        CHECK(fast::accumulate(model, format, {ones, ones, scales, fine, 16, 16, 0}) == 0x7FFFFFFF);
        CHECK(fast::accumulate(model, format, {ones, ones, fine, scales, 16, 16, 0}) == 0x7FFFFFFF);
    }
    CHECK(fast::accumulate(model, format, {ones, ones, fine, fine, 16, 16, 0}) == 0x42000000);
}
