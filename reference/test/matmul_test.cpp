// SPDX-License-Identifier: Apache-2.0
// Matrix products: the fast model by every instruction set against the exact one.
#include "reference/fast/matmul/matmul.hpp"

#include <bit>
#include <cfenv>
#include <cstring>

#include "catch.hpp"
#include "reference/exact/block.hpp"
#include "reference/exact/dot.hpp"
#include "reference/exact/matmul_mx.hpp"
#include "reference/fast/codes.hpp"
#include "reference/fast/matmul/mx.hpp"
#include "reference/test/dot_cases.hpp"

using namespace mxcert;
using namespace mxcert::formats;

namespace {

struct Matrices {
    std::vector<Code> a, b, scales_a, scales_b, c;

    [[nodiscard]] MatmulOperands operands() const { return {a, b, scales_a, scales_b, c}; }
};

/// How the scales lie.
enum class Spread : std::uint8_t { same, near, apart, far, all, nan };

Matrices make(const DotFormat& format, const MatmulShape& shape, test::Kind kind, Spread spread, SplitMix64& random) {
    Matrices result;
    for (std::size_t i = 0; i < shape.m * shape.k; ++i) result.a.push_back(test::code_of(*format.a, kind, random));
    for (std::size_t i = 0; i < shape.n * shape.k; ++i) result.b.push_back(test::code_of(*format.b, kind, random));
    const auto scale = [&](const Format& format) -> Code {
        if (format.name != "e8m0") return test::code_of(format, test::Kind::narrow, random);
        switch (spread) {
        case Spread::same: return 127;
        case Spread::near: return 125 + random.below(5);
        case Spread::apart: return 122 + random.below(11);
        case Spread::nan: return random.below(8) == 0 ? 0xFF : 127;
        case Spread::far: return 100 + random.below(60);
        case Spread::all: break;
        }
        return random.below(kind == test::Kind::specials ? 256 : 255);
    };
    if (format.scale_a != nullptr)
        for (std::size_t i = 0; i < shape.a_scales(); ++i) result.scales_a.push_back(scale(*format.scale_a));
    if (format.scale_b != nullptr)
        for (std::size_t i = 0; i < shape.b_scales(); ++i) result.scales_b.push_back(scale(*format.scale_b));
    if (format.c != nullptr)
        for (std::size_t i = 0; i < shape.m * shape.n; ++i)
            result.c.push_back(random.below(3) == 0 ? Code{0} : test::code_of(*format.c, kind, random));
    return result;
}

std::vector<unsigned char> bytes(const Format* format, const std::vector<Code>& codes) {
    if (format == nullptr) return {};
    const auto size = static_cast<std::size_t>(format->bytes());
    std::vector<unsigned char> all(codes.size() * size + 1);
    for (std::size_t i = 0; i < codes.size(); ++i) fast::store(all.data() + i * size, format->bytes(), codes[i]);
    return all;
}

std::vector<Code> fast_matmul(const DotFormat& format, const Choices& choices, const MatmulShape& shape,
                              const Matrices& matrices, unsigned threads, fast::Isa isa) {
    const auto a = bytes(format.a, matrices.a), b = bytes(format.b, matrices.b);
    const auto sa = bytes(format.scale_a, matrices.scales_a), sb = bytes(format.scale_b, matrices.scales_b);
    const auto c = bytes(format.c, matrices.c);
    const auto size = static_cast<std::size_t>(format.to->bytes());
    std::vector<unsigned char> d(shape.m * shape.n * size + 1, 0xA5);
    fast::matmul(format, choices, shape,
                 {a.data(), b.data(), sa.empty() ? nullptr : sa.data(), sb.empty() ? nullptr : sb.data(),
                  c.empty() ? nullptr : c.data()},
                 d.data(), threads, isa);
    CHECK(d.back() == 0xA5);
    std::vector<Code> codes;
    for (std::size_t i = 0; i < shape.m * shape.n; ++i)
        codes.push_back(fast::load(d.data() + i * size, format.to->bytes()));
    return codes;
}

void compare(const DotFormat& format, const MatmulShape& shape, const Matrices& matrices, const Choices& choices) {
    const std::vector<Code> expected = exact::matmul(format, choices, shape, matrices.operands());
    for (const fast::Isa isa : fast::all_isas) {
        if (!fast::runs(isa)) continue;
        CAPTURE(static_cast<int>(isa));
        REQUIRE(fast_matmul(format, choices, shape, matrices, 2, isa) == expected);
    }
}

constexpr SharedScale blocks{32, 1};
DotFormat mx_to(const Format& a, const Format& b, const Format& to) { return {&a, &b, &e8m0, &e8m0, &fp32, &to}; }

} // namespace

TEST_CASE("matrix products of both models agree, whatever the scales", "[values][matmul]") {
    SplitMix64 random(41);
    const DotFormat all[] = {mx_to(e4m3, e4m3, fp32),
                             mx_to(e4m3, e5m2, bf16),
                             mx_to(e5m2, e5m2, fp32),
                             mx_to(e2m1, e2m1, fp16),
                             mx_to(e4m3, e4m3, fp64),
                             mx_to(e4m3, e4m3fnuz, e4m3),
                             {&e4m3, &e4m3, nullptr, nullptr, nullptr, &fp64}};
    for (const DotFormat& format : all)
        for (const Spread spread : {Spread::same, Spread::near, Spread::apart, Spread::far, Spread::all, Spread::nan})
            for (const test::Kind kind :
                 {test::Kind::finite, test::Kind::specials, test::Kind::subnormal, test::Kind::extremes}) {
                const bool scaled = format.scale_a != nullptr;
                MatmulShape shape{1 + random.below(11), 1 + random.below(27), 1 + random.below(100)};
                if (scaled) shape.a_scale = shape.b_scale = blocks;
                CAPTURE(format.a->name, format.b->name, shape.m, shape.n, shape.k, static_cast<int>(spread));
                const Matrices matrices = make(format, shape, kind, spread, random);
                const Rounding rounding = random.below(2) == 0 ? Rounding::nearest_even : Rounding::down;
                compare(format, shape, matrices, dot_choices(rounding));
            }
}

TEST_CASE("scales of rows, tensors and tiles, transposed operands, threads", "[values][matmul]") {
    SplitMix64 random(42);
    for (const SharedScale& a_scale : {SharedScale{0, 1}, SharedScale{0, 0}, SharedScale{16, 1}})
        for (const SharedScale& b_scale : {SharedScale{48, 2}, SharedScale{0, 0}, SharedScale{32, 32}})
            for (const bool a_transposed : {false, true})
                for (const bool b_transposed : {false, true}) {
                    const MatmulShape shape{9, 25, 70, a_transposed, b_transposed, a_scale, b_scale};
                    const DotFormat format = mx_to(e4m3, e4m3, fp32);
                    const Matrices matrices = make(format, shape, test::Kind::narrow, Spread::near, random);
                    CAPTURE(a_scale.along, b_scale.along, a_transposed, b_transposed);
                    compare(format, shape, matrices, dot_choices());
                }
    // What a transposed operand is: the same product.
    const DotFormat format = mx_to(e4m3, e4m3, fp32);
    const MatmulShape shape{3, 5, 64, false, false, blocks, blocks};
    const Matrices matrices = make(format, shape, test::Kind::narrow, Spread::far, random);
    MatmulShape other_matmul_shape = shape;
    other_matmul_shape.a_transposed = other_matmul_shape.b_transposed = true;
    Matrices transposed = matrices;
    for (std::size_t l = 0; l < shape.k; ++l) {
        for (std::size_t i = 0; i < shape.m; ++i) transposed.a[l * shape.m + i] = matrices.a[i * shape.k + l];
        for (std::size_t j = 0; j < shape.n; ++j) transposed.b[j * shape.k + l] = matrices.b[l * shape.n + j];
    }
    for (std::size_t t = 0; t < 2; ++t) {
        for (std::size_t i = 0; i < shape.m; ++i) transposed.scales_a[t * shape.m + i] = matrices.scales_a[i * 2 + t];
        for (std::size_t j = 0; j < shape.n; ++j) transposed.scales_b[j * 2 + t] = matrices.scales_b[t * shape.n + j];
    }
    CHECK(exact::matmul(format, dot_choices(), other_matmul_shape, transposed.operands()) ==
          exact::matmul(format, dot_choices(), shape, matrices.operands()));
}

TEST_CASE("float scales and wide operands go element by element", "[matmul]") {
    SplitMix64 random(43);
    const DotFormat format{&e4m3, &e4m3, &fp32, &fp32, nullptr, &bf16};
    CHECK_FALSE(fast::is_quick(format));
    CHECK(fast::is_quick(mx_to(e4m3, e5m2, fp32)));
    CHECK_FALSE(fast::is_quick(mx_to(e5m2, e5m2, fp32)));
    const MatmulShape shape{5, 3, 40, false, false, {128, 1}, {128, 128}};
    compare(format, shape, make(format, shape, test::Kind::narrow, Spread::near, random), dot_choices());
}

TEST_CASE("a matrix product does not depend on threads, rounding mode or the length of sums", "[values][matmul]") {
    SplitMix64 random(44);
    const DotFormat format{&e4m3, &e4m3, &e8m0, &e8m0, nullptr, &fp32};
    for (const Spread spread : {Spread::near, Spread::apart, Spread::far}) {
        const MatmulShape shape{40, 60, 700, false, false, blocks, blocks};
        const Matrices matrices = make(format, shape, test::Kind::finite, spread, random);
        const std::vector<Code> expected = fast_matmul(format, dot_choices(), shape, matrices, 1, fast::Isa::baseline);
        for (const unsigned threads : {1U, 2U, 3U})
            CHECK(fast_matmul(format, dot_choices(), shape, matrices, threads, fast::best_isa()) == expected);
        DotLine line;
        for (const std::size_t at : {std::size_t{0}, std::size_t{61}, std::size_t{2399}}) {
            gather(shape, matrices.operands(), at / 60, at % 60, line);
            CHECK(exact::dot(format, dot_choices(), line.operands(shape, 0)) == expected[at]);
        }
        for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
            REQUIRE(std::fesetround(mode) == 0);
            const std::vector<Code> found = fast_matmul(format, dot_choices(), shape, matrices, 1, fast::best_isa());
            std::fesetround(FE_TONEAREST);
            CHECK(found == expected);
        }
    }
}

TEST_CASE("sums at both ends of the result's range", "[matmul]") {
    // 11...1, a bit more than the significand holds, under scales that bring it from below the normal numbers to beyond
    // the largest: it is a tie, and its carry begins the next binade.
    for (const Format* to : {&fp16, &bf16, &fp32})
        for (const Overflow overflow : {Overflow::sat, Overflow::nosat}) {
            const DotFormat format{&e4m3, &e4m3, &e8m0, &e8m0, nullptr, to};
            const int ones = to->fraction_bits + 2;
            Matrices matrices;
            for (int left = ones; left > 0; left -= 4) {
                const int last = left - std::min(left, 4) - ones; // 2^last is the lowest of up to four ones
                const int fraction = left >= 4 ? 7 : (0b110 << (left - 1)) & 7;
                const int half = last / 2 + 13;
                const int top = left >= 4 ? 3 : left - 1;
                matrices.a.push_back(static_cast<Code>((half + top) << 3 | fraction));
                matrices.b.push_back(static_cast<Code>((last - last / 2 + 14) << 3));
            }
            // A second row without the second four ones carries nothing.
            const MatmulShape shape{2, 1, matrices.b.size(), false, false, {0, 0}, {0, 0}};
            const std::vector<Code> row = matrices.a;
            matrices.a.insert(matrices.a.end(), row.begin(), row.end());
            matrices.a[shape.k + 1] = 0;
            Choices choices = dot_choices();
            choices.overflow = overflow;
            for (int binade = to->emin() - to->fraction_bits - 3; binade <= to->emax() + 3; ++binade) {
                const int scale = binade - 12;
                matrices.scales_a = {static_cast<Code>(127 + scale / 2)};
                matrices.scales_b = {static_cast<Code>(127 + scale - scale / 2)};
                CAPTURE(to->name, binade);
                compare(format, shape, matrices, choices);
            }
        }
}

TEST_CASE("zeros of a matrix product have the sign of the sum", "[matmul]") {
    const DotFormat format{&e4m3, &e4m3, &e8m0, &e8m0, nullptr, &fp32};
    const MatmulShape shape{2, 3, 65, false, false, blocks, blocks};
    Matrices matrices;
    matrices.a.assign(2 * 65, 0x80);
    matrices.b.assign(3 * 65, 0x38);
    matrices.scales_a.assign(2 * 3, 127);
    matrices.scales_b.assign(3 * 3, 0);
    matrices.b[64 * 3 + 1] = 0xB8;
    for (const Rounding rounding : {Rounding::nearest_even, Rounding::down}) {
        compare(format, shape, matrices, dot_choices(rounding));
        const auto d = exact::matmul(format, dot_choices(rounding), shape, matrices.operands());
        CHECK(d[0] == 0x80000000);
        CHECK(d[1] == (rounding == Rounding::down ? 0x80000000 : 0));
    }
}

TEST_CASE("matrix products to MXFP8, scales given or made", "[matmul][values]") {
    SplitMix64 random(46);
    BlockChoices choices;
    choices.scale = BlockChoices::with_rule(ScaleRule::rceil);
    for (const Format* to : {&fp32, &bf16})
        for (const Format* element : {&e4m3, &e5m2})
            for (const bool is_given : {false, true}) {
                const MatmulShape shape{3, 70, 64, false, false, blocks, blocks};
                const DotFormat format{&e4m3, &e4m3, &e8m0, &e8m0, nullptr, to};
                const Matrices matrices = make(format, shape, test::Kind::narrow, Spread::near, random);
                std::vector<Code> codes;
                for (int i = 0; i < 3 * 3 && is_given; ++i) codes.push_back(i == 4 ? 0xFF : 120 + random.below(20));
                const exact::MxMatrix expected =
                    exact::matmul_mx(format, dot_choices(), shape, matrices.operands(), *element, choices, 32, codes);
                const std::vector<Code> d = exact::matmul(format, dot_choices(), shape, matrices.operands());
                if (!is_given) {
                    const auto block =
                        exact::quantize({to, element}, choices, std::span(d).subspan(70 + 64, 6)); // the last of row 1
                    CHECK(expected.scales.at(5) == block.scale);
                    CHECK(expected.elements.at(70 + 69) == block.elements.at(5));
                }
                const auto a = bytes(format.a, matrices.a), b = bytes(format.b, matrices.b);
                const auto sa = bytes(&e8m0, matrices.scales_a), sb = bytes(&e8m0, matrices.scales_b);
                const std::vector<std::uint8_t> of_given(codes.begin(), codes.end());
                std::vector<std::uint8_t> elements(3 * 70), scales(3 * 3);
                fast::matmul_mx(format, dot_choices(), shape, {a.data(), b.data(), sa.data(), sb.data(), nullptr},
                                *element, choices, 32, is_given ? of_given.data() : nullptr, elements.data(),
                                scales.data());
                CHECK(std::vector<Code>(elements.begin(), elements.end()) == expected.elements);
                CHECK(std::vector<Code>(scales.begin(), scales.end()) == expected.scales);
            }
}

TEST_CASE("what a matrix product refuses", "[matmul]") {
    SplitMix64 random(45);
    const DotFormat format = mx_to(e2m1, e2m1, fp32);
    const MatmulShape shape{2, 2, 32, false, false, blocks, blocks};
    Matrices matrices = make(format, shape, test::Kind::narrow, Spread::near, random);
    CHECK_THROWS_AS(fast_matmul(format, dot_choices(Rounding::stochastic_a), shape, matrices, 1, fast::best_isa()),
                    std::invalid_argument);
    CHECK_THROWS_AS(exact::matmul(format, dot_choices(Rounding::stochastic_a), shape, matrices.operands()),
                    std::invalid_argument);
    CHECK_THROWS_AS(fast_matmul(format, dot_choices(), shape, matrices, 0, fast::best_isa()), std::invalid_argument);
    float d[4];
    CHECK_THROWS_AS(fast::matmul(format, dot_choices(), shape, {matrices.a.data()}, d), std::invalid_argument);
    matrices.a[7] = 0x10;
    CHECK_THROWS_AS(fast_matmul(format, dot_choices(), shape, matrices, 1, fast::best_isa()), std::out_of_range);
    matrices.a.pop_back();
    CHECK_THROWS_AS(exact::matmul(format, dot_choices(), shape, matrices.operands()), std::invalid_argument);
}

TEST_CASE("a matrix product without products is C, one of a single product rounds it once", "[matmul]") {
    SplitMix64 random(46);
    for (const bool has_c : {false, true}) {
        DotFormat format = mx_to(e4m3, e5m2, fp32);
        if (!has_c) format.c = nullptr;
        for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
            const MatmulShape shape{3, 5, k, false, true, blocks, blocks};
            const Matrices matrices = make(format, shape, test::Kind::narrow, Spread::near, random);
            compare(format, shape, matrices, dot_choices());
            if (k != 0) continue;
            const std::vector<Code> d = exact::matmul(format, dot_choices(), shape, matrices.operands());
            CHECK(d == (has_c ? matrices.c : std::vector<Code>(15, 0)));
        }
    }
    // Nothing at all.
    const DotFormat plain{&e4m3, &e4m3, nullptr, nullptr, nullptr, &fp32};
    CHECK(exact::matmul(plain, dot_choices(), {0, 7, 3}, {{}, std::vector<Code>(21, 0), {}, {}, {}}).empty());
    fast::matmul(plain, dot_choices(), {0, 0, 0}, {}, nullptr);
}

TEST_CASE("operands that are all NaN make a matrix of NaN", "[matmul]") {
    const DotFormat format{&e4m3, &e4m3, nullptr, nullptr, nullptr, &fp32};
    const MatmulShape shape{9, 30, 64};
    Matrices matrices;
    matrices.a.assign(shape.m * shape.k, 0x7F);
    matrices.b.assign(shape.k * shape.n, 0xFF);
    compare(format, shape, matrices, dot_choices());
    for (const Code code : fast_matmul(format, dot_choices(), shape, matrices, 2, fast::best_isa()))
        CHECK(fp32.is_nan(code));
}

TEST_CASE("a matrix product refuses sizes that overflow, and to write over its operands", "[matmul]") {
    const DotFormat format{&e4m3, &e4m3, nullptr, nullptr, &fp32, &fp32};
    const auto refusal = [&](const MatmulShape& shape, const fast::MatmulBuffers& operands, void* d) -> std::string {
        try {
            fast::matmul(format, dot_choices(), shape, operands, d);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    std::vector<unsigned char> a(64), b(64);
    std::vector<float> c(16), d(16);
    constexpr std::size_t huge = std::size_t{1} << 33U;
    for (const MatmulShape& shape : {MatmulShape{huge, 4, huge}, MatmulShape{4, huge, huge}, MatmulShape{huge, huge, 4},
                                     MatmulShape{~std::size_t{0}, 1, 1}, MatmulShape{huge, huge, 0}}) {
        CHECK_THAT(refusal(shape, {a.data(), b.data(), nullptr, nullptr, c.data()}, d.data()),
                   Catch::Matchers::Contains(" is too large"));
        CHECK_THROWS_AS(exact::matmul(format, dot_choices(), shape, {}), std::invalid_argument);
    }
    const MatmulShape shape{4, 4, 16};
    CHECK(refusal(shape, {a.data(), b.data(), nullptr, nullptr, c.data()}, d.data()).empty());
    CHECK(refusal(shape, {a.data(), b.data(), nullptr, nullptr, c.data()}, c.data()) == "D lies over C");
    CHECK(refusal(shape, {d.data() + 15, b.data(), nullptr, nullptr, c.data()}, d.data()) == "D lies over A");
    CHECK(refusal(shape, {a.data(), d.data(), nullptr, nullptr, c.data()}, d.data() + 15) == "D lies over B");
}

TEST_CASE("operands that are no small signed floats go element by element", "[matmul]") {
    SplitMix64 random(47);
    const DotFormat others[] = {
        {&fp16, &e4m3, nullptr, nullptr, nullptr, &fp32}, {&e4m3, &bf16, nullptr, nullptr, nullptr, &fp32},
        {&e8m0, &e4m3, nullptr, nullptr, nullptr, &fp32}, {&ue4m3, &e4m3, nullptr, nullptr, nullptr, &fp32},
        {&e4m3, &e4m3, &ue4m3, &e8m0, nullptr, &fp32},    {&e4m3, &e4m3, &e8m0, &ue4m3, nullptr, &fp32},
    };
    for (const DotFormat& format : others) {
        CAPTURE(format.a->name, format.b->name);
        CHECK_FALSE(fast::is_quick(format));
        MatmulShape shape{3, 4, 33};
        if (format.scale_a != nullptr) shape.a_scale = shape.b_scale = blocks;
        for (const test::Kind kind : {test::Kind::finite, test::Kind::specials})
            compare(format, shape, make(format, shape, kind, Spread::near, random), dot_choices());
    }
}

TEST_CASE("a sum of more than 62 bits is exact", "[matmul]") {
    // 2^18 products of 448 x 448, those of the first block times 2^-10.
    constexpr std::size_t k = std::size_t{1} << 18;
    const DotFormat format{&e4m3, &e4m3, &e8m0, nullptr, nullptr, &fp64};
    const MatmulShape shape{1, 2, k, false, true, blocks, {}};
    Matrices matrices;
    matrices.a.assign(k, 0x7E);
    matrices.b.assign(k, 0x7E);
    matrices.b.insert(matrices.b.end(), k, 0xFE);
    matrices.scales_a.assign(k / 32, 127);
    matrices.scales_a[0] = 117;
    const double expected = 448.0 * 448.0 * (double{k - 32} + 32.0 / 1024);
    for (const fast::Isa isa : fast::all_isas) {
        if (!fast::runs(isa)) continue;
        CHECK(fast_matmul(format, dot_choices(), shape, matrices, 1, isa) ==
              std::vector<Code>{std::bit_cast<Code>(expected), std::bit_cast<Code>(-expected)});
    }
}

TEST_CASE("a zero of C counts for the sign of a sum that is zero", "[matmul]") {
    const DotFormat format{&e4m3, &e4m3, nullptr, nullptr, &fp32, &fp32};
    const MatmulShape shape{1, 4, 3};
    // Products are -0 in the first two columns and +0 in the others.
    Matrices matrices;
    matrices.a.assign(3, 0x80);
    for (int l = 0; l < 3; ++l) matrices.b.insert(matrices.b.end(), {0x38, 0x38, 0xB8, 0xB8});
    matrices.c = {0x80000000, 0, 0x80000000, 0};
    for (const Rounding rounding : {Rounding::nearest_even, Rounding::down}) {
        const Code mixed = rounding == Rounding::down ? 0x80000000 : 0;
        CHECK(exact::matmul(format, dot_choices(rounding), shape, matrices.operands()) ==
              std::vector<Code>{0x80000000, mixed, mixed, 0});
        compare(format, shape, matrices, dot_choices(rounding));
    }
}

TEST_CASE("a matrix product to MXFP8 refuses blocks that are none", "[matmul]") {
    const DotFormat format{&e4m3, &e4m3, nullptr, nullptr, nullptr, &fp32};
    const MatmulShape shape{2, 2, 2};
    const std::vector<unsigned char> ones(4, 0x38);
    std::uint8_t elements[4] = {};
    std::uint8_t scales[4] = {};
    const auto refusal = [&](const Format& to, const BlockChoices& choices, std::size_t block) -> std::string {
        DotFormat format_of_to = format;
        format_of_to.to = &to;
        try {
            fast::matmul_mx(format_of_to, dot_choices(), shape, {ones.data(), ones.data()}, e4m3, choices, block,
                            nullptr, elements, scales);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    BlockChoices choices;
    CHECK(refusal(fp32, choices, 2).empty());
    CHECK(refusal(fp32, choices, 0) == "a block has at least one value");
    choices.element.via = Via::fp16_nearest_even;
    CHECK(refusal(fp32, choices, 2) == "the fast model does not offer these blocks");
    CHECK(refusal(fp64, BlockChoices{}, 2) == "the fast model does not offer these blocks");
}

TEST_CASE("a matrix of nothing lies over no operand", "[matmul]") {
    const DotFormat format{&e4m3, &e4m3, nullptr, nullptr, nullptr, &fp32};
    std::vector<unsigned char> b(16, 0x38);
    fast::matmul(format, dot_choices(), {0, 4, 4}, {nullptr, b.data()}, b.data() + 1);
    CHECK(b == std::vector<unsigned char>(16, 0x38));
}
