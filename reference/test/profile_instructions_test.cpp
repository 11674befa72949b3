// SPDX-License-Identifier: Apache-2.0
// What the profiles of instruction sets permit. The codes are worked out by hand from the texts that they rest on.
#include <catch.hpp>
#include <string>

#include "reference/test/profile_codes.hpp"

using namespace mxcert;

namespace {

bool covered(std::string_view profile, std::string_view conversion) {
    return covers(find_profile(profile), parse_conversion(conversion));
}

const Codes any_nan_of_e4m3{0x7F, 0xFF};

} // namespace

TEST_CASE("FP16_OVFL decides what AMD's conversions overflow to", "[profile][values]") {
    // The table of the CDNA4 ISA 7.3: source value, FP8 and BF8 with FP16_OVFL 1 and 0.
    for (const std::string processor : {"amd-cdna4", "amd-rdna4", "amd-gfx1250"}) {
        CAPTURE(processor);
        const std::string ovfl0 = processor + "-ovfl0";
        const std::string ovfl1 = processor + "-ovfl1";
        for (const Code beyond : {Code{0x43E80001}, Code{0x7F7FFFFF}, Code{0x7F800000}}) { // 464 and up, Inf
            CHECK(codes(ovfl1, "fp32-e4m3-nearest_even-sat", beyond) == Codes{0x7E});
            CHECK(codes(ovfl0, "fp32-e4m3-nearest_even-nosat", beyond) == any_nan_of_e4m3);
        }
        CHECK(codes(ovfl1, "fp32-e5m2-nearest_even-sat", 0xFF800000) == Codes{0xFB});
        CHECK(codes(ovfl0, "fp32-e5m2-nearest_even-nosat", 0xC7700000) == Codes{0xFC}); // -61440
        CHECK(codes(ovfl1, "fp32-e4m3-nearest_even-sat", 0x7FC00000) == any_nan_of_e4m3);
        // Overflow is decided after rounding: 464 is a tie, and rounds to 448.
        CHECK(codes(ovfl0, "fp32-e4m3-nearest_even-nosat", 0x43E80000) == Codes{0x7E});
        CHECK_FALSE(covered(ovfl0, "fp32-e4m3-nearest_even-sat"));
        CHECK_FALSE(covered(ovfl1, "fp32-e4m3-nearest_even-nosat"));
        CHECK_FALSE(covered(ovfl1, "fp32-e4m3-stochastic_a20-sat"));
    }
    CHECK(codes("amd-cdna3-ovfl1", "fp32-e4m3fnuz-nearest_even-sat", 0x7F800000) == Codes{0x7F}); // 240
    CHECK(codes("amd-cdna3-ovfl0", "fp32-e4m3fnuz-nearest_even-nosat", 0x7F800000) == Codes{0x80});
    CHECK(codes("amd-cdna3-ovfl0", "fp32-e4m3fnuz-nearest_even-nosat", 0x80000000) == Codes{0x00});
    CHECK_FALSE(covered("amd-cdna3-ovfl0", "fp32-e4m3-nearest_even-nosat"));
    CHECK_FALSE(covered("amd-rdna4-ovfl0", "fp32_by_e8m0-e4m3-nearest_even-nosat"));
}

TEST_CASE("scaled conversions of CDNA4 saturate in FP6 and FP4 whatever FP16_OVFL is", "[profile][values]") {
    for (const std::string profile : {"amd-cdna4-ovfl0", "amd-cdna4-ovfl1", "amd-gfx1250-ovfl0"}) {
        CAPTURE(profile);
        CHECK(codes(profile, "fp32_by_e8m0-e2m1-nearest_even-sat", 0x7F40F00000) == Codes{0x7}); // 7.5 by 1
        CHECK(codes(profile, "fp32_by_e8m0-e2m1-nearest_even-sat", 0x7FFF800000) == Codes{0xF}); // -Inf
        CHECK(codes(profile, "bf16_by_e8m0-e3m2-nearest_even-sat", 0x804080) == Codes{0x10});    // 4 by 2
        // What a NaN becomes is not said: any number without it.
        CHECK(codes(profile, "fp32_by_e8m0-e2m1-nearest_even-sat", 0x7FFFC00000) == Codes{0x0, 0x7, 0xF});
    }
    // 480 by 1 and by 2.
    CHECK(codes("amd-cdna4-ovfl0", "fp16_by_e8m0-e4m3-nearest_even-nosat", 0x7F5F80) == any_nan_of_e4m3);
    CHECK(codes("amd-cdna4-ovfl0", "fp16_by_e8m0-e4m3-nearest_even-nosat", 0x805F80) == Codes{0x77});
    CHECK(codes("amd-cdna4-ovfl1", "fp16_by_e8m0-e4m3-nearest_even-sat", 0x7F5F80) == Codes{0x7E});
    CHECK(codes("amd-cdna4-ovfl1", "e2m1_times_e8m0-fp32-nearest_even-nosat", 0x807) == Codes{0x41400000}); // 6 x 2
}

TEST_CASE("FP16_OVFL clamps FP16 results that overflow and keeps Inf", "[profile][values]") {
    for (const std::string processor : {"amd-cdna4", "amd-gfx1250"}) {
        CAPTURE(processor);
        const std::string ovfl0 = processor + "-ovfl0";
        const std::string ovfl1 = processor + "-ovfl1";
        const std::string to_fp16 = "e5m2_times_e8m0-fp16-nearest_even-";
        CHECK(codes(ovfl0, to_fp16 + "nosat", 0x807B) == Codes{0x7C00});      // 57344 x 2
        CHECK(codes(ovfl1, to_fp16 + "sat_finite", 0x807B) == Codes{0x7BFF}); // 65504
        CHECK(codes(ovfl1, to_fp16 + "sat_finite", 0x80FB) == Codes{0xFBFF});
        CHECK(codes(ovfl1, to_fp16 + "sat_finite", 0x7FFC) == Codes{0xFC00}); // -Inf x 1
        CHECK(codes(ovfl1, to_fp16 + "sat_finite", 0x7F7B) == Codes{0x7B00}); // 57344 x 1
        CHECK_FALSE(covered(ovfl0, to_fp16 + "sat_finite"));
        CHECK_FALSE(covered(ovfl1, to_fp16 + "nosat"));
        CHECK_FALSE(covered(ovfl1, to_fp16 + "sat"));
        // FP32 and BF16 overflow to Inf: 57344 x 2^127.
        for (const std::string& profile : {ovfl0, ovfl1}) {
            CHECK(codes(profile, "e5m2_times_e8m0-bf16-nearest_even-nosat", 0xFE7B) == Codes{0x7F80});
            CHECK(codes(profile, "e5m2_times_e8m0-fp32-nearest_even-nosat", 0xFEFB) == Codes{0xFF800000});
            CHECK_FALSE(covered(profile, "e5m2_times_e8m0-fp32-nearest_even-sat"));
        }
    }
    CHECK(codes("amd-gfx1250-ovfl1", "e5m2-fp16-nearest_even-nosat", 0x7C) == Codes{0x7C00});
    CHECK_FALSE(covered("amd-gfx1250-ovfl1", "e5m2-fp16-nearest_even-sat"));
}

TEST_CASE("CLAMP of gfx1250 selects E5M3", "[profile][values]") {
    CHECK(codes("amd-gfx1250-ovfl0", "fp32-ue5m3-nearest_even-nosat", 0x7F800000) == Codes{0xFF});
    CHECK(codes("amd-gfx1250-ovfl1", "fp32-ue5m3-nearest_even-sat", 0x7F800000) == Codes{0xFE}); // 114688
    CHECK(codes("amd-gfx1250-ovfl1", "fp32-ue5m3-nearest_even-sat", 0x47780000) == Codes{0xF8}); // 63488, a tie
    // Programs of AMD take the magnitude of a negative value, or zero.
    CHECK(codes("amd-gfx1250-ovfl1", "fp32-ue5m3-nearest_even-sat", 0xBF800000) == Codes{0x00, 0x78, 0xFF});
    CHECK_FALSE(covered("amd-gfx1250-ovfl0", "fp32-ue5m3-nearest_even-sat"));
}

TEST_CASE("AVX10.2 adds a bias byte to FP16 and judges no other random bits", "[profile][values]") {
    for (const char* to : {"e4m3", "e5m2"})
        for (const char* overflow : {"sat", "nosat"}) {
            const std::string start = std::string("-") + to + "-stochastic_a";
            CAPTURE(start, overflow);
            CHECK(covered("avx10.2", "fp16" + start + "8-" + overflow));
            CHECK_FALSE(covered("avx10.2", "fp16" + start + "7-" + overflow));
            CHECK_FALSE(covered("avx10.2", "fp32" + start + "8-" + overflow));
            CHECK_FALSE(covered("avx10-v2-aux", "fp32" + start + "20-" + overflow));
        }
    CHECK_FALSE(covered("avx10.2", "fp16-e4m3-stochastic_b8-sat"));
}

TEST_CASE("AVX10.2 widens the NaN of HF8 to one code", "[profile][values]") {
    // S.1111.111 to S.11111.1110000000, in Intel's emulator and in Bochs; GCC's tests have S.11111.1000000000.
    CHECK(codes("avx10.2", "e4m3-fp16-nearest_even-nosat", 0x7F) == Codes{0x7F80});
    CHECK(codes("avx10.2", "e4m3-fp16-nearest_even-nosat", 0xFF) == Codes{0xFF80});
    CHECK(codes("avx10.2", "e4m3-fp16-nearest_even-nosat", 0xFE) == Codes{0xDF00}); // -448
}

TEST_CASE("AVX10_V2_AUX rounds FP32 to odd, and takes its subnormals for zeros", "[profile][values]") {
    const char* nosat = "fp32-e4m3-to_odd-nosat";
    CHECK(codes("avx10-v2-aux", nosat, 0x3F800001) == Codes{0x39}); // just above 1: the odd code above
    CHECK(codes("avx10-v2-aux", nosat, 0x00800000) == Codes{0x01}); // 2^-126
    CHECK(codes("avx10-v2-aux", nosat, 0x007FFFFF) == Codes{0x00});
    CHECK(codes("avx10-v2-aux", nosat, 0x80000001) == Codes{0x80});
    CHECK(codes("avx10-v2-aux", nosat, 0x43E00001) == Codes{0x7F}); // just above 448: NaN is the odd code
    CHECK(codes("avx10-v2-aux", "fp32-e4m3-to_odd-sat", 0x43E00001) == Codes{0x7E});
    CHECK_FALSE(covered("avx10-v2-aux", "fp32-e5m2-to_odd-sat"));
}

TEST_CASE("PTX saturates to FP8, and gives the largest positive number for NaN in FP6, FP4 and S2F6",
          "[profile][values]") {
    const char* const ptx = "nvidia-ptx";
    for (const char* from : {"fp32", "fp16", "bf16"})
        for (const char* to : {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"}) {
            const std::string id = std::string(from) + '-' + to + "-nearest_even-";
            CAPTURE(id);
            CHECK(covered(ptx, id + "sat"));
            CHECK_FALSE(covered(ptx, id + "nosat"));
        }
    CHECK(codes(ptx, "fp32-e2m1-nearest_even-sat", 0xFFC00000) == Codes{0x7});
    CHECK(codes(ptx, "bf16-e2m3-nearest_even-sat", 0xFFC0) == Codes{0x1F});
    CHECK(codes(ptx, "fp32_by_e8m0-int8-nearest_even-sat", 0x7FC0000000) == Codes{0x80, 0x81}); // -2
    CHECK(codes(ptx, "fp32-e4m3-nearest_even-sat", 0xFFC00000) == any_nan_of_e4m3);
    CHECK(codes(ptx, "fp32-e8m0-up-sat", 0x7F7FFFFF) == Codes{0xFE});
    CHECK(codes(ptx, "fp32-e8m0-up-sat", 0x3F800001) == Codes{0x80});
    CHECK(codes(ptx, "fp32-e8m0-toward_zero-sat", 0x3FFFFFFF) == Codes{0x7F});
    CHECK(codes(ptx, "e4m3_times_e8m0-bf16-nearest_even-nosat", 0x8038) == Codes{0x4000}); // 1 x 2
    CHECK_FALSE(covered(ptx, "fp32-e8m0-nearest_even-sat"));
    for (const char* to : {"e4m3", "e5m2", "e2m1"})
        for (const char* lane : {"a", "b", "e", "f"}) {
            const std::string end = std::string("-") + to + "-ptx_rs_" + lane + "32-";
            CAPTURE(end);
            CHECK(covered(ptx, "fp32" + end + "sat"));
            CHECK(covered(ptx, "relu_fp32" + end + "sat"));
            CHECK_FALSE(covered(ptx, "fp32" + end + "nosat"));
            CHECK_FALSE(covered(ptx, "fp16" + end + "sat"));
        }
    CHECK_FALSE(covered(ptx, "fp32-e2m1-stochastic_a16-sat"));
}

TEST_CASE("Zvfofp4min widens all of E2M1 to E4M3 and raises nothing", "[profile][values]") {
    // The table of vfext.vf2 in Spike.
    constexpr Code positive[] = {0x00, 0x30, 0x38, 0x3C, 0x40, 0x44, 0x48, 0x4C};
    for (Code code = 0; code < 8; ++code) {
        CAPTURE(code);
        CHECK(codes("zvfofp4min", "e2m1-e4m3-nearest_even-sat", code) == Codes{positive[code]});
        CHECK(codes("zvfofp4min", "e2m1-e4m3-nearest_even-sat", 8 + code) == Codes{0x80 | positive[code]});
        CHECK(covered("zvfofp4min", "e2m1-flags_of_e4m3-nearest_even-sat"));
    }
    CHECK_FALSE(covered("zvfofp4min", "e2m1-e5m2-nearest_even-sat"));
    CHECK_FALSE(covered("zvfofp4min", "e2m3-e4m3-nearest_even-sat"));
}

TEST_CASE("AVX10_V2_AUX converts between FP8 and FP6 or FP4 of the same family", "[profile][values]") {
    for (const char* id : {"e4m3-e2m1-nearest_even-sat", "e5m2-e2m1-nearest_even-sat", "e4m3-e2m3-nearest_even-sat",
                           "e5m2-e3m2-nearest_even-sat", "e3m2-e4m3-nearest_even-sat", "e2m3-e4m3-nearest_even-sat"})
        CHECK(covered("avx10-v2-aux", id));
    for (const char* id : {"e4m3-e3m2-nearest_even-sat", "e2m1-e5m2-nearest_even-sat", "e4m3-e2m1-to_odd-sat"})
        CHECK_FALSE(covered("avx10-v2-aux", id));
    CHECK(codes("avx10-v2-aux", "e4m3-e2m1-nearest_even-sat", 0x4A) == Codes{0x6}); // 5: a tie of 4 and 6
    CHECK(codes("avx10-v2-aux", "e4m3-e2m1-nearest_even-sat", 0xFE) == Codes{0xF}); // -448
    CHECK(codes("avx10-v2-aux", "e5m2-e3m2-nearest_even-sat", 0x01) == Codes{0x00});
    CHECK(codes("avx10-v2-aux", "e3m2-e4m3-nearest_even-sat", 0x01) == Codes{0x18}); // 2^-4
}
