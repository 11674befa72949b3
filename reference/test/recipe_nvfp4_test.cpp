// SPDX-License-Identifier: Apache-2.0
// NVFP4: numbers worked out by hand from each source, and that exact arithmetic and the machine's say the same.
#include <array>
#include <stdexcept>
#include <vector>

#include "catch.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/recipe/nvfp4.hpp"
#include "reference/fast/recipe/nvfp4.hpp"

using namespace mxcert;
using namespace mxcert::recipe;
using namespace mxcert::formats;

namespace {

constexpr Code infinite = 0x7F800000;
constexpr Code not_a_number = 0x7FC00000;
constexpr Code unit = 0x3F800000;
constexpr Code fp32_max = 0x7F7FFFFF;

const Nvfp4& by(const char* name) { return nvfp4_preset(name).choices; }

/// Codes of which many are near what E4M3 and E2M1 round at.
Code nvfp4_edge(SplitMix64& random) {
    Code code = (100 + random.below(54)) << 23 | random.below(1 << 23);
    switch (random.below(10)) {
    case 0: code = random() & 0x7FFFFFFF; break;
    case 1: code = code >> 20 << 20; break;
    case 2: code = (code >> 20 << 20) + random.below(3) - 1; break;
    case 3: code = random.below(1 << 24); break;
    case 4: code = 0x7F000000 + random.below(0x800000); break;
    case 5: code = code >> 16 << 16; break;
    default: break;
    }
    switch (random.below(60)) {
    case 0: return 0;
    case 1: return infinite;
    case 2: return not_a_number;
    default: return code & 0x7FFFFFFF;
    }
}

/// A number of some binades around 1; seldom NaN or Inf.
Code near_one(const Format& value, SplitMix64& random) {
    const Code field = (Code{1} << static_cast<unsigned>(value.exponent_bits - 1)) - random.below(8);
    const Code code = field << static_cast<unsigned>(value.fraction_bits);
    if (random.below(200) == 0) return value.inf_code() + random.below(2);
    return code | (random() & (value.fraction_mask() | value.sign_bit()));
}

} // namespace

TEST_CASE("the scales of a tensor by each source", "[nvfp4]") {
    // An amax of 2688 = 448 x 6 leaves blocks as they are.
    for (const Nvfp4Preset& preset : nvfp4_presets()) {
        CAPTURE(preset.name);
        const bool of_1536 = preset.choices.range == 0x44C00000;
        const Code amax = of_1536 ? preset.choices.range : 0x45280000;
        CHECK(exact::tensor_scales_of(preset.choices, amax) == TensorScales{unit, unit, amax});
    }
    // Transformer Engine: an encode scale beyond binary32 is its largest value; where the amax, or it, is zero it is 1.
    CHECK(exact::tensor_scales_of(by("te_nvfp4"), 0).encode == unit);
    CHECK(exact::tensor_scales_of(by("te_nvfp4"), infinite).encode == unit);
    CHECK(exact::tensor_scales_of(by("te_nvfp4"), 1).encode == fp32_max);
    CHECK(exact::tensor_scales_of(by("te_nvfp4"), not_a_number).encode == fp32_max);
    // compressed-tensors: 2688 / 2^-126 is Inf, and that is 1.
    CHECK(exact::tensor_scales_of(by("compressed_tensors_nvfp4"), 0).encode == unit);
    CHECK(exact::tensor_scales_of(by("compressed_tensors_nvfp4"), not_a_number).encode == unit);
    CHECK(exact::tensor_scales_of(by("compressed_tensors_nvfp4"), infinite).encode == 0);
    // 28 x 96 is 2688, but the reciprocal of 28 is rounded.
    CHECK(exact::tensor_scales_of(by("te_nvfp4"), 0x41E00000).encode == 0x42C00000);
    CHECK(exact::tensor_scales_of(by("compressed_tensors_nvfp4"), 0x41E00000).encode == 0x42C00001);
    // torchao and ModelOpt divide the amax, whatever it is.
    CHECK(exact::tensor_scales_of(by("torchao_nvfp4"), 0) == TensorScales{infinite, 0, 0});
    CHECK(exact::tensor_scales_of(by("modelopt_nvfp4"), not_a_number).decode == not_a_number);
    CHECK(exact::tensor_scales_of(by("torchao_nvfp4_one_level"), 0x41200000) == TensorScales{unit, unit, 0x41200000});
}

TEST_CASE("the scale of a block by each source", "[nvfp4]") {
    const TensorScales none;
    // 6 is a block whose scale is 1, 0x38; 6 x 2^-9 one of the smallest, 0x01; of zero each has its own.
    const struct {
        const char* name;
        Code smallest;
        Code zero;
        Code nan_amax;
    } table[] = {{"te_nvfp4", 0x01, 0x00, 0x7E},
                 {"torchao_nvfp4", 0x08, 0x08, 0x7F},
                 {"torchao_nvfp4_one_level", 0x08, 0x08, 0x7F},
                 {"modelopt_nvfp4", 0x01, 0x38, 0x7F},
                 {"compressed_tensors_nvfp4", 0x01, 0x20, 0x7F}};
    for (const auto& row : table) {
        CAPTURE(row.name);
        const Nvfp4& choices = by(row.name);
        CHECK(exact::block_scale_of(choices, none, 0x40C00000) == 0x38);
        CHECK(exact::block_scale_of(choices, none, 0x3C400000) == row.smallest); // 6 x 2^-9
        CHECK(exact::block_scale_of(choices, none, 0) == row.zero);
        CHECK(exact::block_scale_of(choices, none, not_a_number) == row.nan_amax);
        CHECK(exact::block_scale_of(choices, none, infinite) == 0x7E);
        CHECK(exact::block_scale_of(choices, none, 0x45280000) == 0x7E); // 2688
    }
}

TEST_CASE("a quotient by one division is not that by two where they are a tie of E4M3", "[nvfp4]") {
    // ModelOpt divides by 6 x decode, torchao by 6 and then by decode: 9.5 or 9.499999, 1.9374999 or 1.9375.
    const struct {
        Code tensor_amax;
        Code amax;
        Code at_once;
        Code in_two;
    } table[] = {{0x4130973B, 0x3E6FA8AB, 0x52, 0x51}, {0x3FE19265, 0x3BF9BD82, 0x3F, 0x40}};
    for (const auto& row : table) {
        CAPTURE(row.amax);
        for (const auto& [recipe, scale] :
             {std::pair("modelopt_nvfp4", row.at_once), std::pair("torchao_nvfp4", row.in_two)}) {
            const Nvfp4& choices = by(recipe);
            const TensorScales tensor = exact::tensor_scales_of(choices, row.tensor_amax);
            CHECK(exact::block_scale_of(choices, tensor, row.amax) == scale);
            CHECK(fast::block_scale_of(choices, tensor, row.amax) == scale);
        }
    }
}

TEST_CASE("AutoRound's scale in UE5M3 has no carry, and is zero of zero and NaN alone", "[nvfp4]") {
    const Nvfp4& choices = by("autoround_nvfp4_e5m3");
    const struct {
        Code amax;
        Code scale;
    } table[] = {{0x41400000, 0x80}, // 12: 2
                 {0x413CCCCD, 0x7F}, // 11.8: 1.9667, which is 2 with a carry
                 {0x413A6666, 0x7F}, // 11.65: 1.9417, the same
                 {0x41380000, 0x7F}, // 11.5: 1.9167 to 1.875
                 {0x2B800000, 0x01}, // 2^-40
                 {0x00000001, 0x00}, // the sixth of the smallest subnormal is zero
                 {0x00000008, 0x01}, // of a larger one it is not
                 {0x39C00000, 0x08}, // 6 x 2^-14, the smallest normal scale
                 {0x39BF0000, 0x07}, // a little less, which rounds to it with a carry
                 {0x7F7FFFFF, 0xFE}, // beyond the largest
                 {infinite, 0xFE},   {not_a_number, 0x00}, {0, 0x00}};
    for (const auto& row : table) {
        CAPTURE(row.amax);
        CHECK(exact::block_scale_of(choices, {}, row.amax) == row.scale);
        CHECK(fast::block_scale_of(choices, {}, row.amax) == row.scale);
    }
    // Under 0x00 nothing is said of an element but of a zero's magnitude.
    CHECK(exact::element_of(choices, {}, 0, 0x3F800000) == 0xF0);
    CHECK(fast::element_of(choices, {}, 0, 0x3F800000) == 0xF0);
    CHECK(exact::element_of(choices, {}, 0, 0) == 0x80);
    CHECK(fast::element_of(choices, {}, 0, 0) == 0x80);
}

TEST_CASE("an element by each source", "[nvfp4]") {
    for (const Nvfp4Preset& preset : nvfp4_presets()) {
        CAPTURE(preset.name);
        const Code scale_1 = preset.choices.scale->one_code();
        const Code scale_2 = scale_1 + (Code{1} << static_cast<unsigned>(preset.choices.scale->fraction_bits));
        const auto element = [&](Code scale, Code value) {
            return exact::element_of(preset.choices, {}, scale, value);
        };
        CHECK(element(scale_1, 0x40C00000) == 0x7); // 6
        CHECK(element(scale_1, 0xC0C00000) == 0xF);
        CHECK(element(scale_2, 0x40C00000) == 0x5); // 6 / 2
        CHECK(element(scale_1, 0x40A00000) == 0x6); // 5, a tie
        CHECK(element(scale_1, 0x3E800000) == 0x0); // 0.25, a tie
        CHECK(element(scale_1, infinite) == 0x7);
        CHECK(element(scale_1, 0xBE000000) == 0x8); // -0.125
        const bool keeps = preset.choices.zero_sign == ZeroSign::kept;
        CHECK(element(scale_1, 0x80000000) == (keeps ? 0x8 : 0x0));
    }
    // Under the scale 0x00 Transformer Engine multiplies by the largest binary32.
    CHECK(exact::element_of(by("te_nvfp4"), {}, 0x00, 0x00800000) == 0x6); // 2^-126 x 2^128
}

TEST_CASE("exact arithmetic and the machine's quantize to NVFP4 alike", "[nvfp4][values]") {
    SplitMix64 random(6);
    for (const Nvfp4Preset& preset : nvfp4_presets()) {
        for (int i = 0; i < 3'000; ++i) {
            const Code tensor_amax = nvfp4_edge(random);
            const TensorScales tensor = exact::tensor_scales_of(preset.choices, tensor_amax);
            CAPTURE(preset.name, i, tensor_amax);
            REQUIRE(fast::tensor_scales_of(preset.choices, tensor_amax) == tensor);
            for (int k = 0; k < 6; ++k) {
                // Near the amax of the tensor, or anywhere.
                const Code amax = k < 4 && tensor_amax > 0x08000000 && tensor_amax < infinite
                                      ? tensor_amax - random.below(0x07000000)
                                      : nvfp4_edge(random);
                const Code scale = exact::block_scale_of(preset.choices, tensor, amax);
                CAPTURE(amax, scale);
                REQUIRE(fast::block_scale_of(preset.choices, tensor, amax) == scale);
                const Code near = amax > 0x02000000 ? amax - random.below(0x02000000) : nvfp4_edge(random);
                const Code value = (k % 2 == 0 ? near : nvfp4_edge(random)) | (random.below(2) << 31);
                CAPTURE(value);
                REQUIRE(fast::element_of(preset.choices, tensor, scale, value) ==
                        exact::element_of(preset.choices, tensor, scale, value));
            }
        }
        for (const Format* value : {&fp32, &bf16, &fp16}) {
            CodeMatrix matrix{20, 40, {}};
            for (std::size_t i = 0; i < 800; ++i) matrix.codes.push_back(near_one(*value, random));
            const Code amax = exact::tensor_amax_of(preset.choices, *value, matrix);
            CHECK(fast::tensor_amax_of(preset.choices, *value, matrix) == (fp32.is_nan(amax) ? not_a_number : amax));
            for (const BlockShape& shape : {BlockShape{1, 16}, BlockShape{16, 16}, BlockShape{16, 1}})
                CHECK(fast::quantize(preset.choices, *value, shape, matrix, amax) ==
                      exact::quantize(preset.choices, *value, shape, matrix, amax));
        }
    }
}

TEST_CASE("what NVFP4 refuses", "[nvfp4]") {
    const CodeMatrix matrix{1, 2, {0, 0}};
    CHECK_THROWS_WITH(exact::quantize({}, fp64, {1, 16}, matrix, 0), "values of fp64: there are fp32, fp16 and bf16");
    CHECK_THROWS_WITH(fast::quantize({}, fp32, {1, 16}, {1, 3, {0, 0}}, 0), "a matrix of 1x3 has not 2 values");
    CHECK_THROWS_WITH(fast::quantize({}, fp32, {1, 16}, {0, 3, {}}, 0), "a matrix of 0x3 has not 0 values");
    CHECK_THROWS_WITH(fast::quantize({}, fp32, {1, 16}, matrix, 0x80000000),
                      "the amax of a tensor is a binary32 without sign");
    CHECK_THROWS_WITH(nvfp4_preset("te_nvfp5"), Catch::Contains("did you mean te_nvfp4"));
}

TEST_CASE("a block of NVFP4 is mapped to 4 where that is nearer", "[nvfp4]") {
    constexpr Code to_4 = 0x3C; // 1.5
    constexpr Code to_6 = 0x38; // 1
    // In a tensor of the amax 1536, with the scale 1. Under 1 there are 0 0.5 1 1.5 2 3 4 6, under 1.5 these and half.
    const auto scale = [](const char* recipe, std::vector<Code> values) {
        values.resize(16);
        const CodeMatrix matrix{1, 16, values};
        const Nvfp4Quantized quantized = exact::quantize(by(recipe), fp32, BlockShape{1, 16}, matrix, 0x44C00000);
        CHECK(fast::quantize(by(recipe), fp32, BlockShape{1, 16}, matrix, 0x44C00000) == quantized);
        return quantized.scales.front();
    };
    constexpr Code six = 0x40C00000;
    constexpr Code five = 0x40A00000;
    constexpr Code four = 0x40800000;
    constexpr Code three = 0x40400000;
    // 5 is 4 or 4.5: errors of 1 and 0.5.
    CHECK(scale("te_nvfp4_4over6", {six, five}) == to_4);
    CHECK(scale("te_nvfp4_4over6_mse", {six, five}) == to_4);
    CHECK(scale("te_nvfp4", {six, five}) == 0x3E); // of a range of 2688: 1.75
    // 3 is 3 under both.
    CHECK(scale("te_nvfp4_4over6", {six, three}) == to_6);
    // 5 and 4: 1 + 0 and 0.5 + 0.5, or 1 and 0.5 squared.
    CHECK(scale("te_nvfp4_4over6", {six, five, four}) == to_6);
    CHECK(scale("te_nvfp4_4over6_mse", {six, five, four}) == to_4);
    // A NaN is never the smaller error.
    CHECK(scale("te_nvfp4_4over6", {six, five, not_a_number}) == to_6);
    CHECK(scale("te_nvfp4_4over6", {}) == 0);
    // Of a range of 448 x 6 a scale of 448 is that of both maps.
    const CodeMatrix largest{1, 16, std::vector<Code>(16, 0x45280000)};
    CHECK(exact::quantize(by("te_nvfp4_4over6_448"), fp32, BlockShape{1, 16}, largest, 0x45280000).scales.front() ==
          0x7E);
}

TEST_CASE("what an element of NVFP4 stands for by each source", "[nvfp4]") {
    constexpr Code three = 0x5;         // E2M1
    constexpr Code scale = 0x3C;        // E4M3: 1.5
    constexpr Code minus_tiny = 0x81;   // E4M3: -2^-9
    constexpr Code amax = 0x44280000;   // 672 = 2688 / 4
    constexpr Code decode = 0x3E800000; // 1/4
    constexpr Code encode = 0x40800000; // 4
    const auto value = [](const char* recipe, Code scale, Code number, const Format& target, Code element) {
        const Code factor = exact::factor_of(by(recipe), scale, number);
        CHECK(fast::factor_of(by(recipe), scale, number) == factor);
        const Code code = exact::value_of(by(recipe), target, factor, element);
        CHECK(fast::value_of(by(recipe), target, factor, element) == code);
        return code;
    };
    // 3 x 1.5 / 4 = 1.125. Transformer Engine multiplies by 1/2688, which is no binary number: 1008 x RN(1/2688) is
    // 0.375 still, as the error is below half an ulp of it.
    for (const auto& [recipe, number] :
         {std::pair("te_nvfp4", amax), std::pair("torchao_nvfp4", decode), std::pair("modelopt_nvfp4", decode),
          std::pair("compressed_tensors_nvfp4", encode)}) {
        CAPTURE(recipe);
        CHECK(value(recipe, scale, number, fp32, three) == 0x3F900000);
        CHECK(value(recipe, scale, number, bf16, three) == 0x3F90);
        CHECK(value(recipe, scale, number, fp16, three) == 0x3C80);
        // -0 is read as +0 by one of them; times a negative scale it has the other sign.
        const bool keeps_sign = !by(recipe).minus_zero_is_zero;
        CHECK(value(recipe, scale, number, fp32, 0x8) == (keeps_sign ? 0x80000000 : 0));
        CHECK(value(recipe, minus_tiny, number, fp32, 0x8) == (keeps_sign ? 0 : 0x80000000));
        CHECK(value(recipe, 0x7F, number, bf16, three) == 0x7FC0); // a scale that is NaN
        CHECK(value(recipe, scale, not_a_number, bf16, three) == 0x7FC0);
    }
    CHECK(value("torchao_nvfp4_one_level", scale, unit, fp32, three) == 0x40900000); // 4.5
    // Where the three differ: an amax of 3, s = 1. RN(1/2688) = 0x39C30C31, RN(3/2688) = 0x3A924925 = RN(3 x
    // RN(1/2688)).
    CHECK(exact::factor_of(by("te_nvfp4"), 0x38, 0x40400000) == 0x3A924925);
    // Beyond binary16 it is Inf, and a tensor of Inf makes every zero NaN.
    CHECK(value("torchao_nvfp4", 0x7E, 0x43800000, fp16, 0x7) == 0x7C00);
    CHECK(value("torchao_nvfp4", 0x38, infinite, fp32, 0) == not_a_number);
    CHECK(value("compressed_tensors_nvfp4", 0x38, infinite, fp32, three) == 0);
}

TEST_CASE("both models dequantize NVFP4 to the same values", "[nvfp4][values]") {
    SplitMix64 random(97);
    for (const Nvfp4Preset& preset : nvfp4_presets())
        for (int i = 0; i < 400; ++i) {
            const Code number = nvfp4_edge(random);
            const Code scale = random.below(256);
            CAPTURE(preset.name, number, scale);
            const Code factor = exact::factor_of(preset.choices, scale, number);
            const Code by_machine = fast::factor_of(preset.choices, scale, number);
            CHECK((by_machine == factor || (fp32.is_nan(by_machine) && fp32.is_nan(factor))));
            for (const Format* target : {&fp32, &fp16, &bf16})
                for (Code element = 0; element < 16; ++element)
                    REQUIRE(fast::value_of(preset.choices, *target, factor, element) ==
                            exact::value_of(preset.choices, *target, factor, element));
        }
}

TEST_CASE("every zero loses its sign, and NaN is the amax only alone, where that is chosen", "[nvfp4]") {
    Nvfp4 choices = by("te_nvfp4");
    const CodeMatrix numbers{1, 16, {unit, 0x80000000, 0x80000001, not_a_number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
    const CodeMatrix nans{1, 16, std::vector<Code>(16, not_a_number)};
    for (const ZeroSign sign : {ZeroSign::kept, ZeroSign::dropped, ZeroSign::input_dropped})
        for (const AmaxNan how : {AmaxNan::ignored, AmaxNan::if_alone, AmaxNan::propagated}) {
            choices.zero_sign = sign;
            choices.amax_nan = how;
            CAPTURE(static_cast<int>(sign), static_cast<int>(how));
            for (const CodeMatrix& values : {numbers, nans}) {
                const Nvfp4Quantized quantized = fast::quantize(choices, fp32, {1, 16}, values, unit);
                CHECK(quantized == exact::quantize(choices, fp32, {1, 16}, values, unit));
                if (how != AmaxNan::propagated && values.codes[0] == unit) {
                    CHECK(quantized.elements.codes[1] == (sign == ZeroSign::kept ? 0x8 : 0));
                    CHECK(quantized.elements.codes[2] == (sign == ZeroSign::dropped ? 0 : 0x8));
                }
            }
        }
}

TEST_CASE("the amax of a tensor with NaN is NaN always, if there is nothing else, or never", "[nvfp4]") {
    Nvfp4 choices = by("te_nvfp4");
    const CodeMatrix mixed{1, 3, {unit, not_a_number, 0xC0000000}};
    const CodeMatrix alone{1, 2, {not_a_number, not_a_number}};
    const auto amax = [&](AmaxNan how, const CodeMatrix& values) {
        choices.amax_nan = how;
        const Code exactly = exact::tensor_amax_of(choices, fp32, values);
        const Code by_machine = fast::tensor_amax_of(choices, fp32, values);
        CHECK((by_machine == exactly || (fp32.is_nan(by_machine) && fp32.is_nan(exactly))));
        return exactly;
    };
    CHECK(amax(AmaxNan::ignored, mixed) == 0x40000000);
    CHECK(amax(AmaxNan::if_alone, mixed) == 0x40000000);
    CHECK(fp32.is_nan(amax(AmaxNan::propagated, mixed)));
    CHECK(amax(AmaxNan::ignored, alone) == 0);
    CHECK(fp32.is_nan(amax(AmaxNan::if_alone, alone)));
    CHECK(fp32.is_nan(amax(AmaxNan::propagated, alone)));
}

TEST_CASE("open bits of an element may be anything, the others not", "[nvfp4]") {
    CHECK(is_nvfp4_element(0x7, 0x7));
    CHECK_FALSE(is_nvfp4_element(0x7, 0xF));
    CHECK_FALSE(is_nvfp4_element(0x7, 0x17)); // no code of four bits
    const Code open_sign = Code{0x8} << nvfp4_open_shift | 0x7;
    CHECK(is_nvfp4_element(open_sign, 0x7));
    CHECK(is_nvfp4_element(open_sign, 0xF));
    CHECK_FALSE(is_nvfp4_element(open_sign, 0x6));
    CHECK_FALSE(is_nvfp4_element(open_sign, open_sign));
    for (Code code = 0; code <= e2m1.last_code(); ++code)
        CHECK(is_nvfp4_element(e2m1.last_code() << nvfp4_open_shift, code));
}

TEST_CASE("a scale without a carry of NaN is that of NaN", "[nvfp4]") {
    Nvfp4 choices = by("te_nvfp4");
    choices.scale_carry_lost = true;
    choices.nan_scale_is_zero = choices.limited = false;
    const TensorScales tensor = exact::tensor_scales_of(choices, unit);
    const Code scale = exact::block_scale_of(choices, tensor, not_a_number);
    CHECK(fast::block_scale_of(choices, tensor, not_a_number) == scale);
}

TEST_CASE("a block is mapped to 4 only where both errors are numbers", "[nvfp4]") {
    Nvfp4 choices = by("te_nvfp4");
    const std::vector<Code> values(16, 0x3BB00000); // 5.5 x 2^-10
    const TensorScales tensor{unit, unit, 0x3F800000};
    CHECK_FALSE(exact::is_mapped_to_4(choices, tensor, values[0], values, 1));
    CHECK_FALSE(fast::is_mapped_to_4(choices, tensor, values[0], values, 1));
    // By an amax of Inf the scale to 4, 2^-9, gives Inf, and that to 6, which is 0, NaN.
    choices.four_over_six = recipe::FourOverSix::absolute;
    const TensorScales of_inf{unit, unit, 0x7F800000};
    CHECK(exact::block_scale_to_4(choices, of_inf, values[0]) == 0x01);
    CHECK(exact::block_scale_of(choices, of_inf, values[0]) == 0x00);
    CHECK_FALSE(exact::is_mapped_to_4(choices, of_inf, values[0], values, 1));
    CHECK_FALSE(fast::is_mapped_to_4(choices, of_inf, values[0], values, 1));
}
