// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include "conformance/suites/dequantize_nvfp4/cases.hpp"
#include "conformance/suites/dequantize_nvfp4/expected.hpp"
#include "conformance/suites/dequantize_nvfp4/identify.hpp"
#include "conformance/suites/dequantize_nvfp4/way.hpp"
#include "conformance/suites/registry.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Contains;

namespace {

struct Offered {
    std::string name;
    std::string profile;
};
const std::vector<Offered> offered{
    {"dequantize_nvfp4-te_nvfp4-bf16-1x16", "nvidia-te"},
    {"dequantize_nvfp4-torchao_nvfp4-fp32-16x16", "torchao-nvfp4"},
    {"dequantize_nvfp4-compressed_tensors_nvfp4-fp16-16x1", "compressed-tensors"},
    {"dequantize_nvfp4-torchao_nvfp4_one_level-fp16-1x16", "torchao-nvfp4"},
    {"dequantize_nvfp4-te_nvfp4_4over6-bf16-1x16", "nvidia-te"},
    {"dequantize_nvfp4-autoround_nvfp4_e5m3-bf16-1x16", "autoround-nvfp4"},
};

std::string plugin() { return test::planted_plugin("nvfp4_dequantizer"); }

std::vector<verdict::Row> certified(const std::string& fault, const Offered& offer, const std::string& part,
                                    Level level = Level::quick) {
    return test::certify_plugin(plugin().c_str(), fault, offer.profile, offer.name + part, 4, level);
}

} // namespace

TEST_CASE("what dequantizes NVFP4 right passes", "[operation][nvfp4][values]") {
    for (const Offered& offer : offered) {
        // The larger matrices of two: they take long.
        const bool has_large = &offer < &offered[2];
        const std::vector<verdict::Row> rows = certified("", offer, "/*", has_large ? Level::quick : Level::smoke);
        REQUIRE(rows.size() == 2);
        for (const verdict::Row& row : rows) {
            INFO(row.id << ": " << row.reason);
            CHECK(row.status == Status::pass);
            // Without a number of the tensor every value is asked.
            const bool all =
                row.id.ends_with("/blocks") || !as_dequantize_nvfp4(parse_operation(offer.name)).has_number();
            CHECK((!has_large || row.sample == !all));
        }
        CHECK((!has_large || verdict::cases_of(rows.back())->largest_matrix > 1U << 20U));
    }
    const std::vector<verdict::Row> whole = certified("refuses tails", offered[0], "/blocks");
    REQUIRE(whole.size() == 1);
    CHECK(whole[0].status == Status::pass);
    CHECK_THAT(whole[0].reason, Contains("refused, as it may"));
}

namespace {

/// Plants every `step`-th fault.
void check_faults(std::size_t step) {
    for (std::size_t number = 0; number < nvfp4_back_faults().size(); number += step) {
        const Nvfp4BackFault& fault = nvfp4_back_faults()[number];
        const std::string name(fault.name);
        CAPTURE(name);
        // In the first operation that shows it.
        bool named = false;
        for (const Offered& offer : offered) {
            Nvfp4BackWay way = right_way(as_dequantize_nvfp4(parse_operation(offer.name)));
            if (named || !fault.plant(way)) continue;
            for (const verdict::Row& row : certified(name, offer, "/*", Level::smoke)) {
                INFO(row.id << ": " << row.reason);
                CHECK((row.status == Status::pass || row.status == Status::fail));
                named = named || row.reason.find(name) != std::string::npos;
            }
        }
        CHECK(named);
    }
}

} // namespace

TEST_CASE("what is wrong with values of NVFP4 is found and named", "[operation][nvfp4][values]") { check_faults(3); }
TEST_CASE("everything that is wrong with values of NVFP4 is found and named", "[.][exhaustive]") { check_faults(1); }

TEST_CASE("one wrong value of NVFP4 is found, and a number that is stale", "[operation][nvfp4][values]") {
    for (const char* fault : {"one element under one scale", "the number of the tensor before"}) {
        CAPTURE(fault);
        const std::vector<verdict::Row> rows = certified(fault, offered[1], "/values", Level::smoke);
        REQUIRE(rows.size() == 1);
        CHECK(rows[0].status == Status::fail);
        CHECK(rows[0].known_as.empty());
    }
    CHECK(certified("the last value of a matrix", offered[0], "/blocks")[0].status == Status::fail);
}

TEST_CASE("every element is asked under every scale", "[operation][nvfp4]") {
    for (const Offered& offer : offered) {
        const DequantizeNvfp4 dequantize = as_dequantize_nvfp4(parse_operation(offer.name));
        CAPTURE(offer.name);
        for (const Code number : {Code{0}, Code{0x45280000}, Code{77}}) {
            const Nvfp4BackCase back_case = values_case(dequantize, number);
            std::vector<bool> seen(256 * 16);
            for (std::uint64_t block = 0; block < back_case.matrix.blocks(); ++block) {
                const BlockRange range = back_case.matrix.block(block);
                for (std::uint64_t lane = 0; lane < count(range.size, "values"); ++lane)
                    seen[back_case.scales[block] * 16 + back_case.elements[back_case.matrix.place(range, lane)]] = true;
            }
            CHECK(std::count(seen.begin(), seen.end(), false) == 0);
        }
        // More numbers at each level.
        std::size_t before = 0;
        for (const Level level : {Level::smoke, Level::quick, Level::standard, Level::complete}) {
            const std::size_t now = numbers_of_tensors(dequantize, level, 1).size();
            CHECK((dequantize.has_number() ? now > before : now == 1));
            before = now;
        }
    }
}

TEST_CASE("how NVFP4 is dequantized is identified, whatever is declared", "[identify][nvfp4][values]") {
    const auto identified = [](const std::string& fault, const Offered& offer) {
        const auto subject = test::open_plugin(plugin().c_str(), fault);
        return identify_dequantize_nvfp4(*subject, parse_operation(offer.name));
    };
    const FoundCases te = identified("", offered[0]);
    CHECK(te.explained == te.asked);
    CHECK(te.in_table);
    CHECK(te.name == "te_nvfp4 or te_nvfp4_4over6_448 or te_nvfp4_4over6_448_mse");
    CHECK(identified("", offered[4]).name == "te_nvfp4_4over6 or te_nvfp4_4over6_mse");
    CHECK(identified("", offered[1]).name == "torchao_nvfp4");
    CHECK(identified("", offered[2]).name == "compressed_tensors_nvfp4 or compressed_tensors_nvfp4_bf16");
    CHECK(identified("", offered[3]).name == "torchao_nvfp4_one_level");
    const FoundCases other = identified("subnormal scales flushed", offered[0]);
    CHECK(other.explained == other.asked);
    CHECK_FALSE(other.in_table);
    bool said = false;
    for (const auto& parameter : other.parameters)
        said = said || (parameter.name == "subnormal scales" && parameter.value == "flushed");
    CHECK(said);
    const FoundCases odd = identified("one element under one scale", offered[0]);
    CHECK(odd.explained < odd.asked);
    CHECK_FALSE(odd.in_table);
}

TEST_CASE("an operation of NVFP4 and back has names that exist", "[operation][nvfp4]") {
    const auto refuses = [](const std::string& name, const std::string& why) {
        CHECK_THROWS_WITH(parse_operation(name), Contains(why));
    };
    refuses("dequantize_nvfp4-te_nvfp5-bf16-1x16", "did you mean te_nvfp4");
    refuses("dequantize_nvfp4-te_nvfp4-fp64-1x16", "there are fp32, fp16, bf16");
    refuses("dequantize_nvfp4-te_nvfp4-bf16-1x32", "there are 1x16, 16x1, 16x16");
    CHECK(packed_elements(parse_operation("dequantize_nvfp4-te_nvfp4-bf16-1x16-low_first")).block == 16);
}
