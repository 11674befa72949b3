// SPDX-License-Identifier: Apache-2.0
// Each bit of the significand, left out of the sticky OR, must fail at every level.
#include "conformance/selftest/sticky_bits.hpp"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "catch.hpp"
#include "conformance/selftest/planted_backend.hpp"
#include "vectors/faults/sticky_fault.hpp"
#include "vectors/tables/tabulate.hpp"

using namespace mxcert;
using namespace mxcert::selftest;

namespace {

void check_row(const std::string& row) {
    for (const StickyResult& result : sticky_results(row)) {
        UNSCOPED_INFO(fmt::format("{} at {}: {} inputs, escaped {}", result.row, result.asked, result.inputs,
                                  fmt::join(result.escaped, " ")));
        CHECK(result.planted >= 7);
        CHECK(result.escaped.empty());
    }
}

} // namespace

TEST_CASE("every level sees each sticky bit that a conversion leaves out", "[sticky][values]") {
    check_row(sticky_rows().front());
}
TEST_CASE("every level sees each sticky bit that is left out anywhere", "[.][exhaustive]") {
    for (const std::string& row : sticky_rows()) check_row(row);
}

TEST_CASE("a quantizer without a sticky bit fails at smoke", "[sticky][operation][values]") {
    ::setenv("MXCERT_WORKER", MXCERT_TEST_WORKER, 1); // NOLINT(concurrency-mt-unsafe): the tests have one thread
    const std::filesystem::path folder = std::filesystem::path(MXCERT_TEST_QUANTIZER).parent_path();
    for (const char* option : {"sticky bit 11", "no such bug"}) {
        const PlantedBackend planted{"quantizer", option, "ocp-sat",
                                     "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32/elements", ""};
        const PlantedBackendResult result = run_planted(planted, folder, Level::smoke);
        CAPTURE(option, result.reason, result.compared);
        CHECK(result.status == (std::string_view(option) == "no such bug" ? Status::pass : Status::fail));
    }
}

TEST_CASE("a table without a sticky bit differs in single inputs beside ties", "[sticky][values]") {
    const StepTable right = tabulate(formats::fp32, formats::e4m3, {});
    for (unsigned bit = 0; bit < 23; ++bit) {
        CAPTURE(bit);
        const StepTable wrong = without_sticky_bit(right, bit);
        CHECK(broken(wrong).empty());
        // 1.0625 is the tie between 1 and 1.125, and 1 is even.
        const Code beside = 0x3F880000 + (Code{1} << bit);
        CHECK(wrong.steps[find_step(wrong, beside)].code ==
              (bit < 19 ? 0x38 : right.steps[find_step(right, beside)].code));
        CHECK(wrong.steps[find_step(wrong, beside + (bit == 0 ? 2 : 1))].code ==
              right.steps[find_step(right, beside + (bit == 0 ? 2 : 1))].code);
        // 2^-10 is the tie between 0 and 2^-9: its round bit is the leading one, and every other bit is sticky.
        CHECK(wrong.steps[find_step(wrong, 0x3A800000 + (Code{1} << bit))].code == 0);
        CHECK(right.steps[find_step(right, 0x3A800000 + (Code{1} << bit))].code == 1);
    }
}
