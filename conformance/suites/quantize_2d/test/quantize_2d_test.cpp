// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "catch.hpp"
#include "conformance/suites/quantize_2d/faults.hpp"
#include "conformance/suites/quantize_2d/identify.hpp"
#include "conformance/suites/quantize_2d/judge.hpp"
#include "conformance/suites/registry.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Contains;

namespace {

const std::string te_name = "quantize_2d-bf16-e4m3-e8m0-rceil-nearest_even-sat-32x32";
const std::string small_name = "quantize_2d-fp32-e5m2-e8m0-ocp_floor-nearest_even-sat-16x16";

std::string plugin() { return test::planted_plugin("tile_quantizer"); }

std::vector<verdict::Row> certified(const std::string& fault, const std::string& profile, const std::string& filter,
                                    Level level = Level::smoke) {
    return test::certify_plugin(plugin().c_str(), fault, profile, filter, 16, level);
}

} // namespace

namespace {

std::vector<verdict::Row> passing(const std::string& profile, const std::string& name, Level level) {
    std::vector<verdict::Row> rows = certified("", profile, name + "/*", level);
    REQUIRE(rows.size() == 3);
    test::check_quantizer_passes(rows, level);
    return rows;
}

} // namespace

TEST_CASE("a quantizer of tiles passes on large matrices", "[.][exhaustive]") {
    CHECK(verdict::cases_of(passing("nvidia-te", te_name, Level::quick).back())->largest_matrix > 1U << 20U);
}
TEST_CASE("a quantizer of tiles passes, tails or none", "[operation][quantize_2d][values]") {
    passing("nvidia-te", te_name, Level::smoke);
    passing("ocp-sat", small_name, Level::smoke);
    const std::vector<verdict::Row> whole = certified("refuses tails", "nvidia-te", te_name + "/blocks", Level::smoke);
    REQUIRE(whole.size() == 1);
    CHECK(whole[0].status == Status::pass);
    CHECK_THAT(whole[0].reason, Contains("refused, as it may"));
}

namespace {

/// Plants every `step`-th fault, by one of the two quantizers in turn; `mxcert selftest` plants all of them in one.
void check_faults(std::size_t step) {
    for (std::size_t number = 0; number < tile_faults().size(); number += step) {
        const std::string name(tile_faults()[number].name);
        CAPTURE(name);
        const bool is_te = number % 2 == 0;
        const std::vector<verdict::Row> rows =
            certified(name, is_te ? "nvidia-te" : "ocp-sat", (is_te ? te_name : small_name) + "/blocks");
        REQUIRE(rows.size() == 1);
        INFO(rows[0].reason);
        CHECK(rows[0].status == Status::fail);
        CHECK_THAT(rows[0].reason, Contains(name));
    }
}

} // namespace

TEST_CASE("what a tile quantizer does wrong is named", "[operation][quantize_2d][values]") { check_faults(3); }
TEST_CASE("everything that a tile quantizer does wrong is named", "[.][exhaustive]") { check_faults(1); }

TEST_CASE("a value of a tile that the amax overlooks is found, wherever it is",
          "[operation][quantize_2d][.][exhaustive]") {
    for (const unsigned place : {0U, 517U, 1023U}) {
        CAPTURE(place);
        const std::vector<verdict::Row> rows =
            certified("the amax without place " + std::to_string(place), "nvidia-te", te_name + "/blocks");
        REQUIRE(rows.size() == 1);
        CHECK(rows[0].status == Status::fail);
    }
}

TEST_CASE("what is wrong along columns alone is found", "[operation][quantize_2d][values]") {
    const auto [fault, says] = GENERATE(table<std::string, std::string>({
        {"one element along columns", "the element along columns"},
        {"a scale one too large in the last column", "the scale along columns"},
        {"scales along columns not written", "the scale along columns"},
        {"elements along columns transposed", "the element along columns"},
    }));
    CAPTURE(fault);
    const std::vector<verdict::Row> rows = certified(fault, "ocp-sat", small_name + "/blocks");
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].status == Status::fail);
    REQUIRE(!verdict::wrong_of(rows[0]).empty());
    CHECK_THAT(verdict::wrong_of(rows[0])[0], Contains(says));
    CHECK(rows[0].known_as.empty());
    // Small suites see them, too.
    CHECK(certified(fault, "ocp-sat", small_name + "/blocks", Level::smoke)[0].status == Status::fail);
}

TEST_CASE("the scale of a tile and what it is made of are identified", "[identify][quantize_2d][.][exhaustive]") {
    const auto fault = GENERATE(std::string(), std::string("the amax without the last row of a tile"));
    CAPTURE(fault);
    const auto subject = test::open_plugin(plugin().c_str(), fault);
    verdict::GoldenSource golden;
    const std::vector<Identified> found = identify_quantize_2d(*subject, parse_operation(small_name), golden);
    REQUIRE(found.size() == 3);
    const auto& blocks = std::get<FoundCases>(found[2]);
    CHECK(blocks.explained == blocks.asked);
    REQUIRE(blocks.parameters.size() == 1);
    CHECK(blocks.parameters[0].value == (fault.empty() ? "the values of its tile" : fault));
    if (!fault.empty()) return;
    const auto& scale = std::get<diagnose::FoundBehaviour>(found[0]);
    CHECK(scale.explained == scale.asked);
    CHECK(scale.choices.rule == ScaleRule::ocp_floor);
    const auto& element = std::get<diagnose::FoundBehaviour>(found[1]);
    CHECK(element.explained == element.asked);
    CHECK(element.choices.rounding == Rounding::nearest_even);
}

TEST_CASE("tiles have sizes, and an operation on them has all of its attributes", "[operation][quantize_2d]") {
    const Quantize2d quantize = as_quantize_2d(parse_operation(te_name));
    CHECK(quantize.tile == BlockShape{32, 32});
    CHECK(quantize.row_scales({64, 96}) == Extent{64, 3});
    CHECK(quantize.column_scales({64, 96}) == Extent{2, 96});
    CHECK(quantize.row_scales({33, 33}) == Extent{33, 2});
    for (const char* tile : {"*x*", "32x*", "0x32", "32", "2048x1"}) {
        CAPTURE(tile);
        CHECK_THROWS_AS(parse_operation("quantize_2d-bf16-e4m3-e8m0-rceil-nearest_even-sat-" + std::string(tile)),
                        std::invalid_argument);
    }
}
