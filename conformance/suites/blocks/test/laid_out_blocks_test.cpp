// SPDX-License-Identifier: Apache-2.0
// Quantizers and dequantizers that have their scales where a matmul library wants them: right ones pass, and another
// layout is named, in padding and where there is none.
#include <string>

#include "catch.hpp"
#include "conformance/suites/blocks/sweep.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "reference/exact/exact.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Contains;

namespace {

const std::string swizzled_rows = "quantize-bf16-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32-swizzle_128x4";
const std::string swizzled_columns =
    "quantize-bf16-e2m1-e8m0-ocp_floor-nearest_even-sat-column-32-low_first-swizzle_128x4_columnwise";
const std::string swizzled_back = "dequantize-e4m3-e8m0-fp32-row-32-swizzle_128x4";

std::string laid_out_plugin() { return test::planted_plugin("packed_quantizer"); }

std::vector<verdict::Row> laid_out_rows_of(const std::string& fault, const std::string& filter,
                                           Level level = Level::smoke) {
    return test::certify_plugin(laid_out_plugin().c_str(), fault, "ocp-sat", filter, 4, level);
}

verdict::Row laid_out_blocks_of(const std::string& fault, const std::string& operation) {
    const std::vector<verdict::Row> all = laid_out_rows_of(fault, operation + "/blocks");
    REQUIRE(all.size() == 1);
    return all.front();
}

void check_passing(const std::string& operation, Level level) {
    for (const verdict::Row& row : laid_out_rows_of("", operation + "/*", level)) {
        INFO(row.id << ": " << row.reason);
        CHECK(row.status == Status::pass);
        // Large matrices too, whose scales are laid out before they are compared.
        if (level != Level::smoke && row.id.ends_with("/blocks"))
            CHECK(verdict::cases_of(row)->largest_matrix > 1U << 20U);
    }
}

} // namespace

TEST_CASE("what lays its scales out right passes", "[operation][layout][values]") {
    check_passing(swizzled_rows, Level::quick);
    check_passing(swizzled_columns, Level::smoke);
    check_passing(swizzled_back, Level::smoke);
}
TEST_CASE("what lays its scales out right passes, on large matrices too", "[.][exhaustive]") {
    for (const std::string& operation : {swizzled_columns, swizzled_back}) check_passing(operation, Level::quick);
}

TEST_CASE("another layout of the scales than the one declared is named", "[operation][layout][values]") {
    const auto [operation, layout] = GENERATE(table<std::string, std::string>({
        {swizzled_rows, "padded_128x4"},
        {swizzled_rows, "linear"},
        {swizzled_columns, "padded_4x128"},
        {swizzled_back, "padded_128x4"},
        {swizzled_back, "linear"},
    }));
    CAPTURE(operation, layout);
    const verdict::Row row = laid_out_blocks_of("the scales laid out as " + layout, operation);
    CHECK(row.status == Status::fail);
    CHECK_THAT(row.reason, Contains("the scales laid out as " + layout));
    REQUIRE(!row.known_as.empty());
    CHECK(row.known_as[0].bug_class->id == "ROWMAJOR_VS_SWIZZLED");
}

TEST_CASE("padding of scales is written, and zero", "[operation][layout][values]") {
    const verdict::Row left = laid_out_blocks_of("the padding of scales left", swizzled_rows);
    CHECK(left.status == Status::mistrusted);
    CHECK_THAT(left.reason, Contains("(bytes, as swizzle_128x4 has the scales)"));
    const verdict::Row filled = laid_out_blocks_of("the padding of scales 0x7F", swizzled_rows);
    CHECK(filled.status == Status::fail);
    CHECK_THAT(filled.reason, Contains("is 0x7F; it is padding of swizzle_128x4, which is 0x00"));
    CHECK(filled.known_as.empty());
    const verdict::Row elements =
        laid_out_blocks_of("every third element of a row that of the one before", swizzled_rows);
    CHECK(elements.status == Status::fail);
    CHECK(elements.known_as.empty());
}

TEST_CASE("every amax is asked of scales in a layout too", "[sweep][layout]") {
    const Operation operation = parse_operation(swizzled_rows);
    const Quantize quantize = as_quantize(operation);
    const auto sweep = [&](const std::string& fault) {
        const auto subject = test::open_plugin(laid_out_plugin().c_str(), fault);
        return sweep_scales(*subject, operation, 32, {0, quantize.scale.from->inf_code()}, nullptr);
    };
    const observe::Observation seen = sweep("");
    INFO(seen.reason);
    REQUIRE(seen.status == Status::pass);
    REQUIRE(seen.partial.size() > 200);
    for (const Step& step : seen.partial)
        for (const Code input : {step.first, step.last})
            CHECK(step.code ==
                  exact::convert(*quantize.scale.from, *quantize.scale.to, choices_of(quantize.scale), input).code);
    CHECK(sweep("the scales laid out as padded_128x4").status != Status::pass);
    CHECK(sweep("the padding of scales 0x7F").status != Status::pass);
}
