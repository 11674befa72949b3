// SPDX-License-Identifier: Apache-2.0
// Quantizers and dequantizers that have several elements in a byte: right ones pass, sizes that end within a byte too,
// and another order is named.
#include <string>

#include "catch.hpp"
#include "conformance/suites/blocks/sweep.hpp"
#include "conformance/suites/packed_answers.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "reference/exact/exact.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Contains;

namespace {

const std::string fp4 = "quantize-bf16-e2m1-e8m0-ocp_floor-nearest_even-sat-row-32-low_first";
const std::string columns = "quantize-fp32-e2m1-e8m0-ocp_floor-nearest_even-sat-column-32-high_first";
const std::string fp4_back = "dequantize-e2m1-e8m0-fp32-row-32-low_first";
const std::string fp6_back = "dequantize-e2m3-e8m0-bf16-row-32-high_first";

std::string plugin() { return test::planted_plugin("packed_quantizer"); }

std::vector<verdict::Row> certified(const std::string& fault, const std::string& filter, Level level = Level::smoke) {
    return test::certify_plugin(plugin().c_str(), fault, "ocp-sat", filter, 4, level);
}

verdict::Row blocks_of(const std::string& fault, const std::string& operation) {
    const std::vector<verdict::Row> rows = certified(fault, operation + "/blocks");
    REQUIRE(rows.size() == 1);
    return rows.front();
}

} // namespace

TEST_CASE("what packs its elements right passes", "[operation][packing][values]") {
    for (const std::string& operation : {columns, fp4_back, fp6_back})
        for (const verdict::Row& row : certified("", operation + "/*", Level::quick)) {
            INFO(row.id << ": " << row.reason);
            CHECK(row.status == Status::pass);
            if (row.id.ends_with("/blocks")) CHECK(verdict::cases_of(row)->largest_matrix > 1U << 20U);
        }
    for (const verdict::Row& row : certified("", fp4 + "/*", Level::smoke)) CHECK(row.status == Status::pass);
}

TEST_CASE("another packing than the one declared is named", "[operation][packing][values]") {
    const auto [operation, packing] = GENERATE(table<std::string, std::string>({
        {fp4, "high_first"},
        {fp4, "halves"},
        {columns, "low_first"},
        {fp4_back, "high_first"},
        {fp4_back, "halves"},
        {fp6_back, "low_first"},
    }));
    CAPTURE(operation, packing);
    const verdict::Row row = blocks_of(packed_as(find_packing(packing)), operation);
    CHECK(row.status == Status::fail);
    REQUIRE(row.known_as.size() == 1);
    CHECK(row.known_as[0].bug_class->id == "PACK_ORDER");
    CHECK_THAT(row.reason, Contains("cause: the elements packed as " + packing));
}

TEST_CASE("what is wrong with elements and not with their packing is not named so", "[operation][packing][values]") {
    const verdict::Row row = blocks_of("every third element of a row that of the one before", fp4);
    CHECK(row.status == Status::fail);
    CHECK(row.known_as.empty());
}

TEST_CASE("the last byte of a row is written, and has no bits too many", "[operation][packing][values]") {
    const verdict::Row left = blocks_of("the last byte of a row left", fp4);
    CHECK(left.status == Status::mistrusted);
    CHECK_THAT(left.reason, Contains("a tail of 1") && Contains("(bytes, as low_first packs the elements)"));
    const verdict::Row stray = blocks_of("bits that hold no code set", fp4);
    CHECK(stray.status == Status::fail);
    CHECK_THAT(stray.reason, Contains("its bits that hold no code are not zero"));
}

TEST_CASE("every value is asked of packed elements too", "[sweep][packing][values]") {
    const Operation operation = parse_operation(columns);
    const Quantize quantize = as_quantize(operation);
    const Format& scaled = *quantize.element.from;
    std::vector<Code> amaxes(256, 0);
    amaxes[0x7F] = 0x40FFFFFF; // the largest with the scale 1, right below 8
    const std::vector<inputs::CodeRange> ranges{
        {scaled.code_of(0x7F, 0x3E000000), scaled.code_of(0x7F, 0x3E000000 + 300'000)},
        {scaled.code_of(0x7F, 0xBFE00000), scaled.code_of(0x7F, 0xBFE00000 + 300'000)}};
    const auto sweep = [&](const std::string& fault) {
        const auto subject = test::open_plugin(plugin().c_str(), fault);
        return sweep_elements(*subject, operation, 32, ranges, amaxes, nullptr);
    };
    const observe::Observation seen = sweep("");
    INFO(seen.reason);
    REQUIRE(seen.status == Status::pass);
    CHECK(seen.inputs == 600'002);
    REQUIRE(!seen.partial.empty());
    for (const Step& step : seen.partial)
        for (const Code input : {step.first, step.last})
            CHECK(step.code == exact::convert(scaled, formats::e2m1, {}, input).code);
    CHECK(sweep("the elements packed as low_first").partial != seen.partial);
    CHECK(sweep("every third element of a row that of the one before").partial != seen.partial);
    CHECK(sweep("bits that hold no code set").status != Status::pass);
}
