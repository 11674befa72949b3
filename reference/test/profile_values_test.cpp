// SPDX-License-Identifier: Apache-2.0
// What each profile permits for inputs on which it differs from its neighbours. The codes are worked out by hand from
// the rule that the profile's source states.
#include <catch.hpp>
#include <set>
#include <string>

#include "reference/exact/block.hpp"
#include "reference/exact/exact.hpp"
#include "reference/test/profile_codes.hpp"

using namespace mxcert;

namespace {

std::set<Code> scale(std::string_view name, std::string_view rule, Code amax, std::string_view element = "e4m3",
                     std::string_view overflow = "sat") {
    return codes(name,
                 "amax_fp32-e8m0_for_" + std::string(element) + '-' + std::string(rule) + '-' + std::string(overflow),
                 amax);
}

} // namespace

TEST_CASE("torchao 0.18.0's four modes differ where their rules do", "[profile][values]") {
    struct Expected {
        Code amax;
        Code floor, ceil, even, rceil;
    };
    // E4M3: FLOOR 2^floor(log2 amax) / 2^8; CEIL the same upward; EVEN adds half an ulp of E4M3 (2^19 in the bits of
    // FP32) first; RCEIL 2^ceil(log2(amax / 448)).
    for (const Expected& expected : {
             Expected{0x43800000, 0x7F, 0x7F, 0x7F, 0x7F},                                               // 256
             Expected{0x43800001, 0x7F, 0x80, 0x7F, 0x7F},                                               // the next
             Expected{0x43E00000, 0x7F, 0x80, 0x7F, 0x7F},                                               // 448
             Expected{0x43E00001, 0x7F, 0x80, 0x7F, 0x80}, Expected{0x43F7FFFF, 0x7F, 0x80, 0x7F, 0x80}, // below 496
             Expected{0x43F80000, 0x7F, 0x80, 0x80, 0x80}, Expected{0x44000000, 0x80, 0x80, 0x80, 0x80}, // 512
             Expected{0x00000000, 0x00, 0x00, 0x00, 0x00},
             Expected{0x7F7FFFFF, 0xF6, 0xF7, 0xF7, 0xF7}, // the largest: 2^127 * 1.99..
             Expected{0x7F800000, 0xF7, 0xF7, 0xF7, 0xFE}, // Inf: its exponent field, 255, less 8; RCEIL says 254
             Expected{0x7FC00000, 0xFF, 0xFF, 0xFF, 0xFF},
             Expected{0x04600001, 0x00, 0x01, 0x00, 0x00}, // RCEIL: the quotient rounds to 2^-127
         }) {
        CAPTURE(expected.amax);
        CHECK(scale("torchao-floor", "ocp_floor", expected.amax) == Codes{expected.floor});
        CHECK(scale("torchao-ceil", "ceil", expected.amax) == Codes{expected.ceil});
        CHECK(scale("torchao-even", "even", expected.amax) == Codes{expected.even});
        CHECK(scale("torchao-rceil", "rceil", expected.amax) == Codes{expected.rceil});
    }
    // The eager path of RCEIL: log2 of 448 (1 + 2^-23) 2^100 / 448 is 100 in FP32.
    CHECK(scale("torchao-rceil", "rceil", 0x75E00001) == Codes{0xE4});
    CHECK(scale("torchao-rceil-eager", "rceil", 0x75E00001) == Codes{0xE3});
    CHECK(scale("torchao-rceil-eager", "rceil", 0x43E00001) == Codes{0x80}); // beside 1 nothing is missed
    CHECK_FALSE(covers(find_profile("torchao-even"), parse_conversion("amax_fp32-e8m0_for_e4m3-ceil-sat")));
    CHECK_FALSE(covers(find_profile("torchao-even"), parse_conversion("amax_fp16-e8m0_for_e4m3-even-sat")));
    // E5M2: half an ulp is 2^20; Inf is 2^128 / 2^15.
    CHECK(scale("torchao-even", "even", 0x476FFFFF, "e5m2") == Codes{0x7F});
    CHECK(scale("torchao-even", "even", 0x47700000, "e5m2") == Codes{0x80});
    CHECK(scale("torchao-floor", "ocp_floor", 0x7F800000, "e5m2") == Codes{0xF0});
    // 2^-126 under the scale 0x00: divided by 2^-126, or by RCEIL by nothing.
    const Code smallest = 0x0000800000;
    CHECK(codes("torchao-floor", "fp32_by_e8m0-e4m3-nearest_even-sat", smallest) == Codes{0x38});
    CHECK(codes("torchao-ceil", "fp32_by_e8m0-e4m3-nearest_even-sat", smallest) == Codes{0x38});
    CHECK(codes("torchao-even", "fp32_by_e8m0-e4m3-nearest_even-sat", smallest) == Codes{0x38});
    CHECK(codes("torchao-rceil", "fp32_by_e8m0-e4m3-nearest_even-sat", smallest) == Codes{0x00});
    CHECK(codes("torchao-rceil-eager", "fp32_by_e8m0-e4m3-nearest_even-sat", smallest) == Codes{0x00});
    CHECK_FALSE(covers(find_profile("torchao-floor"), parse_conversion("e4m3_times_e8m0-fp16-nearest_even-nosat")));
    CHECK(covers(find_profile("torchao-floor"), parse_conversion("e4m3_times_e8m0-bf16-nearest_even-nosat")));
}

TEST_CASE("torchao of August 2026 gives 0xFF for Inf and 2^-127 for the scale 0x00", "[profile][values]") {
    struct Expected {
        Code amax;
        Code floor, ceil, even, rceil;
    };
    // Worked out as above, and what to_mx() of pytorch/ao 36027d8 gave in torch 2.15.0.
    for (const Expected& expected : {
             Expected{0x00000000, 0x00, 0x00, 0x00, 0x00},
             Expected{0x7F7FFFFF, 0xF6, 0xF7, 0xFF, 0xF7},
             Expected{0x7F77FFFF, 0xF6, 0xF7, 0xF6, 0xF7},
             Expected{0x7F780000, 0xF6, 0xF7, 0xFF, 0xF7}, // EVEN: Inf
             Expected{0x7F800000, 0xFF, 0xFF, 0xFF, 0xFF},
             Expected{0x7FC00000, 0xFF, 0xFF, 0xFF, 0xFF},
             Expected{0x04600001, 0x00, 0x01, 0x00, 0x00}, // RCEIL: the product rounds to 2^-127
             Expected{0x04600002, 0x00, 0x01, 0x00, 0x01},
             Expected{0x75E00001, 0xE3, 0xE4, 0xE3, 0xE4},
         }) {
        CAPTURE(expected.amax);
        CHECK(scale("torchao-2026-08-floor", "ocp_floor", expected.amax, "e4m3", "sat_finite") ==
              Codes{expected.floor});
        CHECK(scale("torchao-2026-08-ceil", "ceil", expected.amax, "e4m3", "sat_finite") == Codes{expected.ceil});
        CHECK(scale("torchao-2026-08-even", "even", expected.amax, "e4m3", "sat_finite") == Codes{expected.even});
        CHECK(scale("torchao-2026-08-rceil", "rceil", expected.amax, "e4m3", "sat_finite") == Codes{expected.rceil});
    }
    for (const char* profile : {"torchao-2026-08-floor", "torchao-2026-08-rceil"})
        CHECK(codes(profile, "fp32_by_e8m0-e4m3-nearest_even-sat_finite", 0x0000800000) == Codes{0x40});
}

TEST_CASE("profiles of MX blocks differ from each other", "[profile][values]") {
    // Zero: OCP leaves the scale open, the project's strict reading does not.
    CHECK(scale("ocp-sat", "ocp_floor", 0) == Codes{0x00, 0x77, 0x7F, 0xFF});
    CHECK(scale("ocp-floor", "ocp_floor", 0) == Codes{0x00});
    // Inf and NaN.
    CHECK(scale("ocp-floor", "ocp_floor", 0x7F800000) == Codes{0xFE});
    CHECK(scale("microxcaling", "ocp_floor", 0x7F800000, "e4m3", "sat_finite") == Codes{0xFF});
    CHECK(scale("tosa", "tosa", 0x7F800000, "e4m3", "nosat") == Codes{0xFF});
    CHECK(scale("amd-quark", "even", 0x7F800000) == Codes{0xFE});
    CHECK(scale("onednn-f16", "ocp_floor", 0x7F800000, "e4m3", "nosat") == Codes{0xFF});
    CHECK(find_profile("onednn-f16").amax_nan.size() == 1);
    CHECK(find_profile("onednn-f16").amax_nan.front() == AmaxNan::ignored);
    CHECK(find_profile("tosa").amax_nan.front() == AmaxNan::propagated);
    // EVEN at the top: torchao reads on, Quark clamps.
    CHECK(scale("torchao-even", "even", 0x7F780000) == Codes{0xF7});
    CHECK(scale("amd-quark", "even", 0x7F780000) == Codes{0xFE});
    // TOSA: up where 464 is passed, 61440 reached.
    CHECK(scale("tosa", "tosa", 0x43E80000, "e4m3", "nosat") == Codes{0x7F});
    CHECK(scale("tosa", "tosa", 0x43E80001, "e4m3", "nosat") == Codes{0x80});
    CHECK(scale("tosa", "tosa", 0x47700000, "e5m2", "nosat") == Codes{0x80});
    // microxcaling: the step of FP32 below 10 is 2^-20, so log2 of 1023.99994 is 10, and down to five ulp below 1024.
    CHECK(scale("microxcaling", "ocp_floor", 0x447FFFFF, "e4m3", "sat_finite") == Codes{0x81});
    CHECK(scale("ocp-floor", "ocp_floor", 0x447FFFFF) == Codes{0x80});
    CHECK(scale("microxcaling", "ocp_floor", 0x447FFFFB, "e4m3", "sat_finite") == Codes{0x81});
    CHECK(scale("microxcaling", "ocp_floor", 0x447FFFFA, "e4m3", "sat_finite") == Codes{0x80});
    CHECK(scale("microxcaling", "ocp_floor", 0, "e4m3", "sat_finite") == Codes{0x00});
    // gfloat does so too, and its Inf is the largest scale.
    CHECK(scale("gfloat-blocks", "ocp_floor", 0x447FFFFF) == Codes{0x81});
    CHECK(scale("gfloat-blocks", "ocp_floor", 0x7F800000) == Codes{0xFE});
    // Its ties go away from zero: 1.0625 under the scale 1.
    CHECK(codes("microxcaling", "fp32_by_e8m0-e4m3-nearest_away-sat_finite", 0x7F3F880000) == Codes{0x39});
    CHECK(codes("ocp-floor", "fp32_by_e8m0-e4m3-nearest_even-sat", 0x7F3F880000) == Codes{0x38});
    CHECK(codes("microxcaling", "fp32_by_e8m0-e4m3-nearest_away-sat_finite", 0x7F80000000) == Codes{0x00});
    CHECK(codes("amd-quark", "fp32_by_e8m0-e4m3-nearest_even-sat", 0x7F80000000) == Codes{0x00, 0x80});
    // TOSA's elements do not saturate.
    CHECK(codes("tosa", "fp32_by_e8m0-e5m2-nearest_even-nosat", 0x7F47700000) == Codes{0x7C});
}

TEST_CASE("profiles of FP8 conversions differ from each other", "[profile][values]") {
    const char* sat = "fp32-e4m3-nearest_even-sat";
    const char* nosat = "fp32-e4m3-nearest_even-nosat";
    const char* wide = "fp32-e5m2-nearest_even-nosat";
    // AMD decides overflow before it rounds: 448 < x.
    CHECK(codes("ocp-nosat", nosat, 0x43E80000) == Codes{0x7E}); // 464
    CHECK(codes("amd-hip-ocp", nosat, 0x43E80000) == Codes{0x7F, 0xFF});
    CHECK(codes("amd-hip-ocp", nosat, 0x43E00000) == Codes{0x7E});
    CHECK(codes("amd-hip-ocp", wide, 0x47600001) == Codes{0x7C}); // above 57344
    // What the shift of too many bits is meant for: zero.
    CHECK(codes("amd-hip-ocp", sat, 0x1A800001) == Codes{0x00});
    CHECK(codes("amd-hip-ocp", sat, 0x9B400000) == Codes{0x80});
    CHECK(codes("amd-hip-ocp", "fp32-e4m3-nearest_even-sat_finite", 0x43E80001) == Codes{0x7E});
    CHECK(codes("amd-hip-ocp", "fp32-e4m3-nearest_even-sat_finite", 0x7F800000) == Codes{0x7F, 0xFF});
    CHECK(codes("amd-hip-ocp", "fp32-e5m2-nearest_even-sat_finite", 0xFF800000) == Codes{0xFC});
    // To FP6 and FP4 a NaN is the largest magnitude with its sign there, and positive in CUDA.
    const char* narrow = "fp32-e2m1-nearest_even-sat";
    CHECK(codes("amd-hip-ocp", narrow, 0xFFC00000) == Codes{0xF});
    CHECK(codes("nvidia-cuda-host", narrow, 0xFFC00000) == Codes{0x7});
    CHECK(codes("amd-hip-ocp", narrow, 0xFF800000) == Codes{0xF});
    CHECK(codes("amd-hip-ocp", narrow, 0x40A00000) == Codes{0x6}); // 5, between 4 and 6
    CHECK(codes("amd-hip-ocp", "bf16-e3m2-nearest_even-sat", 0xFFC0) == Codes{0x3F});
    CHECK_FALSE(covers(find_profile("amd-hip-ocp"), parse_conversion("fp64-e2m1-nearest_even-sat")));
    CHECK(codes("amd-hip-fnuz", "fp32-e4m3fnuz-nearest_even-nosat", 0x43740000) ==
          Codes{0x80}); // 244; the largest is 240
    CHECK(codes("llvm", "fp32-e4m3fnuz-nearest_even-nosat", 0x43740000) == Codes{0x7F});
    // NaN codes: ONNX and AMD keep the sign, RISC-V has one code, Arm another, AVX10.2 keeps a payload.
    const Code minus_nan = 0xFFC00000;
    CHECK(codes("onnx-sat", sat, minus_nan) == Codes{0xFF});
    CHECK(codes("onnx-nosat", wide, minus_nan) == Codes{0xFF});
    CHECK(codes("amd-hip-ocp", wide, minus_nan) == Codes{0xFF});
    CHECK(codes("zvfofp8min", wide, minus_nan) == Codes{0x7F});
    CHECK(codes("arm-fp8", wide, minus_nan) == Codes{0x7E});
    CHECK(codes("arm-fp8", nosat, minus_nan) == Codes{0x7F});
    CHECK(codes("avx10.2", wide, minus_nan) == Codes{0xFE});
    CHECK(codes("avx10.2", "fp16-e5m2-nearest_even-nosat", 0x7D00) == Codes{0x7F}); // payload 01, made quiet
    CHECK(codes("avx10.2", nosat, minus_nan) == Codes{0xFF});
    // Overflow and Inf without an Inf to give.
    CHECK(codes("zvfofp8min", nosat, 0xFF800000) == Codes{0x7F});
    CHECK(codes("onnx-nosat", nosat, 0xFF800000) == Codes{0x7F, 0xFF});
    CHECK(codes("onnx-sat", sat, 0xFF800000) == Codes{0xFE});
    CHECK(codes("zvfofp8min", "fp32-e4m3-toward_zero-nosat", 0x43F00000) == Codes{0x7E}); // IEEE 754 7.4
    CHECK(codes("ocp-nosat", "fp32-e4m3-toward_zero-nosat", 0x43F00000) == Codes{0x7E, 0x7F, 0xFF});
    CHECK_FALSE(covers(find_profile("arm-fp8"), parse_conversion("fp32-e4m3-toward_zero-nosat")));
    // oneDNN rounds twice: killer inputs of uxlfoundation/oneDNN#2361.
    CHECK(codes("onednn-f16", nosat, 0x43E80001) == Codes{0x7E});
    CHECK(codes("onnx-nosat", nosat, 0x43E80001) == Codes{0x7F, 0xFF});
    CHECK(codes("onednn-f16", nosat, 0x3A800001) == Codes{0x00});
    CHECK(codes("onednn-f16", nosat, 0x3C880001) == Codes{0x08});
    CHECK(codes("onednn-f16", wide, 0x476FFFFF) == Codes{0x7C});
    CHECK(codes("onednn-f16", "bf16-e5m2-nearest_even-nosat", 0x7F7F) == Codes{0x7C});
    CHECK(codes("onednn-f16", "fp32-e8m0-toward_zero-nosat", 0x7F800000) == Codes{0xFF});
    // ONNX to E8M0: nearest sends ties up, and is no rounding of elements.
    CHECK(codes("onnx-sat", "fp32-e8m0-nearest_away-sat", 0x40400000) == Codes{0x81}); // 3
    CHECK_FALSE(covers(find_profile("onnx-sat"), parse_conversion("fp32-e8m0-nearest_even-sat")));
    CHECK_FALSE(covers(find_profile("onnx-sat"), parse_conversion("fp32-e4m3-nearest_away-sat")));
    // Inf where finite values saturate: OFP8 has no such mode.
    const char* sat_finite = "fp32-e4m3-nearest_even-sat_finite";
    CHECK(codes("ocp-sat-finite", sat_finite, 0x43E80001) == Codes{0x7E});
    CHECK(codes("ocp-sat-finite", sat_finite, 0x7F800000) == Codes{0x7F, 0xFF});
    CHECK(codes("ocp-sat-finite", "fp32-e5m2-nearest_even-sat_finite", 0x7F7FFFFF) == Codes{0x7B});
    CHECK(codes("ocp-sat-finite", "fp32-e5m2-nearest_even-sat_finite", 0xFF800000) == Codes{0xFC});
    CHECK(codes("ocp-sat-finite", "fp32-e8m0-up-sat_finite", 0x7F7FFFFF) == Codes{0xFE});
    CHECK(codes("ocp", "fp32-e8m0-up-sat_finite", 0x7F800000) == Codes{0xFF});
    // P3109: one NaN, no -0; SatFinite, SatPropagate, SatNone.
    CHECK(codes("p3109", "fp32-e4m3fnuz-nearest_even-sat", minus_nan) == Codes{0x80});
    CHECK(codes("p3109", "fp32-e4m3fnuz-nearest_even-sat", 0x80000000) == Codes{0x00});
    CHECK(codes("p3109", "fp32-e4m3fnuz-nearest_even-sat", 0x7F800000) == Codes{0x7F});
    CHECK(codes("p3109", "fp32-e4m3fnuz-nearest_even-sat_finite", 0x7F800000) == Codes{0x80});
    CHECK(codes("p3109", "fp32-e4m3fnuz-nearest_even-sat_finite", 0x43FA0000) == Codes{0x7F});
    CHECK(codes("p3109", "fp32-e4m3fnuz-nearest_even-nosat", 0x43FA0000) == Codes{0x80});
    CHECK(codes("p3109", "fp32-e4m3fnuz-toward_zero-nosat", 0x43FA0000) == Codes{0x7F});
    CHECK_FALSE(covers(find_profile("p3109"), parse_conversion(sat)));
}

TEST_CASE("FP32 cannot tell some logarithms from whole numbers", "[scale][values]") {
    const auto x = [](Code fp32) { return exact::decode(formats::fp32, fp32).magnitude; };
    // Below 2^k the step of FP32 at k decides: it is 2^-17 from 64 to 128, so 2^24 (1 - 2^(-2^-18)) = 44.36 ulp belong
    // to 2^k; above, where an ulp is twice as wide, 22.18.
    const Code at_2_100 = (100 + 127) << 23;
    CHECK(exact::by_log2(formats::fp32, x(at_2_100 - 44)) == x(at_2_100));
    CHECK(exact::by_log2(formats::fp32, x(at_2_100 - 45)) == x(at_2_100 - 45));
    CHECK(exact::by_log2(formats::fp32, x(at_2_100 + 22)) == x(at_2_100));
    CHECK(exact::by_log2(formats::fp32, x(at_2_100 + 23)) == x(at_2_100 + 23));
    CHECK(exact::by_log2(formats::fp32, x(0x7F7FFFFF)) == exact::power_of_two(128));
    // Below 2^64 the logarithms lie under 64, where the step is half as wide.
    const Code at_2_64 = (64 + 127) << 23;
    CHECK(exact::by_log2(formats::fp32, x(at_2_64 - 22)) == x(at_2_64));
    CHECK(exact::by_log2(formats::fp32, x(at_2_64 - 23)) == x(at_2_64 - 23));
    CHECK(exact::by_log2(formats::fp32, x(at_2_64 + 22)) == x(at_2_64));
    // The negative side is the mirror image: above 2^-64 the logarithms have the smaller magnitude.
    const Code at_2_m64 = (127 - 64) << 23;
    CHECK(exact::by_log2(formats::fp32, x(at_2_m64 - 44)) == x(at_2_m64));
    CHECK(exact::by_log2(formats::fp32, x(at_2_m64 + 11)) == x(at_2_m64));
    CHECK(exact::by_log2(formats::fp32, x(at_2_m64 + 12)) == x(at_2_m64 + 12));
    // Beside 1 every logarithm is told.
    CHECK(exact::by_log2(formats::fp32, x(0x3F7FFFFF)) == x(0x3F7FFFFF));
    CHECK(exact::by_log2(formats::fp32, x(0x3F800001)) == x(0x3F800001));
}
