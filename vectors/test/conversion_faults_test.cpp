// SPDX-License-Identifier: Apache-2.0
#include "vectors/faults/conversion_faults.hpp"

#include <algorithm>
#include <catch.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/conversion.hpp"
#include "reference/exact/exact.hpp"
#include "vectors/tables/compare.hpp"
#include "vectors/tables/tabulate.hpp"
#include "vectors/test/fault_codes.hpp"

using namespace mxcert;
using test::code_of;
using test::fault;

TEST_CASE("faults of positive inputs are also planted after a rectifier", "[bugs][values]") {
    std::size_t planted = 0;
    for (const char* const name : {"relu_fp32-e4m3-nearest_even-sat", "relu_bf16-e5m2-nearest_even-sat",
                                   "relu_fp16-e2m1-nearest_even-sat", "relu_fp32-e2m3-nearest_even-sat"}) {
        const Conversion conversion = parse_conversion(name);
        const Conversion plain = parse_conversion(std::string(name).substr(5));
        Choices choices = choices_of(conversion);
        choices.nan = NanRule::canonical; // as PTX has it
        const StepTable right = tabulate(*conversion.from, *conversion.to, choices);
        for (const ConversionFault& fault : conversion_faults()) {
            CAPTURE(name, fault.name);
            const bool has = fault.applies(*conversion.from, *conversion.to);
            if (!fault.applies(*plain.from, *plain.to)) continue;
            CHECK(has == (fault.bug_class != "NEG_ZERO"));
            if (!has) continue;
            const StepTable table = fault.make(*conversion.from, *conversion.to, choices);
            const StepTable without = fault.make(*plain.from, *plain.to, choices);
            CHECK(table.from == conversion.from);
            CHECK(broken(table).empty());
            const Code minus_zero = conversion.from->sign_bit();
            for (const Step& step : without.steps)
                if (step.first < minus_zero) CHECK(code_of(table, step.first) == step.code);
            for (const Code input : {minus_zero, minus_zero + 1, minus_zero | conversion.from->one_code(),
                                     minus_zero | conversion.from->inf_code(), conversion.from->last_code()})
                CHECK(code_of(table, input) == code_of(right, input));
            const bool is_wrong = !compare(table, right).empty();
            // Without a NaN some give another code for negative NaN alone.
            const bool is_wrong_before = !compare(without, tabulate(*plain.from, *plain.to, choices)).empty();
            CHECK((is_wrong == is_wrong_before || !conversion.to->has_nan()));
            planted += is_wrong ? 1 : 0;
        }
    }
    CHECK(planted > 150);
    CHECK(code_of(fault("the carry of a rounding is dropped").make(formats::relu_fp32, formats::e4m3, Choices{}),
                  0x42FC7AE1) == 0x68);
    CHECK(code_of(fault("the carry of a rounding is dropped").make(formats::relu_fp32, formats::e4m3, Choices{}),
                  0xC2FC7AE1) == 0x00);
}

// The right codes and the wrong ones as people reported them (docs/bugs.md).
TEST_CASE("faults give what was reported of them", "[bugs][values]") {
    struct Reported {
        std::string_view fault;
        std::string_view conversion;
        Code input;
        Code right;
        Code wrong;
    };
    std::vector<Reported> all{
        {"the carry of a rounding is dropped", "fp32-e4m3-nearest_even-sat", 0x42FC7AE1, 0x70, 0x68}, // 126.24
        {"the carry of a rounding is dropped", "fp32-e4m3-nearest_even-sat", 0xC2FC7AE1, 0xF0, 0xE8},
        {"from 256 on everything is the largest", "fp32-e4m3-nearest_even-sat", 0x43800000, 0x78, 0x7E},
        {"from 256 on everything is the largest", "fp32-e4m3-nearest_even-sat", 0x43700000, 0x77, 0x77},
        {"240 is the largest", "fp32-e4m3-nearest_even-sat", 0x43E00000, 0x7E, 0x77},
        {"subnormals are read with a hidden bit", "e4m3-fp32-nearest_even-nosat", 0x01, 0x3B000000, 0x3C100000},
        {"subnormals are read with a hidden bit", "e4m3-fp32-nearest_even-nosat", 0x80, 0x80000000, 0x80000000},
        {"subnormals are made with a hidden bit", "fp32-e4m3-nearest_even-sat", 0x3C100000, 0x04, 0x01},
        {"subnormals are made with a hidden bit", "fp32-e4m3-nearest_even-sat", 0x80000000, 0x80, 0x80},
        // 2^-9 (1 + 7/16): below half of the first step once, above it if it was rounded up before.
        {"what becomes subnormal is rounded as a normal number first", "fp32-e4m3-nearest_even-sat", 0x3BBF0000, 0x03,
         0x03},
        {"what becomes subnormal is rounded as a normal number first", "fp32-e4m3-nearest_even-sat", 0x3BDF0000, 0x03,
         0x04},
        // gguf 0.19.0: -6 under the scale 0xFF; 1.75 x 2^127 by the scale 2^126, of which 4 would be beyond FP32.
        {"the scale 0xFF is read as 2^128", "e2m1_times_e8m0-fp32-nearest_even-nosat", 0xFFF, 0x7FFFFFFF, 0xFF800000},
        {"an element whose value is beyond FP32 is not taken", "fp32_by_e8m0-e2m1-nearest_even-sat", 0xFD7F600001, 0x6,
         0x5},
        {"an element whose value is beyond FP32 is not taken", "bf16_by_e8m0-e4m3-nearest_even-nosat", 0x007F7F, 0x7F,
         0x7F}, // a NaN is no element beyond FP32
        // MLX 0.32: 6 x 2^-27, 1.5 x 2^-25, and scales beyond FP16.
        {"the scale 0xFF is read as Inf in a product", "e2m1_times_e8m0-fp32-nearest_even-nosat", 0xFFF, 0x7FFFFFFF,
         0xFF800000},
        {"the scale 0xFF is read as Inf in a product", "e2m1_times_e8m0-fp32-nearest_even-nosat", 0xFF8, 0x7FFFFFFF,
         0x7FFFFFFF},
        {"the scale 0xFF is read as Inf in a product", "e4m3_times_e8m0-fp16-nearest_even-nosat", 0xFF01, 0x7FFF,
         0x7C00},
        {"the scale is rounded to FP16 first", "e2m1_times_e8m0-fp16-nearest_even-nosat", 0x647, 0x0001, 0x0000},
        {"the scale is rounded to FP16 first", "e2m1_times_e8m0-fp16-nearest_even-nosat", 0x66B, 0x8001, 0x8000},
        {"the scale is rounded to FP16 first", "e2m1_times_e8m0-fp16-nearest_even-nosat", 0x671, 0x0000, 0x0000},
        {"the scale is rounded to FP16 first", "e2m1_times_e8m0-fp16-nearest_even-nosat", 0x672, 0x0001, 0x0001},
        {"the scale is rounded to FP16 first", "e2m1_times_e8m0-fp16-nearest_even-nosat", 0x8E1, 0x7400, 0x7400},
        {"the scale is rounded to FP16 first", "e2m1_times_e8m0-fp16-nearest_even-nosat", 0x8F1, 0x7800, 0x7C00},
        {"the scale is rounded to FP16 first", "e4m3_times_e8m0-fp16-nearest_even-nosat", 0x8F01, 0x5800, 0x7C00},
        {"the scale is rounded to FP16 first", "e4m3_times_e8m0-fp16-nearest_even-nosat", 0x8F00, 0x0000, 0x7FFF},
        {"subnormal values are read with a hidden bit", "bf16_by_e8m0-e4m3-nearest_even-sat", 0x000001, 0x08, 0x38},
        {"subnormal values are read with a hidden bit", "bf16_by_e8m0-e4m3-nearest_even-sat", 0x000000, 0x00, 0x00},
        // 1 by NSCALE -1: 0.5, 2, 1, 2^31; 1 by LSCALE 16: 2^-16, 1.
        {"the exponent of FPMR is taken with the other sign", "fp16_times_nscale5-e4m3-nearest_even-nosat", 0xF3C00,
         0x30, 0x40},
        {"the exponent of FPMR is left out", "fp16_times_nscale5-e4m3-nearest_even-nosat", 0xF3C00, 0x30, 0x38},
        {"NSCALE is read without its sign", "fp16_times_nscale5-e4m3-nearest_even-nosat", 0xF3C00, 0x30, 0x7F},
        {"LSCALE is read by four of its six bits", "e5m2_by_lscale6-bf16-nearest_even-nosat", 0x103C, 0x3780, 0x3F80},
        {"the rectifier is left out", "relu_fp16-e4m3-nearest_even-sat", 0xBC00, 0x00, 0xB8},
        {"-0 passes the rectifier", "relu_fp16-e4m3-nearest_even-sat", 0x8000, 0x00, 0x80},
        {"-0 passes the rectifier", "relu_fp16-e4m3-nearest_even-sat", 0x8001, 0x00, 0x00},
        {"NaN becomes zero in the rectifier", "relu_fp16-e4m3-nearest_even-sat", 0x7E00, 0x7F, 0x00},
        {"invalid is not raised", "fp32-flags_of_e4m3-nearest_even-nosat", 0x7F800001, 0x10, 0x00},
        {"overflow is not raised", "fp32-flags_of_e4m3-nearest_even-nosat", 0x43E80001, 0x05, 0x01},
        {"underflow is not raised", "fp32-flags_of_e4m3-nearest_even-nosat", 0x00000001, 0x03, 0x01},
        {"inexact is not raised", "fp32-flags_of_e4m3-nearest_even-nosat", 0x00000001, 0x03, 0x02},
        {"inexact is not raised with underflow", "fp32-flags_of_e4m3-nearest_even-nosat", 0x00000001, 0x03, 0x02},
        {"inexact is not raised with overflow", "fp32-flags_of_e4m3-nearest_even-nosat", 0x43E80001, 0x05, 0x04},
        {"inexact is raised for every number but zero", "fp32-flags_of_e4m3-nearest_even-nosat", 0x3F800000, 0x00,
         0x01},
        {"underflow is raised for exact results", "fp32-flags_of_e4m3-nearest_even-nosat", 0x3B000000, 0x00, 0x02},
        {"underflow is raised by the rounded result", "fp32-flags_of_e4m3-nearest_even-nosat", 0x3C700000, 0x03, 0x01},
        {"every value raises what any value raises", "fp32-flags_of_e4m3-nearest_even-nosat", 0x3F800000, 0x00, 0x17},
        {"negative integers are made with a sign bit", "fp32-int8-nearest_even-sat", 0xBF800000, 0xC0, 0xC0},
        {"negative integers are made with a sign bit", "fp32-int8-nearest_even-sat", 0xBC800000, 0xFF, 0x81},
        {"negative integers are read with a sign bit", "int8-fp32-nearest_even-nosat", 0xFF, 0xBC800000, 0xBFFE0000},
        {"negative integers are read with a sign bit", "int8-fp32-nearest_even-nosat", 0x80, 0xC0000000, 0x80000000},
        {"negative integers are made by inverted bits alone", "fp32-int8-nearest_even-sat", 0xBF800000, 0xC0, 0xBF},
        {"negative integers are made by inverted bits alone", "fp32-int8-nearest_even-sat", 0x3F800000, 0x40, 0x40},
        {"what rounds up beyond the largest integer is the lowest", "fp32-int8-nearest_even-sat", 0x3FFF0000, 0x7F,
         0x80},
        {"what rounds up beyond the largest integer is the lowest", "fp32-int8-nearest_even-sat", 0x3FFEFFFF, 0x7F,
         0x7F},
        {"what rounds up beyond the largest integer is the lowest", "fp32-int8-nearest_even-sat", 0x40020000, 0x7F,
         0x7F},
        {"negative integers are read with a sign bit", "int8_times_e8m0-bf16-nearest_even-nosat", 0x7FFF, 0xBC80,
         0xBFFE},
        {"integers are read without the implied scale", "int8_times_e8m0-bf16-nearest_even-nosat", 0x7F40, 0x3F80,
         0x4280},
        {"integers are made without the implied scale", "fp32-int8-nearest_even-sat", 0xBFA00000, 0xB0, 0xFF},
        {"integers are read without the implied scale", "int8-fp32-nearest_even-nosat", 0x80, 0xC0000000, 0xC3000000},
        {"a scale without sign is made with Inf", "bf16-ue5m3-nearest_even-nosat", 0x4780, 0xF8, 0xF8}, // 65,536
        {"a scale without sign is made with Inf", "bf16-ue5m3-nearest_even-nosat", 0x47A0, 0xFA, 0xF8}, // 81,920
        {"a scale without sign is made without NaN", "bf16-ue5m3-nearest_even-nosat", 0x47F0, 0xFF, 0xFF},
        {"a scale without sign is read with Inf", "ue4m3-fp16-nearest_even-nosat", 0x78, 0x5C00, 0x7C00},    // 256
        {"a scale without sign is read without NaN", "ue4m3-fp16-nearest_even-nosat", 0x7F, 0x7FFF, 0x5F80}, // 480
        {"tiny numbers are shifted by more than a word", "fp32-e5m2-nearest_even-sat", 0x18800000, 0x00, 0x04},
        {"tiny numbers are shifted by more than a word", "fp32-e4m3-nearest_even-sat", 0x1C800000, 0x00, 0x08},
        {"tiny numbers are shifted by more than a word", "fp32-e4m3-nearest_even-sat", 0x9C800000, 0x80, 0x88},
        {"tiny numbers are shifted by more than a word", "fp32-e4m3-nearest_even-sat", 0x1D000000, 0x00, 0x00},
        // As 2^64 times the number is rounded, which cast_to_f8() of ROCm/clr f9f995c gives without optimisation.
        {"tiny numbers are shifted by more than a word", "fp32-e4m3-nearest_even-sat", 0x1A800000, 0x00, 0x00},
        {"tiny numbers are shifted by more than a word", "fp32-e4m3-nearest_even-sat", 0x1A800001, 0x00, 0x01},
        {"tiny numbers are shifted by more than a word", "fp32-e4m3-nearest_even-sat", 0x1B400000, 0x00, 0x02},
        {"tiny numbers are shifted by more than a word", "fp32-e4m3-nearest_even-sat", 0x1C700000, 0x00, 0x08},
        {"tiny numbers are shifted by more than a word", "fp32-e4m3-nearest_even-sat", 0x1CF7FFFF, 0x00, 0x0F},
        {"tiny numbers are shifted by more than a word", "fp32-e4m3-nearest_even-sat", 0x9CF80000, 0x80, 0x90},
        {"tiny numbers are shifted by more than a word", "fp32-e5m2-nearest_even-sat", 0x17000001, 0x00, 0x01},
        {"tiny numbers are shifted by more than a word", "bf16-e5m2-nearest_even-nosat", 0x9880, 0x80, 0x84},
        {"tiny numbers are shifted by more than a word", "fp64-e4m3-nearest_even-sat", 0x0358000000000000, 0x00, 0x01},
        {"tiny numbers are shifted by more than a word", "fp64-e4m3-nearest_even-sat", 0x3B98000000000000, 0x00, 0x0C},
        {"made as FNUZ", "fp32-e4m3-nearest_even-sat", 0x3F800000, 0x38, 0x40},
        {"made as FNUZ", "fp32-e4m3-nearest_even-sat", 0x7FC00000, 0x7F, 0x80},
        {"read as FNUZ", "e4m3-fp32-nearest_even-nosat", 0x38, 0x3F800000, 0x3F000000},
        {"NaN and Inf are read as numbers", "e4m3-fp32-nearest_even-nosat", 0x7F, 0x7FFFFFFF, 0x43F00000}, // 480
        {"NaN and Inf are read as numbers", "e5m2-fp32-nearest_even-nosat", 0x7C, 0x7F800000, 0x47800000}, // 65536
        {"480 is a number", "fp32-e4m3-nearest_even-sat", 0x43EB0000, 0x7E, 0x7F},                         // 470
        {"E4M3 with Inf, of which 240 is the largest", "fp32-e4m3-nearest_even-nosat", 0x43800000, 0x78, 0x78},
        {"E4M3 with Inf, of which 240 is the largest", "fp32-e4m3-nearest_even-nosat", 0x43E00000, 0x7E, 0x78},
        {"480 is read", "e4m3-fp32-nearest_even-nosat", 0xFF, 0x7FFFFFFF, 0xC3F00000},
        {"E4M3 is read with Inf and NaN from 256 on", "e4m3-fp32-nearest_even-nosat", 0x78, 0x43800000, 0x7F800000},
        {"E5M2 is read with the NaN of E4M3 alone", "e5m2-fp32-nearest_even-nosat", 0x7C, 0x7F800000, 0x47800000},
        {"a scale below the smallest is cut to a byte", "amax_fp32-e8m0_for_e4m3-ocp_floor-sat", 0x03800000, 0x00,
         0xFF},
        {"a scale below the smallest is cut to a byte", "amax_fp32-e8m0_for_e4m3-ocp_floor-sat", 0x04000000, 0x00,
         0x00},
        {"a scale below the smallest is cut to a byte", "amax_fp32-e8m0_for_e4m3-ocp_floor-sat", 0x00000001, 0x00,
         0xE2},
        {"Inf is left out of the amax", "amax_fp32-e8m0_for_e4m3-ocp_floor-sat", 0x7F800000, 0xFE, 0x00},
        {"a negative NaN gives the smallest scale", "fp32-e8m0-nearest_even-sat", 0xFFC00000, 0xFF, 0x00},
        {"a negative NaN gives the smallest scale", "fp32-e8m0-nearest_even-sat", 0x7FC00000, 0xFF, 0xFF},
        // What compilers made of the shifts of amd_hip_fp8.h (ROCm/rocm-systems#10591), measured.
        {"tiny numbers are shifted by more than a word", "fp32-e4m3-nearest_even-sat", 0x1A800001, 0x00, 0x01},
        {"tiny numbers are shifted by more than a word", "fp32-e4m3-nearest_even-sat", 0x1A800000, 0x00, 0x00},
        {"tiny numbers are shifted by more than a word", "fp32-e4m3-nearest_even-sat", 0x1B400000, 0x00, 0x02},
        {"tiny numbers are shifted by more than a word", "fp32-e4m3-nearest_even-sat", 0x1BA00000, 0x00, 0x02},
        {"tiny numbers are shifted by more than a word", "fp32-e4m3-nearest_even-sat", 0x1CF80000, 0x00, 0x10},
        {"tiny numbers are shifted by more than a word", "fp32-e4m3-nearest_even-sat", 0x9CF80000, 0x80, 0x90},
        {"tiny numbers are shifted by more than a word", "fp32-e5m2-nearest_even-sat", 0x18F00000, 0x00, 0x08},
        {"tiny numbers are shifted by more than a word", "bf16-e4m3-nearest_even-sat", 0x1A81, 0x00, 0x01},
        {"tiny numbers are shifted modulo 64, the last carry lost", "fp32-e4m3-nearest_even-sat", 0x1CF7FFFF, 0x00,
         0x0F},
        {"tiny numbers are shifted modulo 64, the last carry lost", "fp32-e4m3-nearest_even-sat", 0x1CF80000, 0x00,
         0x00},
        {"tiny numbers are shifted modulo 64, ties up but the first", "fp32-e4m3-nearest_even-sat", 0x1BA00000, 0x00,
         0x03},
        {"tiny numbers are shifted modulo 64, ties up but the first", "fp32-e4m3-nearest_even-sat", 0x1A800000, 0x00,
         0x00},
        {"tiny numbers are shifted modulo 64, ties up but the first, the last carry lost", "fp32-e5m2-nearest_even-sat",
         0x18D00000, 0x00, 0x07},
        {"tiny numbers are shifted modulo 64, ties up but the first, the last carry lost", "fp32-e5m2-nearest_even-sat",
         0x18F00000, 0x00, 0x00},
        {"tiny numbers are shifted modulo 64, ties up", "fp32-e4m3-nearest_even-sat", 0x1A800000, 0x00, 0x01},
        {"tiny numbers are shifted modulo 64, what is shifted out lost", "fp32-e4m3-nearest_even-sat", 0x1A800001, 0x00,
         0x00},
        {"tiny numbers are shifted modulo 64, the hidden bit lost", "fp32-e4m3-nearest_even-sat", 0x1C900000, 0x00,
         0x01},
        {"tiny numbers are shifted modulo 32", "fp32-e4m3-nearest_even-sat", 0x2A800001, 0x00, 0x01},
        {"tiny numbers are shifted modulo 32", "fp32-e4m3-nearest_even-sat", 0x1C800000, 0x00, 0x08},
        // 1 + 2^-4 + 2^-23: just above the tie of 0x38 and 0x39.
        {"the sticky bit is made without bit 0", "fp32-e4m3-nearest_even-sat", 0x3F880001, 0x39, 0x38},
        {"the sticky bit is made without bit 0", "fp32-e4m3-nearest_even-sat", 0x3F880003, 0x39, 0x39},
        {"the sticky bit is made without bit 18", "fp32-e4m3-nearest_even-sat", 0x3F8C0000, 0x39, 0x38},
        {"the sticky bit is made without bits 0 to 7", "fp32-e4m3-nearest_even-sat", 0x3F8800FF, 0x39, 0x38},
        {"the sticky bit is made without bits 0 to 7", "fp32-e4m3-nearest_even-sat", 0x3F880100, 0x39, 0x39},
        {"the sticky bit is made without bit 12 and all above", "fp32-e4m3-nearest_even-sat", 0x3F881000, 0x39, 0x38},
        {"the sticky bit is made without bit 12 and all above", "fp32-e4m3-nearest_even-sat", 0x3F88F800, 0x39, 0x39},
        {"the sticky bit is made without bit 12 and all above", "fp32-e4m3-nearest_even-sat", 0xBF8FF000, 0xB9, 0xB8},
        {"no sticky bit behind 0 guard bits", "fp32-e4m3-nearest_even-sat", 0x3F8FFFFF, 0x39, 0x38},
        {"no sticky bit behind 1 guard bits", "fp32-e4m3-nearest_even-sat", 0x3F8BFFFF, 0x39, 0x38},
        {"no sticky bit behind 1 guard bits", "fp32-e4m3-nearest_even-sat", 0x3F8C0000, 0x39, 0x39},
        {"bits that a subnormal is shifted out by are lost", "fp32-e4m3-nearest_even-sat", 0x3B200001, 0x01, 0x01},
        {"bits that a subnormal is shifted out by are lost", "fp32-e4m3-nearest_even-sat", 0x3BA00003, 0x03, 0x02},
        {"bits that a subnormal is shifted out by are lost", "fp32-e4m3-nearest_even-sat", 0x3F880001, 0x39, 0x39},
        {"what rounds to the code after the largest overflows by the other mode", "fp32-e4m3-nearest_even-sat",
         0x43E80001, 0x7E, 0x7F},
        {"what rounds to the code after the largest overflows by the other mode", "fp32-e4m3-nearest_even-sat",
         0x43F80001, 0x7E, 0x7E},
        {"what rounds to the code after the largest overflows by the other mode", "fp32-e5m2-nearest_even-nosat",
         0x47800000, 0x7C, 0x7B},
        {"what overflows in the binade of the largest overflows by the other mode", "fp32-e4m3-nearest_even-nosat",
         0x43FFFFFF, 0x7F, 0x7E},
        {"what overflows in the binade of the largest overflows by the other mode", "fp32-e4m3-nearest_even-nosat",
         0x44000000, 0x7F, 0x7F},
        {"what rounds to the code after the largest is zero", "fp32-e4m3-nearest_even-sat", 0xC3F00000, 0xFE, 0x80},
        {"what overflows in the binade of the largest is zero", "fp16-e5m2-nearest_even-sat", 0x7B80, 0x7B, 0x00},
        {"overflow is looked for before rounding", "fp32-e4m3-nearest_even-sat", 0x43EFFFFF, 0x7E, 0x7F},
        {"overflow is looked for before rounding", "fp32-e4m3-nearest_even-sat", 0x43F00000, 0x7E, 0x7E},
        {"overflow is looked for before rounding", "fp32-e4m3-nearest_even-nosat", 0xC3E80001, 0xFF, 0xFE},
        {"overflow is looked for before rounding", "fp32-e5m2-nearest_even-sat", 0x477FFFFF, 0x7B, 0x7C},
        {"the carry beyond the largest is dropped", "fp16-e5m2-nearest_even-nosat", 0x7B80, 0x7C, 0x78},
        {"below the smallest subnormal everything is zero", "fp32-e4m3-nearest_even-sat", 0xBAFFFFFF, 0x81, 0x80},
        {"below the smallest subnormal everything is zero", "fp32-e4m3-nearest_even-sat", 0x3B000000, 0x01, 0x01},
        {"half of the smallest subnormal is rounded up", "fp32-e4m3-nearest_even-sat", 0x3A800000, 0x00, 0x01},
        {"the carry into the smallest normal number is dropped", "fp32-e4m3-nearest_even-sat", 0x3C7FFFFF, 0x08, 0x00},
        {"the carry into the smallest normal number is held back", "fp32-e4m3-nearest_even-sat", 0x3C7FFFFF, 0x08,
         0x07},
        {"the carry into the smallest normal number is dropped", "fp32-e4m3-up-sat", 0x3C780001, 0x08, 0x00},
        {"the carry into the smallest normal number is dropped", "fp32-e4m3-up-sat", 0xBC7FFFFF, 0x87, 0x87},
        {"the carry into the smallest normal number is dropped", "fp32-e4m3-up-sat", 0xBC800000, 0x88, 0x88},
        {"what underflows loses its sign, zero does not", "fp32-e4m3-nearest_even-sat", 0xBA800000, 0x80, 0x00},
        {"what underflows loses its sign, zero does not", "fp32-e4m3-nearest_even-sat", 0x80000000, 0x80, 0x80},
        {"what is below half of the smallest subnormal loses its sign", "fp32-e4m3-nearest_even-sat", 0xBA7FFFFF, 0x80,
         0x00},
        {"what is below half of the smallest subnormal loses its sign", "fp32-e4m3-nearest_even-sat", 0xBA800000, 0x80,
         0x80},
        {"zero, and what is below half of the smallest subnormal, loses its sign", "fp32-e4m3-nearest_even-sat",
         0x80000000, 0x80, 0x00},
        {"subnormals of the source lose their sign", "fp32-e4m3-nearest_even-sat", 0x80000001, 0x80, 0x00},
        {"subnormals of the source lose their sign", "fp32-e4m3-nearest_even-sat", 0x80800000, 0x80, 0x80},
        {"zero and subnormals of the source lose their sign", "fp32-e4m3-nearest_even-sat", 0x80000000, 0x80, 0x00},
        {"E5M2 overflows beyond 448, the largest of E4M3", "fp32-e5m2-nearest_even-nosat", 0x43E00001, 0x5F, 0x7C},
        {"E5M2 overflows beyond 448, the largest of E4M3", "fp32-e5m2-nearest_even-sat", 0x44000000, 0x60, 0x7B},
        {"E5M2 is clamped to 448, the largest of E4M3", "fp32-e5m2-nearest_even-sat", 0xC4000000, 0xE0, 0xDF},
        {"E4M3 is tested with the largest of E5M2, and codes are cut to 7 bits", "fp32-e4m3-nearest_even-sat",
         0x44000000, 0x7E, 0x00},
        {"E4M3 is tested with the largest of E5M2, and codes run into the sign", "fp32-e4m3-nearest_even-sat",
         0x44000000, 0x7E, 0x80},
        {"E4M3 is tested with the largest of E5M2, and codes run into the sign", "fp32-e4m3-nearest_even-sat",
         0x47800000, 0x7E, 0x7E},
        {"numbers from 65536 on are taken for the Inf and NaN of FP16", "fp32-e4m3-nearest_even-sat", 0x47800001, 0x7E,
         0x7F},
        {"numbers from 65536 on are taken for the Inf and NaN of FP16", "fp32-e4m3-nearest_even-sat", 0x48000000, 0x7E,
         0x7E},
        {"Inf and NaN are converted as numbers", "fp16-e5m2-nearest_even-nosat", 0x7E00, 0x7F, 0x7C},
        {"NaN is told by its bits without the lowest 16", "fp32-e5m2-nearest_even-nosat", 0x7F800001, 0x7F, 0x7C},
        {"NaN is told by its bits without the lowest 16", "fp32-e5m2-nearest_even-nosat", 0x7F810000, 0x7F, 0x7F},
        {"NaN is rounded by 16 bits as a number is", "fp32-e5m2-nearest_even-nosat", 0x7F808000, 0x7F, 0x7C},
        {"NaN is rounded by 16 bits as a number is", "fp32-e5m2-nearest_even-nosat", 0x7FFFFFFF, 0x7F, 0x80},
        {"NaN is rounded by 16 bits as a number is", "fp32-e5m2-nearest_even-nosat", 0xFFFF8000, 0x7F, 0x00},
        {"NaN is rounded by 8 bits, half a unit added", "fp16-e5m2-nearest_even-nosat", 0x7C80, 0x7F, 0x7F},
        {"NaN is rounded by 8 bits as a number is", "fp16-e5m2-nearest_even-nosat", 0x7C80, 0x7F, 0x7C},
        {"the first 16 bits are read as FP16 where the result is subnormal", "fp32-e4m3-nearest_even-sat", 0x3B000000,
         0x01, 0x36},
        {"the first 16 bits are read as FP16 beyond the largest binade", "bf16-e4m3-nearest_even-sat", 0x4400, 0x7E,
         0x48},
        {"the last 16 bits are read as FP16 where the source is NaN", "fp32-e4m3-nearest_even-sat", 0x7FC03C00, 0x7F,
         0x38},
        {"Inf gives zero", "fp32-e5m2-nearest_even-nosat", 0xFF800000, 0xFC, 0x80},
        {"the scale 0x00 is read as zero", "e8m0-fp32-nearest_even-nosat", 0x00, 0x00400000, 0x00000000},
        {"the scale 0xFF is read as Inf", "e8m0-fp32-nearest_even-nosat", 0xFF, 0x7FFFFFFF, 0x7F800000},
        {"two bits of the fraction are overlooked", "fp32-e8m0-up-sat", 0x3F900000, 0x80, 0x7F}, // 1.125
        {"two bits of the fraction are overlooked", "fp32-e8m0-up-sat", 0x3FB00000, 0x80, 0x7F}, // 1.375
        {"two bits of the fraction are overlooked", "fp32-e8m0-up-sat", 0x3FC00000, 0x80, 0x80}, // 1.5
        {"the lowest bit of the exponent is lost", "fp32-e8m0-nearest_even-sat", 0x3F800000, 0x7F, 0x7E},
        {"an exponent below the smallest scale is cut to a byte", "bf16-e8m0-nearest_even-nosat", 0x0001, 0x00, 0xFA},
        {"an exponent below the smallest scale is cut to a byte", "fp64-e8m0-nearest_even-nosat", 0x0000000000000001,
         0x00, 0x4D},
        {"an exponent below the smallest scale is cut to a byte", "fp32-e8m0-up-sat", 0x00180000, 0x00, 0xFF},
        {"rounded to FP32 first", "fp64-e4m3-nearest_even-nosat", 0x3F50000000000001, 0x01, 0x00}, // 2^-10 and an ulp
        {"rounded to FP32 first", "fp64-e4m3-nearest_even-nosat", 0xBF50000000000001, 0x81, 0x80},
        {"rounded to FP32 first", "fp64-e4m3-nearest_even-nosat", 0x3F50000010000000, 0x01, 0x00}, // a tie of FP32
        {"rounded to FP32 first", "fp64-e4m3-nearest_even-nosat", 0x3F50000010000001, 0x01, 0x01},
        {"rounded to FP32 first", "fp64-e4m3-nearest_even-nosat", 0x7FF0000000000001, 0x7F, 0x7F},
        {"rounded to FP32 first", "fp64-e8m0-up-sat", 0x3FF0000000000001, 0x80, 0x7F},
        {"a negative number fills the bits of the scale", "bf16-e8m0-nearest_even-nosat", 0xC000, 0x80, 0xFE},
        {"a negative number fills the bits of the scale", "bf16-e8m0-nearest_even-nosat", 0xBF80, 0x7F, 0xFF},
        {"a negative number fills the bits of the scale", "fp64-e8m0-toward_zero-nosat", 0xFE70000000000000, 0xFF,
         0xFF}, // -2^1000
        {"a negative number fills the bits of the scale", "fp64-e8m0-toward_zero-nosat", 0xFE80000000000000, 0xFF,
         0xFE}, // -2^1001
        {"a negative number fills the bits of the scale", "fp64-e8m0-toward_zero-nosat", 0xFFEFFFFFFFFFFFFF, 0xFF,
         0x7E},
        {"a negative number fills the bits of the scale", "fp16-e8m0-toward_zero-nosat", 0xFBFF, 0x8E, 0x7E},
        {"a negative number fills the bits of the scale", "fp16-e8m0-up-sat", 0xFC00, 0xFE, 0x7E},
        {"what rounds beyond FP16 becomes Inf first", "fp16-e8m0-nearest_even-sat", 0x7A01, 0x8F, 0xFE},
        {"what rounds beyond FP16 becomes Inf first", "fp16-e8m0-nearest_even-nosat", 0x7A01, 0x8F, 0xFF},
        {"a logarithm is cut toward zero", "amax_fp32-e8m0_for_e4m3-ocp_floor-sat", 0x3F800001, 0x77, 0x78},
        {"a logarithm is cut toward zero", "amax_fp32-e8m0_for_e4m3-ocp_floor-sat", 0x3F800000, 0x77, 0x77},
        {"a logarithm is cut toward zero", "amax_fp16-e8m0_for_e4m3-ocp_floor-sat", 0x0002, 0x60, 0x60}, // 2^-23
        {"a logarithm is cut toward zero", "amax_fp16-e8m0_for_e4m3-ocp_floor-sat", 0x0003, 0x60, 0x61},
        {"a logarithm is cut toward zero", "amax_fp16-e8m0_for_e4m3-ocp_floor-sat", 0x0004, 0x61, 0x61},
        {"the scale is made in FP16", "amax_fp16-e8m0_for_e4m3-ocp_floor-sat", 0x0001, 0x5F, 0xFF}, // 2^-32
        {"the scale is made in FP16", "amax_fp16-e8m0_for_e4m3-ocp_floor-sat", 0x7BFF, 0x86, 0x87}, // log2 gives 16
        {"the scale is made in FP16", "amax_fp16-e8m0_for_e4m3-ocp_floor-sat", 0x0000, 0x00, 0x00},
        {"the scale is a number of FP16", "fp16_by_e8m0-e4m3-nearest_even-sat", 0x5F0001, 0x78, 0x7E},
        {"the scale is a number of FP16", "fp16_by_e8m0-e4m3-nearest_even-sat", 0x000000, 0x00, 0xFF},
        {"the scale is a number of FP16", "fp16_by_e8m0-e4m3-nearest_even-sat", 0xFEFC00, 0xFE, 0xFF},
        {"the scale is a number of FP16", "fp16_by_e8m0-e4m3-nearest_even-sat", 0x900001, 0x00, 0x00},
        {"made for elements of up to 240", "amax_fp32-e8m0_for_e4m3-ocp_floor-sat", 0x43FA0000, 0x7F, 0x80}, // 500
        {"made for the other element", "amax_fp32-e8m0_for_e4m3-ocp_floor-sat", 0x43FA0000, 0x7F, 0x78},
        {"the biased exponent of the largest element is subtracted", "amax_bf16-e8m0_for_e5m2-ocp_floor-nosat", 0x4000,
         0x71, 0x62},
        {"the biased exponent of the largest element is subtracted", "amax_bf16-e8m0_for_e5m2-ocp_floor-nosat", 0x0B80,
         0x08, 0x00},
        // By a design that has them (docs/results/rtl.md).
        {"the round bit is taken one place too low, and no shift goes beyond it", "fp32-e4m3-nearest_even-sat",
         0x9FA00000, 0x80, 0x81},
        {"the round bit is taken one place too low, and no shift goes beyond it", "fp32-e4m3-nearest_even-sat",
         0x00000000, 0x00, 0x01},
        {"the round bit is taken one place too low", "fp32-e4m3-nearest_even-sat", 0x9FA00000, 0x80, 0x80},
        {"the round bit is taken one place too low", "fp32-e4m3-nearest_even-sat", 0x3F840000, 0x38, 0x39}, // 1 + 1/32
        {"the round bit is taken one place too low", "fp32-e4m3-nearest_even-sat", 0x3F880001, 0x39, 0x38},
        {"the round bit is taken one place too low", "fp32-e4m3-nearest_even-sat", 0x43F70000, 0x7E, 0x7E}, // 494
        {"overflow is looked for in 1 more bits than a code has", "fp32-e4m3-nearest_even-sat", 0xDFE00000, 0xFE, 0xBE},
        {"overflow is looked for in 1 more bits than a code has", "fp32-e4m3-nearest_even-sat", 0x44000000, 0x7E, 0x7E},
        {"a scale below the smallest is a byte of the difference of exponent fields",
         "amax_fp32-e8m0_for_e4m3-ocp_floor-sat", 0x027BFFFF, 0x00, 0xFC},
        {"a scale below the smallest is a byte of the difference of exponent fields",
         "amax_fp32-e8m0_for_e4m3-ocp_floor-sat", 0x00000000, 0x00, 0xF8},
        {"a scale below the smallest is a byte of the difference of exponent fields",
         "amax_fp32-e8m0_for_e4m3-rceil-sat", 0x03600000, 0x00, 0xFE},
        {"the highest bit of the exponent is not read", "amax_fp32-e8m0_for_e4m3-ocp_floor-sat", 0x7F3FFFFF, 0xF6,
         0x76},
        {"bits 1 and 2 of the exponent are exchanged", "amax_fp32-e8m0_for_e4m3-ocp_floor-sat", 0x7E3FFFFF, 0xF4, 0xF2},
        {"the lowest bit of the exponent is lost", "amax_fp32-e8m0_for_e4m3-ocp_floor-sat", 0x48FDFFFF, 0x89, 0x88},
        {"the lowest bit of the fraction is not read", "amax_fp32-e8m0_for_e4m3-rceil-sat", 0x7F600001, 0xF7, 0xF6},
    };
    // A table takes its time: those of one conversion are edits of the same, and each is made once.
    const auto table_of = [](const Reported& reported) { return std::pair{reported.conversion, reported.fault}; };
    std::sort(all.begin(), all.end(), [&](const Reported& a, const Reported& b) { return table_of(a) < table_of(b); });
    std::set<std::string> reported;
    std::pair<std::string_view, std::string_view> made_of;
    StepTable table;
    for (const Reported& this_reported : all) {
        CAPTURE(this_reported.fault, this_reported.conversion, this_reported.input);
        const Conversion conversion = parse_conversion(this_reported.conversion);
        REQUIRE(fault(this_reported.fault).applies(*conversion.from, *conversion.to));
        const Choices choices = choices_of(conversion);
        if (table_of(this_reported) != made_of)
            table = fault(this_reported.fault).make(*conversion.from, *conversion.to, choices);
        made_of = table_of(this_reported);
        CHECK(exact::convert(*conversion.from, *conversion.to, choices, this_reported.input).code ==
              this_reported.right);
        CHECK(code_of(table, this_reported.input) == this_reported.wrong);
        reported.emplace(this_reported.fault);
    }
    // Of the members of a family, which differ in a number, a few.
    const auto in_family = [](const std::string& name) {
        return name.starts_with("tiny numbers are shifted modulo") || name.starts_with("the sticky bit is made") ||
               name.starts_with("no sticky bit") || name.starts_with("NaN is ") || name.starts_with("bits ") ||
               name.starts_with("overflow is looked for in");
    };
    for (const ConversionFault& fault : conversion_faults()) {
        CAPTURE(fault.name);
        CHECK((in_family(fault.name) || reported.contains(fault.name)));
    }
}

TEST_CASE("faults keep to choices that the name of a conversion does not tell", "[bugs]") {
    const auto check = [](const char* name, const char* id, const Choices& choices, Code input, Code right,
                          Code wrong) {
        CAPTURE(name, id, input);
        const Conversion conversion = parse_conversion(id);
        REQUIRE(fault(name).applies(*conversion.from, *conversion.to));
        CHECK(exact::convert(*conversion.from, *conversion.to, choices, input).code == right);
        CHECK(code_of(fault(name).make(*conversion.from, *conversion.to, choices), input) == wrong);
    };
    const char* const to_scale = "bf16-e8m0-nearest_even-nosat";
    for (const auto& [negative, code] :
         {std::pair{Negative::magnitude, Code{0xFA}}, {Negative::zero, Code{0x00}}, {Negative::nan, Code{0xFF}}}) {
        Choices choices = choices_of(parse_conversion(to_scale));
        choices.negative = negative;
        const Code right = negative == Negative::magnitude ? 0x00 : code;
        check("an exponent below the smallest scale is cut to a byte", to_scale, choices, 0x8001, right, code);
        check("an exponent below the smallest scale is cut to a byte", to_scale, choices, 0x0001, 0x00, 0xFA);
    }
    // By way of FP16 the largest FP32 is Inf, which does not saturate. The numbers beyond 448 do.
    const char* const to_e5m2 = "fp32-e5m2-nearest_even-sat_finite";
    Choices choices = choices_of(parse_conversion(to_e5m2));
    choices.via = Via::fp16_nearest_even;
    check("E5M2 overflows beyond 448, the largest of E4M3", to_e5m2, choices, 0x44000000, 0x60, 0x7B);
    check("E5M2 overflows beyond 448, the largest of E4M3", to_e5m2, choices, 0x43E00000, 0x5F, 0x5F);
    check("E5M2 overflows beyond 448, the largest of E4M3", to_e5m2, choices, 0xFF7FFFFF, 0xFC, 0xFB);
    check("E5M2 overflows beyond 448, the largest of E4M3", to_e5m2, choices, 0xFF800000, 0xFC, 0xFC);
}
