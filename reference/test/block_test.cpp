// SPDX-License-Identifier: Apache-2.0
// Blocks: what a scale and its elements are, by hand, and that both models say the same in rows and columns.
#include <algorithm>
#include <cstring>
#include <vector>

#include "catch.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/block.hpp"
#include "reference/fast/block.hpp"
#include "reference/scale_rule.hpp"
#include "reference/scaled_format.hpp"

using namespace mxcert;
using namespace mxcert::formats;

namespace {

const BlockFormat to_e4m3{&fp32, &e4m3};

BlockChoices with(ScaleRule rule) {
    BlockChoices choices;
    choices.scale.rule = rule;
    return choices;
}

/// A matrix as bytes, and its codes.
struct Matrix {
    fast::MatrixShape shape;
    std::vector<Code> codes;
    std::vector<unsigned char> bytes;

    Matrix(const Format& format, const fast::MatrixShape& s) : shape(s), codes(s.rows * s.columns) {
        bytes.resize(codes.size() * static_cast<std::size_t>(format.bytes()));
    }
    void store(const Format& format) {
        for (std::size_t i = 0; i < codes.size(); ++i) {
            const auto half = static_cast<std::uint16_t>(codes[i]);
            const auto word = static_cast<std::uint32_t>(codes[i]);
            const auto n = static_cast<std::size_t>(format.bytes());
            std::memcpy(bytes.data() + i * n, n == 2 ? static_cast<const void*>(&half) : &word, n);
        }
    }
};

/// Values of some binades around a random one, and now and then something special.
Matrix random_matrix(const Format& format, const fast::MatrixShape& shape, SplitMix64& random) {
    Matrix matrix(format, shape);
    const Code fields = Code{1} << static_cast<unsigned>(format.exponent_bits);
    const Code centre = random.below(fields);
    for (Code& code : matrix.codes) {
        const Code field = (centre + random.below(20) + fields - 16) % fields;
        code = field << static_cast<unsigned>(format.fraction_bits) | (random() & format.fraction_mask());
        if (random.below(2) == 0) code |= format.sign_bit();
        switch (random.below(60)) {
        case 0: code &= format.sign_bit(); break;
        case 1: code = (code & format.sign_bit()) | format.inf_code(); break;
        case 2: code |= format.inf_code() | 1; break;
        case 3: code = random() & format.last_code(); break;
        default: break;
        }
    }
    matrix.store(format);
    return matrix;
}

/// Compares the fast model's arrays with the exact model's blocks.
void check(const BlockFormat& format, const BlockChoices& choices, const Matrix& matrix, fast::Blocks along,
           fast::Isa isa) {
    const fast::MatrixShape& shape = matrix.shape;
    std::vector<std::uint8_t> elements(matrix.codes.size() + 2, 0xA5);
    std::vector<std::uint8_t> scales(shape.scales(along) + 2, 0xA5);
    fast::quantize(format, choices, shape, along, matrix.bytes.data(), elements.data() + 1, scales.data() + 1, isa);
    REQUIRE((elements.front() == 0xA5 && elements.back() == 0xA5 && scales.front() == 0xA5 && scales.back() == 0xA5));
    const bool rows = along == fast::Blocks::rowwise;
    const std::size_t lines = rows ? shape.rows : shape.columns;
    const std::size_t length = rows ? shape.columns : shape.rows;
    for (std::size_t line = 0; line < lines; ++line)
        for (std::size_t b = 0; b < shape.blocks(along); ++b) {
            std::vector<std::size_t> places;
            std::vector<Code> values;
            for (std::size_t i = b * shape.block; i < std::min(length, (b + 1) * shape.block); ++i) {
                places.push_back(rows ? line * shape.columns + i : i * shape.columns + line);
                values.push_back(matrix.codes[places.back()]);
            }
            const QuantizedBlock wanted = exact::quantize(format, choices, values);
            QuantizedBlock block;
            block.scale = scales[1 + (rows ? line * shape.blocks(along) + b : b * shape.columns + line)];
            for (const std::size_t place : places) block.elements.push_back(elements[1 + place]);
            if (block == wanted) continue;
            CAPTURE(line, b, values, block.scale, wanted.scale, block.elements, wanted.elements);
            REQUIRE(block == wanted);
        }
}

} // namespace

TEST_CASE("the eight values of a block by hand", "[block]") {
    // amax 5: 2^2 / 2^8 by MX, 2^ceil(log2(5 / 448)) = 2^-6 by NVIDIA too.
    const std::vector<Code> values{0x40A00000, 0xBF800000, 0x3DCCCCCD, 0x00000000,
                                   0x80000000, 0x3A83126F, 0x40400000, 0x3F000000};
    const QuantizedBlock block = exact::quantize(to_e4m3, {}, values);
    CHECK(block.scale == 127 - 6);
    CHECK(block.elements == std::vector<Code>{0x7A, 0xE8, 0x4D, 0x00, 0x80, 0x18, 0x74, 0x60});
    CHECK(exact::quantize(to_e4m3, with(ScaleRule::rceil), values) == block);
    // 7.5 / 2^-6 = 480 is beyond 448: MX clips it, NVIDIA's scale does not.
    const std::vector<Code> large{0x40F00000, 0x3F800000};
    CHECK(exact::quantize(to_e4m3, {}, large) == QuantizedBlock{121, {0x7E, 0x68}});
    CHECK(exact::quantize(to_e4m3, with(ScaleRule::rceil), large) == QuantizedBlock{122, {0x77, 0x60}});
    CHECK(exact::dequantize(e4m3, fp32, {}, QuantizedBlock{121, {0x7E, 0x68}}) ==
          std::vector<Code>{0x40E00000, 0x3F800000});
    CHECK_THROWS_AS(exact::quantize(to_e4m3, {}, {}), std::invalid_argument);
}

TEST_CASE("which lane holds the largest magnitude, and its sign, do not matter", "[block]") {
    for (std::size_t lane = 0; lane < 32; ++lane)
        for (const Code sign : {Code{0}, fp32.sign_bit()}) {
            std::vector<Code> values(32, 0x3F800000);
            values[lane] = 0x43E80001 | sign; // 464 + 1 ulp
            QuantizedBlock block = exact::quantize(to_e4m3, with(ScaleRule::rceil), values);
            CHECK(block.scale == 128);
            CHECK(block.elements[lane] == (0x77 | sign >> 24)); // just above 232, the tie
            block.elements[lane] = 0x30;
            CHECK(block.elements == std::vector<Code>(32, 0x30));
        }
}

TEST_CASE("NaN and Inf among the values of a block", "[block]") {
    const Code nan = 0x7FC00000;
    const Code inf = 0x7F800000;
    const Code one = 0x3F800000;
    BlockChoices ignored = with(ScaleRule::rceil);
    BlockChoices alone = ignored;
    alone.amax_nan = AmaxNan::if_alone;
    BlockChoices propagated = ignored;
    propagated.amax_nan = AmaxNan::propagated;
    BlockChoices without_inf = alone;
    without_inf.amax_inf = AmaxInf::left_out;

    const std::vector<Code> one_nan{one, nan};
    CHECK(exact::quantize(to_e4m3, ignored, one_nan) == QuantizedBlock{119, {0x78, 0x7F}});
    CHECK(exact::quantize(to_e4m3, alone, one_nan) == QuantizedBlock{119, {0x78, 0x7F}});
    CHECK(exact::quantize(to_e4m3, propagated, one_nan) == QuantizedBlock{0xFF, {0x7F, 0x7F}});
    const std::vector<Code> nans{nan, nan | fp32.sign_bit()};
    CHECK(exact::quantize(to_e4m3, ignored, nans) == QuantizedBlock{0x00, {0x7F, 0x7F}});
    CHECK(exact::quantize(to_e4m3, alone, nans) == QuantizedBlock{0xFF, {0x7F, 0x7F}});
    const std::vector<Code> one_inf{one, inf | fp32.sign_bit()};
    CHECK(exact::quantize(to_e4m3, ignored, one_inf) == QuantizedBlock{0xFE, {0x00, 0xFE}});
    CHECK(exact::quantize(to_e4m3, without_inf, one_inf) == QuantizedBlock{119, {0x78, 0xFE}});
    const std::vector<Code> nan_and_inf{nan, inf};
    CHECK(exact::quantize(to_e4m3, ignored, nan_and_inf).scale == 0xFE);
    CHECK(exact::quantize(to_e4m3, propagated, nan_and_inf).scale == 0xFF);
    CHECK(exact::quantize(to_e4m3, without_inf, nan_and_inf).scale == 0xFF);
    CHECK(exact::quantize(to_e4m3, ignored, std::vector<Code>(32, 0)) ==
          QuantizedBlock{0x00, std::vector<Code>(32, 0)});
    CHECK(exact::quantize(to_e4m3, alone, std::vector<Code>(32, 0)).scale == 0x00);
}

TEST_CASE("the formats of a block's parts", "[block]") {
    CHECK(&amax_of(bf16) == &amax_bf16);
    CHECK(&scale_of(e5m2) == &e8m0_for_e5m2);
    CHECK(&by_scale(fp16) == &fp16_by_e8m0);
    CHECK(&times_scale(e4m3) == &e4m3_times_e8m0);
    CHECK_THROWS_WITH(amax_of(e4m3), "e4m3 has no amax");
    CHECK(&scale_of(e2m1) == &e8m0_for_e2m1);
    CHECK(&times_scale(e2m3) == &e2m3_times_e8m0);
    CHECK_THROWS_WITH(scale_of(fp32), "no scaled format has elements in fp32 and scales in e8m0: `mxcert formats "
                                      "--scaled` lists them");
    CHECK_THROWS_WITH(by_scale(fp64), "fp64 has no quotient by a scale");
    CHECK_THROWS_WITH(by_scale(e3m2), "e3m2 has no quotient by a scale"); // a product it has
    CHECK_THROWS_AS(times_scale(e8m0), std::invalid_argument);
}

TEST_CASE("the table of scaled formats holds together", "[block]") {
    for (const ScaledFormat& scaled : scaled_formats()) {
        CAPTURE(scaled.name);
        CHECK(&scaled_format(scaled.name) == &scaled);
        CHECK(&scaled_format(*scaled.element, *scaled.scale) == &scaled);
        CHECK(is_scaled(*scaled.element, *scaled.scale));
        CHECK((scaled.scale_of_amax == nullptr) == (scaled.tensor_scale != nullptr));
        if (scaled.scale_of_amax == nullptr) continue;
        CHECK(scaled.scale_of_amax->element == scaled.element);
        CHECK(scaled.scale_of_amax->width() == scaled.scale->width());
        CHECK(scaled.product->value == scaled.element);
        CHECK(scaled.product->scale == scaled.scale);
        CHECK(scaled.product->scaling == Scaling::multiply);
    }
    CHECK(scaled_format("mxfp4").bits_per_value() == 4.25);
    CHECK(scaled_format("mxfp6_e2m3").bits_per_value() == 6.25);
    CHECK(scaled_format("mxint8").bits_per_value() == 8.25);
    CHECK(scaled_format("nvfp4").bits_per_value() == 4.5);
    CHECK(mx_formats().size() + 1 == scaled_formats().size());
    CHECK_FALSE(is_scaled(e4m3, e5m2));
    CHECK_THROWS_WITH(scaled_format("mxfp5"), Catch::Contains("did you mean mxfp4"));
}

TEST_CASE("both models quantize a matrix alike, in rows and in columns", "[block][values]") {
    SplitMix64 random(32);
    for (const Format* value : {&fp32, &bf16, &fp16})
        for (const Format* element : {&e4m3, &e5m2, &e3m2, &e2m3, &e2m1, &int8})
            for (int i = 0; i < (element->width() == 8 ? 12 : 8); ++i) {
                const BlockFormat format{value, element};
                const std::size_t sizes[] = {32, 32, 32, 16, 64, 1, 7, 100, 128};
                const fast::MatrixShape shape{1 + random.below(70), 1 + random.below(150), sizes[random.below(9)]};
                BlockChoices choices = with(all_scale_rules()[random.below(all_scale_rules().size())].rule);
                if (i % 2 == 0) choices.scale.rule = i % 4 == 0 ? ScaleRule::rceil : ScaleRule::ocp_floor;
                choices.scale.overflow = random.below(2) == 0 ? Overflow::sat : Overflow::nosat;
                choices.amax_nan = static_cast<AmaxNan>(random.below(3));
                choices.amax_inf = static_cast<AmaxInf>(random.below(2));
                choices.element.nan = random.below(2) == 0 ? NanRule::canonical : NanRule::sign;
                if (element->is_twos_complement() && i % 2 == 1) choices.element.lowest = Lowest::used;
                if (i % 4 == 1) choices.element.overflow = Overflow::sat_finite;
                if (i % 4 == 3) choices.element.smallest_scale = static_cast<SmallestScale>(1 + random.below(2));
                if (i % 3 == 2) {
                    choices.element.rounding = static_cast<Rounding>(random.below(8));
                    choices.element.overflow = Overflow::nosat;
                }
                REQUIRE(fast::offers_block(format, choices));
                const Matrix matrix = random_matrix(*value, shape, random);
                CAPTURE(value->name, element->name, i, shape.rows, shape.columns, shape.block,
                        to_string(choices.scale.rule));
                for (const fast::Isa isa : fast::all_isas) {
                    if (!fast::runs(isa)) continue;
                    check(format, choices, matrix, fast::Blocks::rowwise, isa);
                    if (isa == fast::best_isa()) check(format, choices, matrix, fast::Blocks::columnwise, isa);
                }
            }
}

TEST_CASE("every scale of the fast loop gives what the value alone gives", "[block][values]") {
    // One value makes the scale, the other 31 run through binades below it.
    SplitMix64 random(7);
    for (const Format* value : {&fp32, &bf16})
        for (const Format* element : {&e4m3, &e5m2, &e3m2, &e2m3, &e2m1, &int8}) {
            const BlockFormat format{value, element};
            Matrix matrix(*value, {256, 32, 32});
            for (std::size_t row = 0; row < 256; ++row)
                for (std::size_t lane = 0; lane < 32; ++lane) {
                    const Code field = lane == 0 ? row : row < lane ? random.below(row + 1) : row - lane;
                    matrix.codes[row * 32 + lane] =
                        field << static_cast<unsigned>(value->fraction_bits) | (random() & value->fraction_mask());
                }
            matrix.store(*value);
            for (const fast::Isa isa : fast::all_isas)
                if (fast::runs(isa)) {
                    check(format, {}, matrix, fast::Blocks::rowwise, isa);
                    check(format, with(ScaleRule::neuron), matrix, fast::Blocks::rowwise, isa);
                }
            check(format, with(ScaleRule::rfloor), matrix, fast::Blocks::columnwise, fast::best_isa());
        }
}

TEST_CASE("the one amax that FP32's reciprocal scales otherwise", "[block]") {
    for (const auto& [element, amax] : {std::pair{&e4m3, Code{0x04600001}}, {&e5m2, Code{0x07E00001}}})
        for (const Arithmetic arithmetic : {Arithmetic::exact, Arithmetic::fp32_multiply}) {
            const BlockFormat format{&fp32, element};
            BlockChoices choices = with(ScaleRule::rceil);
            choices.scale.arithmetic = arithmetic;
            Matrix matrix(fp32, {3, 32, 32});
            for (std::size_t row = 0; row < 3; ++row) matrix.codes[row * 32 + 5] = amax - 1 + row;
            matrix.store(fp32);
            CAPTURE(element->name, to_string(choices.scale.rule), unsigned(arithmetic));
            for (const fast::Isa isa : fast::all_isas)
                if (fast::runs(isa)) check(format, choices, matrix, fast::Blocks::rowwise, isa);
            const std::vector<Code> block(matrix.codes.begin() + 32, matrix.codes.begin() + 64);
            CHECK(exact::quantize(format, choices, block).scale == (arithmetic == Arithmetic::exact ? 1 : 0));
        }
}

TEST_CASE("a byte that is no element is refused", "[block]") {
    const std::uint8_t elements[] = {0x0F, 0x10};
    const std::uint8_t scales[] = {0x7F};
    float values[2];
    const auto dequantize = [&](const Format& element) {
        fast::dequantize(element, fp32, {}, {1, 2, 32}, fast::Blocks::rowwise, elements, scales, values);
    };
    dequantize(e3m2);
    CHECK_THROWS_WITH(dequantize(e2m1), "element 1 is 0x10: no code of e2m1");
}

TEST_CASE("both models dequantize alike: every element under every scale", "[block][values]") {
    for (const Format* element : {&e4m3, &e5m2, &e3m2, &e2m3, &e2m1, &int8})
        for (const Format* to : {&fp32, &bf16, &fp16, &fp64})
            for (const fast::Blocks along : {fast::Blocks::rowwise, fast::Blocks::columnwise}) {
                Choices choices;
                choices.overflow = Overflow::nosat;
                // Rows of one scale, or columns: 256 blocks of 256 elements.
                const fast::MatrixShape shape{256, 256, 256};
                const bool rows = along == fast::Blocks::rowwise;
                std::vector<std::uint8_t> elements(65'536);
                std::vector<std::uint8_t> scales(256);
                for (std::size_t i = 0; i < 256; ++i) {
                    scales[i] = static_cast<std::uint8_t>(i);
                    for (std::size_t j = 0; j < 256; ++j)
                        elements[i * 256 + j] = static_cast<std::uint8_t>((rows ? j : i) & element->last_code());
                }
                const auto bytes = static_cast<std::size_t>(to->bytes());
                for (const fast::Isa isa : fast::all_isas) {
                    if (!fast::runs(isa)) continue;
                    std::vector<unsigned char> values(65'536 * bytes);
                    fast::dequantize(*element, *to, choices, shape, along, elements.data(), scales.data(),
                                     values.data(), isa);
                    const Format& times = times_scale(*element);
                    for (std::size_t i = 0; i < 65'536; ++i) {
                        Code answer = 0;
                        for (std::size_t b = 0; b < bytes; ++b) answer |= Code{values[i * bytes + b]} << (8 * b);
                        const Code scale = rows ? i / 256 : i % 256;
                        const Code wanted = fast::convert(times, *to, choices, times.code_of(scale, elements[i]));
                        if (answer != wanted)
                            FAIL(element->name << " to " << to->name << ", scale " << scale << ", element "
                                               << unsigned(elements[i]) << ": " << answer << ", not " << wanted);
                    }
                }
            }
}

TEST_CASE("matrices of any shape are quantized whole, and nothing beside them", "[block]") {
    SplitMix64 random(5);
    for (const auto& [rows, columns] :
         {std::pair<std::size_t, std::size_t>{1, 1}, {1, 33}, {3, 65}, {70, 7}, {33, 64}, {2, 96}})
        for (const std::size_t block : {std::size_t{1}, std::size_t{7}, std::size_t{32}, std::size_t{100}})
            for (const fast::Blocks along : {fast::Blocks::rowwise, fast::Blocks::columnwise}) {
                const fast::MatrixShape shape{rows, columns, block};
                const Matrix matrix = random_matrix(fp32, shape, random);
                std::vector<std::uint8_t> elements(rows * columns);
                std::vector<std::uint8_t> scales(shape.scales(along));
                const BlockChoices choices = with(ScaleRule::rceil);
                fast::quantize(to_e4m3, choices, shape, along, matrix.bytes.data(), elements.data(), scales.data());
                CAPTURE(rows, columns, block);
                for (std::size_t i = 0; i < elements.size(); ++i) {
                    const std::size_t row = i / columns;
                    const std::size_t column = i % columns;
                    const std::size_t place = along == fast::Blocks::rowwise
                                                  ? row * shape.blocks(along) + column / block
                                                  : row / block * columns + column;
                    const Code code = fp32_by_e8m0.code_of(scales[place], matrix.codes[i]);
                    REQUIRE(elements[i] == fast::convert(fp32_by_e8m0, e4m3, choices.element, code));
                }
                // Exactly as long as the matrix: what is written or read beside it is an error under sanitizers.
                Choices back;
                back.overflow = Overflow::nosat;
                std::vector<std::uint32_t> values(rows * columns);
                fast::dequantize(e4m3, fp32, back, shape, along, elements.data(), scales.data(), values.data());
                std::vector<std::uint16_t> halves(rows * columns);
                fast::dequantize(e4m3, fp16, back, shape, along, elements.data(), scales.data(), halves.data());
                fast::dequantize(e4m3, bf16, back, shape, along, elements.data(), scales.data(), halves.data());
            }
}

TEST_CASE("blocks quantized in groups: finite ones, one with a zero block, one with Inf, and some left over",
          "[block]") {
    // The fast loop takes 32 blocks at a time, across rows.
    SplitMix64 random(33);
    for (const Format* value : {&fp32, &bf16})
        for (const Format* element : {&e4m3, &e2m1})
            for (const ScaleRule rule : {ScaleRule::ocp_floor, ScaleRule::rceil}) {
                Matrix matrix(*value, {3, std::size_t{35} * 32, 32});
                for (Code& code : matrix.codes) {
                    const Code field = 100 + random.below(12);
                    code = field << static_cast<unsigned>(value->fraction_bits) | (random() & value->fraction_mask());
                }
                std::fill_n(matrix.codes.begin() + std::ptrdiff_t{40} * 32, 32, Code{0});
                matrix.codes[std::size_t{80} * 32 + 9] = value->inf_code();
                matrix.store(*value);
                for (const fast::Isa isa : fast::all_isas)
                    if (fast::runs(isa)) check({value, element}, with(rule), matrix, fast::Blocks::rowwise, isa);
            }
}

TEST_CASE("a row of more blocks than the fast loop takes at a time ends with its last block", "[block]") {
    // It takes 32, so there is one left.
    constexpr std::size_t blocks = 33;
    SplitMix64 random(17);
    const fast::MatrixShape shape{1, blocks * 32, 32};
    Matrix matrix = random_matrix(fp32, shape, random);
    // As much behind the arrays as the loop could take too much.
    matrix.bytes.resize(2 * matrix.bytes.size());
    std::vector<std::uint8_t> elements(2 * shape.columns, 0xA5);
    std::vector<std::uint8_t> scales(2 * blocks, 0xA5);
    fast::quantize(to_e4m3, with(ScaleRule::ocp_floor), shape, fast::Blocks::rowwise, matrix.bytes.data(),
                   elements.data(), scales.data());
    const auto is_unwritten = [](std::uint8_t byte) { return byte == 0xA5; };
    CHECK(std::all_of(elements.begin() + std::ptrdiff_t{blocks} * 32, elements.end(), is_unwritten));
    CHECK(std::all_of(scales.begin() + std::ptrdiff_t{blocks}, scales.end(), is_unwritten));
}

TEST_CASE("what the arrays of blocks refuse", "[block]") {
    std::vector<float> values(32, 1.0F);
    std::vector<std::uint8_t> elements(32);
    std::uint8_t scale = 0;
    const auto quantize = [&](const BlockFormat& format, const BlockChoices& choices, const fast::MatrixShape& shape) {
        fast::quantize(format, choices, shape, fast::Blocks::rowwise, values.data(), elements.data(), &scale);
    };
    CHECK_NOTHROW(quantize(to_e4m3, {}, {1, 32, 32}));
    CHECK(scale == 119);
    CHECK_THROWS_AS(quantize(to_e4m3, {}, {1, 32, 0}), std::invalid_argument);
    CHECK_THROWS_AS(quantize(to_e4m3, {}, {SIZE_MAX / 2, 32, 32}), std::invalid_argument);
    CHECK_THROWS_AS(quantize({&fp64, &e4m3}, {}, {1, 32, 32}), std::invalid_argument);
    CHECK_THROWS_AS(quantize({&fp32, &e8m0}, {}, {1, 32, 32}), std::invalid_argument);
    BlockChoices stochastic;
    stochastic.element.rounding = Rounding::stochastic_a;
    CHECK_THROWS_AS(quantize(to_e4m3, stochastic, {1, 32, 32}), std::invalid_argument);
    CHECK_NOTHROW(quantize(to_e4m3, {}, {0, 32, 32}));
    CHECK_NOTHROW(quantize(to_e4m3, {}, {32, 0, 32}));
}

TEST_CASE("blocks by every arithmetic of a scale, where that decides", "[block]") {
    SplitMix64 random(17);
    std::size_t offered = 0;
    for (const Format* element : {&e4m3, &e5m2, &e3m2, &e2m1, &int8})
        for (const ScaleRule rule : {ScaleRule::ceil, ScaleRule::rceil, ScaleRule::rfloor})
            for (const Arithmetic arithmetic :
                 {Arithmetic::fp32_multiply, Arithmetic::fp32_divide, Arithmetic::fp32_log2}) {
                BlockChoices choices = with(rule);
                choices.scale.arithmetic = arithmetic;
                const BlockFormat format{&fp32, element};
                if (!fast::offers_block(format, choices)) continue;
                ++offered;
                // Blocks of one value: those whose product with a reciprocal is another scale than the quotient, powers
                // of two with their neighbours, others.
                Matrix matrix(fp32, {4, 40, 1});
                std::vector<Code> special{0x04600001, 0x07E00001, 0x02600001, 0x01700001, 0x01400001, 0x3F7FFFFF,
                                          0x3F800000, 0x3F800001, 0x497FFFFF, 0x49800001, 0x43DFFFFF, 0x43E00001};
                for (std::size_t i = 0; i < matrix.codes.size(); ++i)
                    matrix.codes[i] = i < special.size() ? special[i] : random() & fp32.magnitude_mask();
                matrix.store(fp32);
                CAPTURE(element->name, static_cast<int>(rule), static_cast<int>(arithmetic));
                for (const fast::Isa isa : fast::all_isas)
                    if (fast::runs(isa)) check(format, choices, matrix, fast::Blocks::rowwise, isa);
            }
    CHECK(offered > 30);
}
