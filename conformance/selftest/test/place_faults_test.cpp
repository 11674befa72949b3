// SPDX-License-Identifier: Apache-2.0
#include "conformance/selftest/place_faults.hpp"

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "catch.hpp"

using namespace mxcert;
using namespace mxcert::selftest;

namespace {

PlaceFault fault_of(std::string_view option, std::string_view row) {
    for (const PlaceFault& fault : place_faults())
        if (fault.planted.option == option && fault.planted.row == row) return fault;
    throw std::invalid_argument("no such fault");
}

PlaceResult result_of(const PlaceFault& fault) {
    ::setenv("MXCERT_WORKER", MXCERT_TEST_WORKER, 1); // NOLINT(concurrency-mt-unsafe): the tests have one thread
    return run_place_fault(fault, planted_folder());
}

constexpr const char* from_fp16 = "fp16-e4m3-nearest_even-sat";

} // namespace

TEST_CASE("bugs of lanes are named at each level that has calls", "[places][planted][values]") {
    for (const auto& [option, named] : {std::pair{"lanes 2 and 3 exchanged", "LANE_SWAPPED"},
                                        {"bytes of a pack reversed", "PACK_ORDER"},
                                        {"one lane of 32", "LANE_REPEATED"}}) {
        CAPTURE(option);
        const PlaceResult result = result_of(fault_of(option, from_fp16));
        CHECK(result.escaped == 0);
        CHECK(result.seen[1] == named);
        CHECK(result.seen[2] == named);
    }
}

TEST_CASE("bugs of sizes are seen from the level on that has the size", "[places][planted][values]") {
    const PlaceResult of_16_bits = result_of(fault_of("an index of 16 bits", from_fp16));
    CHECK(of_16_bits.seen == std::array<std::string, 3>{"-", "FAIL", "FAIL"});
    CHECK(of_16_bits.escaped == 0);
    const PlaceResult of_fp32 = result_of(fault_of("an index in FP32", from_fp16));
    CHECK(of_fp32.seen == std::array<std::string, 3>{"-", "-", "FAIL"});
    CHECK(of_fp32.escaped == 0);
    // One that is not there escapes where it should be seen, and a row that is not there is no result.
    PlaceFault none = fault_of("an index of 16 bits", from_fp16);
    none.planted.option = "";
    CHECK(result_of(none).escaped == 2);
    none.planted.row = "fp16-e4m3-up-sat-sat";
    CHECK_THROWS_AS(result_of(none), std::runtime_error);
}

TEST_CASE("random words in wrong places are seen from the level on that asks for them", "[places][planted][values]") {
    for (const auto& [option, named] : {std::pair{"an index of 16 bits into the random words", "FAIL"},
                                        {"a random word for 8 values", "LANE_REPEATED"},
                                        {"random words of lanes 2 and 3 exchanged", "LANE_SWAPPED"}}) {
        CAPTURE(option);
        const PlaceResult result = result_of(fault_of(option, "fp32-e5m2-stochastic_a8-sat"));
        CHECK(result.seen == std::array<std::string, 3>{"-", named, named});
        CHECK(result.escaped == 0);
    }
}
