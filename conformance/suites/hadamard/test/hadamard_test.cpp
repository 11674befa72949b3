// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string>
#include <vector>

#include "catch.hpp"
#include "conformance/suites/hadamard/cases.hpp"
#include "conformance/suites/hadamard/expected.hpp"
#include "conformance/suites/hadamard/identify.hpp"
#include "conformance/suites/hadamard/way.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Contains;

namespace {

const std::vector<std::string> offered{
    "hadamard-bf16-bf16-D7E8-row-forward",
    "hadamard-bf16-bf16-D7E8-column-inverse",
    "hadamard-fp32-fp16-1234-column-forward",
    "hadamard-fp16-fp32-8001-row-inverse",
};

std::string plugin() { return test::planted_plugin("hadamard"); }

std::vector<verdict::Row> certified(const std::string& fault, const std::string& filter, Level level = Level::smoke) {
    return test::certify_plugin(plugin().c_str(), fault, "nvidia-te", filter, 0, level);
}

} // namespace

namespace {

void check_passing(std::span<const std::string> names) {
    for (const std::string& name : names) {
        const std::vector<verdict::Row> rows = certified("", name + "/*", Level::quick);
        REQUIRE(rows.size() == 3);
        for (const verdict::Row& row : rows) {
            INFO(row.id << ": " << row.reason);
            CHECK(row.status == Status::pass);
            CHECK(row.compared > 50'000);
            CHECK(row.sample == row.id.ends_with("/values"));
        }
        CHECK(verdict::cases_of(rows.front())->largest_matrix > 1U << 20U);
    }
}

} // namespace

TEST_CASE("what transforms groups of every format right passes", "[.][exhaustive]") { check_passing(offered); }
TEST_CASE("what transforms groups right passes", "[operation][hadamard][values]") {
    check_passing(std::span(offered).last(2)); // both axes, and both directions
    const std::vector<verdict::Row> rows =
        certified("refuses sides that 16 does not divide", offered[0] + "/places", Level::quick);
    REQUIRE(rows.size() == 1);
    INFO(rows[0].reason);
    CHECK(rows[0].status == Status::pass);
    CHECK_THAT(rows[0].reason, Contains("refused, as it may"));
}

TEST_CASE("what is wrong with a transform is found and named", "[operation][hadamard][values]") {
    for (const HadamardFault& fault : hadamard_faults()) {
        const std::string name(fault.name);
        CAPTURE(name);
        // In the first operation that shows it.
        bool named = false;
        bool failed = false;
        for (const std::string& offer : offered) {
            HadamardWay way = right_way(as_hadamard(parse_operation(offer)));
            fault.plant(way);
            if (named || way == right_way(as_hadamard(parse_operation(offer)))) continue;
            for (const verdict::Row& row : certified(name, offer + "/*")) {
                INFO(row.id << ": " << row.reason);
                CHECK((row.status == Status::pass || row.status == Status::fail));
                failed = failed || row.status == Status::fail;
                named = named || row.reason.find(name) != std::string::npos;
            }
        }
        CHECK(failed);
        CHECK(named);
    }
}

TEST_CASE("any mask of signs is named", "[operation][hadamard][values]") {
    for (const std::string& name : {offered[0], offered[1]}) {
        const std::vector<verdict::Row> rows = certified("the signs D7E9", name + "/places");
        REQUIRE(rows.size() == 1);
        CHECK(rows[0].status == Status::fail);
        CHECK_THAT(rows[0].reason, Contains("the signs D7E9"));
        CHECK(rows[0].known_as[0].bug_class == find_bug_class("HADAMARD"));
    }
}

TEST_CASE("a few wrong values of a transform are found", "[operation][hadamard][values]") {
    const auto fails = [](const std::string& fault, const std::string& row) {
        const std::vector<verdict::Row> rows = certified(fault, row, Level::quick);
        CAPTURE(fault, row);
        REQUIRE(rows.size() == 1);
        INFO(rows[0].reason);
        CHECK(rows[0].status == Status::fail);
        CHECK(rows[0].known_as.empty());
    };
    fails("sums one unit off in one group of 1024", offered[0] + "/places");
    fails("sums one unit off in one group of 1024", offered[3] + "/sums");
    fails("the last group of a matrix is zero", offered[2] + "/places");
    fails("a NaN is zero", offered[1] + "/sums");
    fails("zeros are negative", offered[0] + "/sums");
    fails("sums off by more than any order", offered[0] + "/values");
    fails("sums off by more than any order", offered[2] + "/values");
}

TEST_CASE("groups are of the kind that their part says", "[operation][hadamard][values]") {
    const HadamardTransform transform = as_hadamard(parse_operation(offered[0]));
    HadamardExpected expected(transform.transform, *transform.source, *transform.target);
    std::uint64_t ties = 0;
    std::uint64_t open = 0;
    const auto is_one = [&](const TileCase& tile_case) {
        for (std::uint64_t group = 0; group < tile_case.matrix.blocks(); ++group)
            for (const recipe::HadamardValue& value : expected.of(tile_case.values_of(group)))
                open += value.is_one() || !value.number || value.high == 0 ? 0 : 1;
        return true;
    };
    CHECK(for_each_single_case(transform, Level::quick, 1, is_one));
    CHECK(for_each_group_size_case(transform, Level::smoke, is_one));
    CHECK(for_each_sum_case(transform, Level::smoke, 1, is_one));
    CHECK(open == 0);
    for (const std::string& name : offered) {
        const HadamardTransform other = as_hadamard(parse_operation(name));
        HadamardExpected of_other(other.transform, *other.source, formats::fp32);
        std::uint64_t beyond = 0; // sums that no FP16 holds before they are multiplied by 1/4
        std::uint64_t bits = 0;   // of numbers that come in
        CHECK(for_each_sum_case(other, Level::quick, 1, [&](const TileCase& tile_case) {
            for (std::uint64_t group = 0; group < tile_case.matrix.blocks(); ++group) {
                const std::vector<recipe::HadamardValue> values = of_other.of(tile_case.values_of(group));
                for (const recipe::HadamardValue& value : values) {
                    open += value.number && value.low != value.high && value.high != 0 ? 1 : 0;
                    beyond += value.is_one() && (value.low & 0x7FFFFFFFU) > 0x46800000U ? 1 : 0;
                }
            }
            for (const Code code : tile_case.values)
                if (other.source->is_finite(code) && (code & other.source->fraction_mask()) != 0)
                    bits = std::max(
                        bits, static_cast<std::uint64_t>(other.source->fraction_bits + 1 - std::countr_zero(code)));
            return true;
        }));
        CAPTURE(name);
        CHECK(open == 0);
        CHECK(beyond > 100);
        CHECK(bits >=
              static_cast<std::uint64_t>(other.source == &formats::fp32 ? 18 : other.source->fraction_bits + 1));
    }
    // Sums of which a half of the target's unit is left, by way of binary32.
    HadamardExpected in_fp32(transform.transform, *transform.source, formats::fp32);
    CHECK(for_each_sum_case(transform, Level::quick, 1, [&](const TileCase& tile_case) {
        for (std::uint64_t group = 0; group < tile_case.matrix.blocks(); ++group)
            for (const recipe::HadamardValue& value : in_fp32.of(tile_case.values_of(group)))
                ties += value.is_one() && (value.low & 0xFFFFU) == 0x8000U ? 1 : 0;
        return true;
    }));
    CHECK(ties > 500);
    // Each place, of both signs, in each binade.
    std::vector<bool> seen(16 * 2 * 255);
    CHECK(for_each_single_case(transform, Level::standard, 1, [&](const TileCase& tile_case) {
        for (std::uint64_t group = 0; group < tile_case.matrix.blocks(); ++group) {
            const std::vector<Code> values = tile_case.values_of(group);
            for (std::uint64_t lane = 0; lane < 16; ++lane)
                if ((values[lane] & 0x7FFFU) != 0)
                    seen[(lane * 2 + (values[lane] >> 15U)) * 255 + (values[lane] >> 7U & 0xFFU)] = true;
        }
        return true;
    }));
    CHECK(std::count(seen.begin(), seen.end(), false) == 0);
}

TEST_CASE("what a transform does is identified, whatever is declared", "[identify][hadamard][.][exhaustive]") {
    const auto identified = [](const std::string& fault, const std::string& name) {
        return identify_hadamard(*test::open_plugin(plugin().c_str(), fault), parse_operation(name));
    };
    const auto says = [](const FoundCases& found, const std::string& name) {
        for (const auto& parameter : found.parameters)
            if (parameter.name == name) return parameter.value;
        return std::string();
    };
    for (const std::string& name : offered) {
        const FoundCases right = identified("", name);
        CHECK(right.explained == right.asked);
        CHECK(says(right, "factor") == "1/4");
        CHECK(says(right, "groups") == "16");
    }
    CHECK(says(identified("", offered[2]), "signs") == "1234");
    for (const auto& [fault, name, parameter, value] :
         {std::array{"the signs D7E9", offered[0].c_str(), "signs", "D7E9"},
          std::array{"signs on the other side of the sum", offered[0].c_str(), "signs of", "values that come out"},
          std::array{"sums kept in BF16", offered[0].c_str(), "sums", "in BF16, one by one"},
          std::array{"groups of 32", offered[1].c_str(), "groups", "32"}}) {
        const FoundCases found = identified(fault, name);
        CAPTURE(fault);
        CHECK(found.explained == found.asked);
        CHECK(says(found, parameter) == value);
    }
    const FoundCases odd = identified("zeros are negative", offered[0]);
    CHECK(odd.explained == odd.asked); // the sign of a zero says nothing
    CHECK(identified("sums one unit off in one group of 1024", offered[0]).explained < odd.asked);
}
