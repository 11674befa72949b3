// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/reproduce.hpp"

#include <stdexcept>

#include "catch.hpp"

using namespace mxcert;
using namespace mxcert::cases;

TEST_CASE("a reproduction reads back as what was written") {
    for (const char* text :
         {"fp32-e4m3-nearest_even-sat:0x3F880001", "fp16-e5m2-up-nosat:0xFFFF", "e8m0-fp32-nearest_even-nosat:0x00",
          "fp64-e4m3-toward_zero-sat:0x0000000000000001", "fp32-e4m3-stochastic_a8-sat:0x3F880001/0x000000C8",
          "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32/scale:0x3F800000",
          "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32/blocks:17",
          "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32/blocks@1x2=0x3F800000,0x00000000",
          "dequantize-e4m3-e8m0-fp32-row-32/blocks@10x32=0x38*320/0x7F*10"}) {
        const Reproduction parsed = parse_reproduction(text);
        CHECK(to_string(parsed) == text);
        CHECK(parse_reproduction(to_string(parsed)) == parsed);
    }
    for (const char* text : {"3f880001", "3F880001", "0x3f880001", "0X3F880001"})
        CHECK(parse_reproduction(std::string("fp32-e4m3-nearest_even-sat:") + text).input == 0x3F880001);
    const Reproduction random = parse_reproduction("fp32-e4m3-stochastic_a8-sat:3F880001/000000C8");
    CHECK(random.input == 0x3F880001);
    CHECK(random.random == 0xC8);
    CHECK(to_string(parse_reproduction("dequantize-e4m3-e8m0-fp32-row-32/blocks@10x32=38*320/7F*9,0x80")) ==
          "dequantize-e4m3-e8m0-fp32-row-32/blocks@10x32=0x38*320/0x7F*9,0x80");
}

TEST_CASE("a broken reproduction is refused") {
    for (const char* text :
         {"", ":", "fp32-e4m3-nearest_even-sat", "fp32-e4m3-nearest_even-sat:", "fp32-e4m3-nearest_even-sat:3F88000",
          "fp32-e4m3-nearest_even-sat:3F8800011", "fp32-e4m3-nearest_even-sat:0x3F8800",
          "fp32-e4m3-nearest_even-sat:3F88000G", "fp32-e4m9-nearest_even-sat:3F880001", "fp32-e4m3-sat:3F880001",
          "fp32-e4m3-stochastic_a8-sat:3F880001", "fp32-e4m3-stochastic_a8-sat:3F880001/C8",
          "fp32-e4m3-stochastic_a8-sat:3F880001/00000100", "fp32-e4m3-nearest_even-sat:3F880001/00000001",
          "fp32-e4m3-nearest_even-sat:0x0x3F880001", "fp32-e4m3-nearest_even-sat:3F880001:0"})
        CHECK_THROWS_AS(parse_reproduction(text), std::invalid_argument);
}

TEST_CASE("a reproduction line is one command for a shell") {
    const Reproduction reproduction = parse_reproduction("fp32-e4m3-nearest_even-sat:3F880001");
    CHECK(reproduction_line({"cuda_fp8", {"ocp-sat"}, ""}, reproduction) ==
          "mxcert certify cuda_fp8 --profile ocp-sat --reproduce fp32-e4m3-nearest_even-sat:0x3F880001");
    CHECK(
        reproduction_line({"./my kernel.so", {"ocp-sat", "ocp-nosat"}, "--gpu 1"}, reproduction) ==
        "mxcert certify './my kernel.so' --profile ocp-sat --profile ocp-nosat --backend-option='--gpu 1' --reproduce "
        "fp32-e4m3-nearest_even-sat:0x3F880001");
}

TEST_CASE("an explain line has the choices that a profile does not leave at their defaults") {
    CHECK(explain_line(parse_conversion("fp32-e4m3-nearest_even-sat"), "ocp-sat", 0x3F880001) ==
          "mxcert explain 0x3F880001 --from fp32 --to e4m3 --rounding nearest_even --overflow sat");
    CHECK(explain_line(parse_conversion("amax_fp16-e8m0_for_e4m3-rceil-sat"), "", 0x3C00) ==
          "mxcert explain 0x3C00 --from amax_fp16 --to e8m0_for_e4m3 --rounding rceil --overflow sat");
    CHECK(explain_line(parse_conversion("fp32-e4m3-stochastic_a8-sat"), "", 0x3F880001, 200) ==
          "mxcert explain 0x3F880001 --from fp32 --to e4m3 --rounding stochastic_a --overflow sat --random 0xC8/8");
    CHECK_THAT(explain_line(parse_conversion("fp32-e4m3fnuz-nearest_even-sat"), "amd-hip-fnuz", 0x3F880001),
               Catch::Contains(" --choice "));
}
