// SPDX-License-Identifier: Apache-2.0
#include "reference/base/other_names.hpp"

#include <catch.hpp>
#include <string>

#include "reference/conversion.hpp"
#include "reference/dot/accumulator.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;

namespace {

constexpr std::string_view others[] = {"rne", "rn", "rna", "rmm", "rtz", "rz", "rup", "rp", "rdn", "rm", "rod"};

} // namespace

TEST_CASE("another name of a rounding gives ours, and any other text itself", "[other_names]") {
    CHECK(rounding_name("rne") == "nearest_even");
    CHECK(rounding_name("rmm") == "nearest_away");
    CHECK(rounding_name("rz") == "toward_zero");
    CHECK(rounding_name("rdn") == "down");
    CHECK(rounding_name("nearest_even") == "nearest_even");
    CHECK(rounding_name("rnez").data() == std::string_view("rnez"));
    CHECK(with_rounding_names("fp32-*-rne-sat") == "fp32-*-nearest_even-sat");
    CHECK(with_rounding_names("quantize-bf16-e4m3-e8m0-rceil-rtz-sat-row-32/blocks") ==
          "quantize-bf16-e4m3-e8m0-rceil-toward_zero-sat-row-32/blocks");
    for (const std::string unchanged : {"", "-", "fp32-e4m3-nearest_even-sat", "a--b-", "fp32_rz"})
        CHECK(with_rounding_names(unchanged) == unchanged);
}

TEST_CASE("names with another name of a rounding read as ours, and print as ours", "[other_names]") {
    for (const std::string_view other : others) {
        const std::string name = "fp32-e4m3-" + std::string(other) + "-sat";
        CHECK(to_string(parse_conversion(name)) == with_rounding_names(name));
        CHECK(to_string(parse_conversion(name)) != name);
    }
    CHECK(to_string(parse_operation("quantize-bf16-e4m3-e8m0-rceil-rne-sat-row-32")) ==
          "quantize-bf16-e4m3-e8m0-rceil-nearest_even-sat-row-32");
    Choices choices;
    set_by_text(choices, "rounding=rtz", "--choice");
    CHECK(choices.rounding == Rounding::toward_zero);
    // What a backend says of itself is held to the letter.
    CHECK_THROWS_AS(make_conversion("fp32", "e4m3", "rne", "sat", 0), std::invalid_argument);
}

TEST_CASE("no name that means something else is another name of a rounding", "[other_names]") {
    const auto is_free = [](std::string_view name) { return rounding_name(name) == name; };
    for (const Format& format : all_formats()) CHECK(is_free(format.name));
    for (const ChoiceInfo& choice : all_choices())
        for (const std::string_view value : choice.values) CHECK(is_free(value));
    for (const Accumulator& accumulator : accumulators()) CHECK(is_free(accumulator.name));
    for (const OperationInfo& operation : all_operations()) CHECK(is_free(operation.name));
}
