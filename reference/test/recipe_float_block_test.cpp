// SPDX-License-Identifier: Apache-2.0
// Blocks with a float scale: by hand, and that exact arithmetic and the machine's say the same.
#include <array>
#include <vector>

#include "catch.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/recipe/float_block.hpp"
#include "reference/exact/recipe/float_scale.hpp"
#include "reference/fast/recipe/float_block.hpp"

using namespace mxcert;
using namespace mxcert::recipe;
using namespace mxcert::formats;

namespace {

constexpr Code fp32_inf = 0x7F800000;

CodeMatrix row(std::vector<Code> codes) {
    const std::size_t columns = codes.size();
    return {1, columns, std::move(codes)};
}

/// Values that lie near the edges of formats and roundings: powers of two, what E4M3's largest divides, subnormals.
Code edge(const Format& value, SplitMix64& random) {
    const Code last = value.inf_code();
    const Code normal = Code{1} << static_cast<unsigned>(value.fraction_bits);
    Code code = random() % last;
    switch (random.below(8)) {
    case 0: code = code / normal * normal + random.below(3); break;
    case 1: code = code / normal * normal + normal / 4 * 3 + random.below(3); break;
    case 2: code = random.below(2 * normal); break;
    case 3: code = random.below(4); break;
    case 4: code = last - 1 - random.below(3); break;
    default: break;
    }
    switch (random.below(150)) {
    case 0: code = last; break;
    case 1: code = last + 1 + random.below(normal - 1); break;
    default: break;
    }
    return random.below(2) == 0 ? code : code | value.sign_bit();
}

/// Any choices that the machine's arithmetic runs.
FloatBlock random_choices(SplitMix64& random) {
    const auto one_of = [&](auto... values) {
        const std::array list{values...};
        return list.at(static_cast<std::size_t>(random.below(list.size())));
    };
    FloatBlock choices;
    FloatScale& s = choices.scaling;
    s.element = one_of(&e4m3, &e5m2);
    s.first = one_of(First::inverse, First::scale);
    s.quotient = one_of(Quotient::divide, Quotient::reciprocal);
    s.factor = one_of(unity, unity, Code{0x40000000}, Code{0x40400000}, Code{0x3E800000}, Code{0x40066666});
    s.exponent = one_of(0, 0, 1, 3, 126);
    s.power = one_of(Power::of_largest, Power::of_quotient);
    s.power_of_two = one_of(false, false, true);
    s.limit = one_of(static_cast<const Format*>(nullptr), &fp32, &bf16);
    s.kept = one_of(&fp32, &fp32, &fp16, &bf16);
    s.on_nan = one_of(Unusable::one, Unusable::computed);
    s.on_inf = one_of(Unusable::one, Unusable::computed);
    s.on_zero = one_of(Unusable::one, Unusable::computed);
    if (s.factor == unity) s.least_amax = one_of(Code{0}, Code{0x3D719799812DEA11}, Code{0x3F1A36E2E0000000});
    choices.apply = one_of(Apply::multiply, Apply::divide);
    choices.amax_nan = one_of(AmaxNan::ignored, AmaxNan::if_alone, AmaxNan::propagated);
    choices.overflow = one_of(Overflow::sat, Overflow::nosat);
    return choices;
}

} // namespace

TEST_CASE("a block of zeros", "[recipe]") {
    const CodeMatrix zeros = row({0, 0x80000000, 0});
    const auto quantized = [&](std::string_view name) {
        return exact::quantize(float_block_preset(name).choices, fp32, {1, 3}, zeros);
    };
    CHECK(quantized("te_float8_block") == FloatQuantized{row({0, 0x80, 0}), {{unity, unity}}});
    CHECK(quantized("nexus_32").elements == row({0, 0x80, 0}));
    // 0 / 0: every element of a block of zeros is NaN.
    CHECK(quantized("deepseek_v3") == FloatQuantized{row({0x7F, 0x7F, 0x7F}), {{0, fp32_inf}}});
    CHECK(quantized("deepgemm").elements == row({0, 0x80, 0}));
}

TEST_CASE("the largest value of a block becomes the largest element", "[recipe]") {
    const CodeMatrix values = row({0x3F800000, 0x40000000, 0xC0400000, 0x3DCCCCCD}); // 1, 2, -3, 0.1
    FloatBlock choices = float_block_preset("nexus_32").choices;
    const FloatQuantized quantized = exact::quantize(choices, fp32, {1, 4}, values);
    // Scale 3/448; 149.3 -> 144, 298.7 -> 288, -448, 14.93 -> 15.
    CHECK(quantized == FloatQuantized{row({0x71, 0x79, 0xFE, 0x57}), {{0x3BDB6DB7, 0x43155555}}});
    // 144 x 3/448 = 0.964, and so on; the largest comes back exactly.
    CHECK(exact::dequantize(choices, {1, 4}, quantized) == row({0x3F76DB6E, 0x3FF6DB6E, 0xC0400000, 0x3DCDB6DC}));
}

TEST_CASE("an element may differ by one with the way it is scaled", "[recipe]") {
    // The amax 1.2550690 has the scale 0x3B379942 and the inverse scale 0x43B279EB. The other value over the one is
    // 136.00002, times the other 136: the tie of 128 and 144.
    const CodeMatrix values = row({0x3FA0A61A, 0x3EC312D7});
    FloatBlock choices = float_block_preset("nexus_32").choices;
    CHECK(exact::quantize(choices, fp32, {1, 2}, values) ==
          FloatQuantized{row({0x7E, 0x71}), {{0x3B379942, 0x43B279EB}}});
    choices.apply = Apply::multiply;
    CHECK(exact::quantize(choices, fp32, {1, 2}, values).elements == row({0x7E, 0x70}));
}

TEST_CASE("tiles of every shape, and smaller ones at the edges", "[recipe]") {
    FloatBlock choices = float_block_preset("te_float8_block_fp32_scales").choices;
    CodeMatrix values{3, 5, {}};
    for (Code i = 0; i < 15; ++i) values.codes.push_back(0x3F800000 + (i << 20U));
    const auto count = [&](const BlockShape& tile) {
        return exact::quantize(choices, fp32, tile, values).scales.size();
    };
    CHECK(count({1, 2}) == 9);
    CHECK(count({2, 1}) == 10);
    CHECK(count({2, 2}) == 6);
    CHECK(count({3, 5}) == 1);
    CHECK(count({128, 128}) == 1);
    CHECK(count({~std::uint64_t{0}, 1}) == 5);
    // The tile of the lower right corner has one value, the last.
    CHECK(exact::quantize(choices, fp32, {2, 2}, values).scales.back() ==
          *exact::scales_of(choices.scaling, values.codes.back()));
    CHECK(count(shapes::per_column) == 5);
    CHECK(count(shapes::per_tensor) == 1);
    CHECK_THROWS_AS(exact::quantize(choices, e4m3, {1, 2}, values), std::invalid_argument);
    choices.scaling.on_zero = Unusable::keep;
    CHECK_THROWS_AS(exact::quantize(choices, fp32, {1, 2}, row({0, 0})), std::invalid_argument);
    CHECK_THROWS_AS(fast::quantize(choices, fp32, {1, 2}, row({0, 0})), std::invalid_argument);
    choices.scaling.on_zero = Unusable::one;
    FloatQuantized quantized = exact::quantize(choices, fp32, {1, 2}, values);
    quantized.scales.pop_back();
    CHECK_THROWS_AS(exact::dequantize(choices, {1, 2}, quantized), std::invalid_argument);
    CHECK_THROWS_AS(fast::dequantize(choices, {1, 2}, quantized), std::invalid_argument);
    values.codes.pop_back();
    CHECK_THROWS_AS(count({1, 2}), std::invalid_argument);
    CHECK_THROWS_AS(fast::quantize(choices, fp32, {1, 2}, values), std::invalid_argument);
}

TEST_CASE("a scale on a tie of the format it is kept in goes to even, in both arithmetics", "[recipe]") {
    FloatBlock choices = float_block_preset("nexus_32").choices;
    const auto scale = [&](Code amax) {
        const Code one = exact::quantize(choices, fp32, {1, 1}, row({amax})).scales[0].scale;
        CHECK(fast::quantize(choices, fp32, {1, 1}, row({amax})).scales[0].scale == one);
        return one;
    };
    choices.scaling.kept = &bf16;
    CHECK(scale(0x43E0E000) == unity);      // 449.75 / 448 = 1 + 2^-8
    CHECK(scale(0x43E2A000) == 0x3F820000); // 453.25 / 448 = 1 + 3 x 2^-8
    choices.scaling.kept = &fp16;
    CHECK(scale(0x43E01C00) == unity);      // 1 + 2^-11
    CHECK(scale(0x43E05400) == 0x3F804000); // 1 + 3 x 2^-11
    CHECK(scale(0x4BDFFF00) == fp32_inf);   // 65536 - 2^-4 x 448: beyond 65520
}

TEST_CASE("a scale is given out as it is kept, and taken in again, in both arithmetics", "[recipe][values]") {
    for (const Format* format : {&fp16, &bf16, &e8m0}) {
        for (Code code = 0; code < (format == &e8m0 ? 0xFF : format->inf_code()); ++code) {
            const Code wide = exact::scale_from(*format, code);
            REQUIRE(fast::scale_from(*format, code) == wide);
            REQUIRE(exact::scale_to(*format, wide) == code);
            REQUIRE(fast::scale_to(*format, wide) == code);
        }
        const Code quiet = 0x7FC00000;
        CHECK(format->is_nan(exact::scale_to(*format, quiet)));
        CHECK(format->is_nan(fast::scale_to(*format, quiet)));
        CHECK(exact::scale_to(*format, fp32_inf) == fast::scale_to(*format, fp32_inf));
    }
    CHECK(exact::scale_to(e8m0, fp32_inf) == 0xFF);
    CHECK(exact::scale_to(fp16, fp32_inf) == 0x7C00);
    CHECK(exact::scale_to(fp32, 0x3F800001) == 0x3F800001);
    CHECK(fp32.is_nan(exact::scale_from(e8m0, 0xFF)));
    CHECK(fp32.is_nan(fast::scale_from(e8m0, 0xFF)));
}

TEST_CASE("exact arithmetic and the machine's give the same blocks", "[values][recipe]") {
    SplitMix64 random(5);
    for (int i = 0; i < 4000; ++i) {
        const FloatBlock choices = random_choices(random);
        const Format& value = i % 4 == 0 ? bf16 : i % 4 == 1 ? fp16 : fp32;
        CodeMatrix values{1 + random.below(2), 1 + random.below(3), {}};
        for (std::size_t k = 0; k < values.rows * values.columns; ++k) values.codes.push_back(edge(value, random));
        const BlockShape tile{1 + random.below(2), 1 + random.below(3)};
        CAPTURE(i, describe(choices.scaling), values.codes, value.name, to_string(choices.apply));
        const FloatQuantized exact = exact::quantize(choices, value, tile, values);
        REQUIRE(fast::quantize(choices, value, tile, values) == exact);
        for (const Format* target : {&fp32, &fp16, &bf16, &formats::fp64}) {
            CAPTURE(target->name);
            REQUIRE(fast::dequantize(choices, tile, exact, *target) ==
                    exact::dequantize(choices, tile, exact, *target));
        }
    }
}

TEST_CASE("recipes with float scales that are in use, in both arithmetics", "[values][recipe]") {
    SplitMix64 random(6);
    for (const FloatBlockPreset& preset : float_block_presets()) {
        CAPTURE(preset.name);
        CHECK(&float_block_preset(preset.name) == &preset);
        for (const BlockShape& tile : {preset.activations, preset.weights}) {
            CodeMatrix values{3, 130, {}};
            for (std::size_t k = 0; k < values.rows * values.columns; ++k) values.codes.push_back(edge(fp32, random));
            const FloatQuantized exact = exact::quantize(preset.choices, fp32, tile, values);
            REQUIRE(fast::quantize(preset.choices, fp32, tile, values) == exact);
            REQUIRE(fast::dequantize(preset.choices, tile, exact) == exact::dequantize(preset.choices, tile, exact));
        }
    }
    CHECK_THROWS_AS(float_block_preset("nexus"), std::invalid_argument);
}
