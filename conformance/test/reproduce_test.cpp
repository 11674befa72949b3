// SPDX-License-Identifier: Apache-2.0
#include "conformance/reproduce.hpp"

#include <stdexcept>

#include "catch.hpp"

using namespace mxcert;

TEST_CASE("a reproduction reads back as what was written") {
    for (const char* text : {"fp32-e4m3-nearest_even-sat:3F880001", "fp16-e5m2-up-nosat:FFFF",
                             "e8m0-fp32-nearest_even-nosat:00", "fp64-e4m3-toward_zero-sat:0000000000000001"}) {
        const Reproduction parsed = parse_reproduction(text);
        CHECK(to_string(parsed) == text);
        CHECK(parse_reproduction(to_string(parsed)) == parsed);
    }
    CHECK(parse_reproduction("fp32-e4m3-nearest_even-sat:3f880001").input == 0x3F880001);
}

TEST_CASE("a broken reproduction is refused") {
    for (const char* text :
         {"", ":", "fp32-e4m3-nearest_even-sat", "fp32-e4m3-nearest_even-sat:", "fp32-e4m3-nearest_even-sat:3F88000",
          "fp32-e4m3-nearest_even-sat:3F8800011", "fp32-e4m3-nearest_even-sat:0x3F8800",
          "fp32-e4m3-nearest_even-sat:3F88000G", "fp32-e4m9-nearest_even-sat:3F880001", "fp32-e4m3-sat:3F880001",
          "fp32-e4m3-stochastic_a8-sat:3F880001", "fp32-e4m3-nearest_even-sat:3F880001:0"})
        CHECK_THROWS_AS(parse_reproduction(text), std::invalid_argument);
}

TEST_CASE("a reproduction line is one command for a shell") {
    const Reproduction one = parse_reproduction("fp32-e4m3-nearest_even-sat:3F880001");
    CHECK(reproduction_line({"cuda_fp8", {"ocp-sat"}, ""}, one) ==
          "mxcert certify cuda_fp8 --profile ocp-sat --reproduce fp32-e4m3-nearest_even-sat:3F880001");
    CHECK(
        reproduction_line({"./my kernel.so", {"ocp-sat", "ocp-nosat"}, "--gpu 1"}, one) ==
        "mxcert certify './my kernel.so' --profile ocp-sat --profile ocp-nosat --backend-option='--gpu 1' --reproduce "
        "fp32-e4m3-nearest_even-sat:3F880001");
}
