// SPDX-License-Identifier: Apache-2.0
// Rules, elements, joinings and layouts are recovered from answers: those of the portable backend, and those of a
// plugin with a fault. What is declared says nothing.
#include <algorithm>
#include <string>

#include "catch.hpp"
#include "conformance/suites/blocks/identify.hpp"
#include "conformance/suites/blocks/reading.hpp"
#include "conformance/suites/layout/identify_layout.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "conformance/test/program.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using mxcert::test::contains;
using mxcert::test::Result;
using mxcert::test::shell;

namespace {

/// An operation of a plugin, found by what its name contains.
template <class Identify>
auto identify(const char* path, const std::string& fault, const std::string& name, Identify identify_it) {
    static verdict::GoldenSource golden;
    const auto subject = test::open_plugin(path, fault);
    const auto& operations = subject->info().operations;
    const auto at = std::find_if(operations.begin(), operations.end(),
                                 [&](const Operation& operation) { return contains(to_string(operation), name); });
    INFO(name);
    REQUIRE(at != operations.end());
    return identify_it(*subject, *at, golden);
}

FoundQuantizer quantizer_with(const std::string& fault, const std::string& name = "-ocp_floor-",
                              const std::optional<Choices>& known_element = {},
                              const char* path = MXCERT_TEST_QUANTIZER) {
    return identify(path, fault, name,
                    [&](observe::Subject& subject, const Operation& operation, verdict::GoldenSource& golden) {
                        return identify_quantize(subject, operation, golden, known_element);
                    });
}
FoundQuantizer portable_quantizer(const std::string& name, const std::optional<Choices>& known_element) {
    return quantizer_with("", name, known_element, MXCERT_TEST_PLUGINS "/portable.so");
}
FoundDequantizer dequantizer_with(const std::string& fault) {
    return identify(MXCERT_TEST_QUANTIZER, fault, "dequantize-", identify_dequantize);
}
FoundCases layout_of(const std::string& name, const std::string& fault, const char* path = MXCERT_TEST_QUANTIZER) {
    return identify(path, fault, name,
                    [](observe::Subject& subject, const Operation& operation, verdict::GoldenSource& /*golden*/) {
                        return identify_layout(subject, operation);
                    });
}

std::string value(const std::vector<diagnose::FoundParameter>& parameters, std::string_view name) {
    for (const diagnose::FoundParameter& parameter : parameters)
        if (parameter.name == name) return parameter.value;
    return "";
}
/// Every value that a parameter may have.
std::vector<std::string> values(const std::vector<diagnose::FoundParameter>& parameters, std::string_view name) {
    for (const diagnose::FoundParameter& parameter : parameters) {
        if (parameter.name != name) continue;
        std::vector<std::string> all = parameter.alike;
        all.insert(all.begin(), parameter.value);
        return all;
    }
    return {};
}

template <class Found> bool explained(const Found& found) {
    UNSCOPED_INFO(to_string(found.status) << " " << found.reason << ": " << found.explained << " of " << found.asked);
    return found.status == Status::pass && found.asked > 20 && found.explained == found.asked;
}

using Strings = std::vector<std::string>;

} // namespace

TEST_CASE("an input with two answers is a contradiction", "[identify][blocks]") {
    const Reading reading = reading_of({{7, 1}, {5, 2}, {5, 3}, {6, 2}, {5, 2}});
    CHECK(reading.steps == std::vector<Step>{{5, 6, 2}, {7, 7, 1}});
    CHECK(reading.contradictions == std::vector<std::pair<Code, Code>>{{5, 3}});
    CHECK(reading_of({}).steps.empty());
}

TEST_CASE("scale rules and elements of portable are found without being told", "[identify][blocks][.][exhaustive]") {
    struct Known {
        const char* name;
        const char* rule;
        bool elements; ///< are asked too, which takes long
    };
    for (const Known& known : {Known{"quantize-bf16-e4m3-e8m0-ocp_floor-nearest_even-sat-row-any", "ocp_floor", true},
                               Known{"quantize-fp16-e5m2-e8m0-rceil-nearest_even-sat-column-any", "rceil", false},
                               Known{"quantize-fp32-e4m3-e8m0-rceil-nearest_even-sat-row-any", "rceil", false}}) {
        CAPTURE(known.name);
        const FoundQuantizer found =
            portable_quantizer(known.name, known.elements ? std::optional<Choices>() : Choices{});
        CHECK(explained(found.scale));
        CHECK(explained(found.blocks));
        CHECK(values(found.scale.parameters, "rule") == Strings{known.rule});
        if (known.elements) {
            CHECK(explained(found.elements));
            CHECK_FALSE(found.elements.sample);
            CHECK(found.elements.asked > 1'000'000);
            CHECK(value(found.elements.parameters, "rounding") == "nearest_even");
            CHECK(value(found.elements.parameters, "overflow") == "sat");
        }
        CHECK(values(found.blocks.parameters, "amax") == Strings{"of the values of the block"});
        CHECK(values(found.blocks.parameters, "scales") == Strings{"each in the place of its block"});
        CHECK(values(found.blocks.parameters, "tail") == Strings{"a block of its own"});
        CHECK(values(found.blocks.parameters, "lanes") == Strings{"in order"});
        CHECK(values(found.blocks.parameters, "amax_nan").size() == 1);
        CHECK(values(found.blocks.parameters, "amax_inf") == Strings{"counted"});
        CHECK(value(found.blocks.parameters, "elements").empty()); // by the scale given out
        CHECK(found.scale.sample == contains(known.name, "fp32"));
        if (contains(known.name, "bf16")) CHECK(found.scale.asked == 0x7F81); // every amax
        REQUIRE_FALSE(found.blocks.profiles.empty());
        CHECK(found.blocks.profiles.front().differing == 0);
    }
}

TEST_CASE("the arithmetic of a rule is found in FP32", "[.][exhaustive]") {
    // The plugin multiplies by the rounded reciprocal of the largest element.
    const FoundQuantizer found = quantizer_with("", "-rceil-");
    CHECK(explained(found.scale));
    CHECK(value(found.scale.parameters, "rule") == "rceil");
    // A division of FP32 does the same on every amax, exact arithmetic does not.
    CHECK(values(found.scale.parameters, "arithmetic") == Strings{"fp32_multiply", "fp32_divide"});
    CHECK(found.scale.asked > 10'000);
    CHECK(explained(found.elements));
    CHECK(found.elements.asked > 100'000);
    CHECK(explained(found.blocks));
    CHECK(values(found.blocks.parameters, "amax_nan") == Strings{"ignored"});
}

namespace {

/// A wrong joining, and the parameter that says so.
struct Wrong {
    const char* fault;
    const char* parameter;
    const char* value;
};

void check_joinings(const std::vector<Wrong>& wrong) {
    for (const Wrong& this_wrong : wrong) {
        CAPTURE(this_wrong.fault);
        const FoundQuantizer found = quantizer_with(this_wrong.fault, "-ocp_floor-", Choices{});
        CHECK(value(found.scale.parameters, "rule") == "ocp_floor");
        CHECK(explained(found.scale));
        CHECK(explained(found.blocks));
        CHECK(values(found.blocks.parameters, this_wrong.parameter) == Strings{this_wrong.value});
        for (const diagnose::FoundParameter& other_parameter : found.blocks.parameters)
            if (other_parameter.name != this_wrong.parameter)
                CHECK_THAT(other_parameter.value,
                           !Contains("the amax") && !Contains("taken for") && !Contains("exchanged"));
        CHECK(found.elements.status == Status::untested);
    }
}

} // namespace

TEST_CASE("what a quantizer joins wrongly is found", "[identify][blocks][values]") {
    check_joinings(
        {{"NaN propagates", "amax_nan", "propagated"}, {"tail shares", "tail", "the previous block's amax in a tail"}});
}

TEST_CASE("every way of joining wrongly is found", "[.][exhaustive]") {
    check_joinings({{"NaN propagates, zeros", "amax_nan", "propagated"},
                    {"Inf ignored", "amax_inf", "left_out"},
                    {"scales transposed", "scales", "the scale matrix transposed"},
                    {"without lane 0", "amax", "the amax without the first lane"},
                    {"without last lane", "amax", "the amax without the last lane"},
                    {"without abs", "amax", "the amax without negative values"},
                    {"sign kept", "amax", "the amax of codes with their sign"},
                    {"down the column", "amax", "the amax across the lines"},
                    {"first of line", "amax", "the amax of the first block of the line"},
                    {"never reset", "amax", "the amax of all blocks so far"},
                    {"of the block before", "amax", "the amax of the block before"},
                    {"tail reads back", "tail", "the amax of a tail with values before it"},
                    {"lanes swapped", "lanes", "neighbouring lanes exchanged"},
                    {"another scale inside", "elements", "elements by another scale than the one given out"}});
}

TEST_CASE("elements are found though their lanes are exchanged", "[.][exhaustive]") {
    const FoundQuantizer swapped = quantizer_with("lanes swapped");
    CHECK(explained(swapped.elements));
    CHECK(value(swapped.elements.parameters, "lanes") == "neighbouring lanes exchanged");
    CHECK(value(swapped.elements.parameters, "rounding") == "nearest_even");
    CHECK(explained(swapped.blocks));
}

TEST_CASE("elements by another scale are no function of the one given out", "[.][exhaustive]") {
    const FoundQuantizer other_found = quantizer_with("another scale inside");
    CHECK(other_found.elements.status == Status::pass);
    CHECK(other_found.elements.explained < other_found.elements.asked);
    CHECK_FALSE(other_found.elements.unexplained.empty());
    CHECK(explained(other_found.blocks));
}

TEST_CASE("a quantizer that is no function of its blocks is not explained", "[identify][blocks][.][exhaustive]") {
    // One amax of all, which no sample meets, is said to be of a sample.
    const FoundQuantizer unseen = quantizer_with("one amax wrong", "-ocp_floor-", Choices{});
    CHECK(explained(unseen.scale));
    CHECK(unseen.scale.sample);
    const FoundQuantizer flushed = quantizer_with("subnormals flushed");
    CHECK(value(flushed.elements.parameters, "flush") == "input");
    const FoundQuantizer refusing = quantizer_with("refuses tails", "-ocp_floor-", Choices{});
    CHECK(explained(refusing.blocks));
    CHECK(values(refusing.blocks.parameters, "tail") == Strings{"refused"});
    CHECK(refusing.blocks.refused.size() >= 3);
    for (const auto& [fault, status] :
         {std::pair{"crash", Status::error}, std::pair{"refuses all", Status::unsupported},
          std::pair{"last not written", Status::mistrusted}}) {
        CAPTURE(fault);
        const FoundQuantizer found = quantizer_with(fault);
        CHECK(found.scale.status == status);
        CHECK(found.elements.status == status);
        CHECK(found.blocks.status == status);
        CHECK_FALSE(found.blocks.reason.empty());
    }
}

TEST_CASE("a dequantizer is found from its answers", "[identify][blocks][.][exhaustive]") {
    struct Known {
        const char* fault;
        const char* parameter;
        const char* value;
    };
    for (const Known& known : {Known{"", "scales", "each in the place of its block"},
                               Known{"scales transposed", "scales", "the scale matrix transposed"},
                               Known{"first of line", "scales", "the scale of the first block of the line"},
                               Known{"tail shares", "tail", "the previous block's scale in a tail"},
                               Known{"lanes swapped", "lanes", "neighbouring lanes exchanged"}}) {
        CAPTURE(known.fault);
        const FoundDequantizer found = dequantizer_with(known.fault);
        CHECK(found.values.asked == 65536);
        CHECK(explained(found.values));
        CHECK(explained(found.blocks));
        CHECK(values(found.blocks.parameters, known.parameter) == Strings{known.value});
    }
    const FoundDequantizer crash = dequantizer_with("crash");
    CHECK(crash.values.status == Status::error);
    CHECK(crash.blocks.status == Status::error);
    CHECK(crash.values.explained == 0);
}

TEST_CASE("layouts are found from where the bytes came out", "[identify][blocks][values]") {
    for (const char* name : {"swizzle_128x4-arrange", "swizzle_128x4_columnwise-restore", "swizzle_128x4-restore"}) {
        CAPTURE(name);
        const FoundCases found = layout_of(name, "", MXCERT_TEST_PLUGINS "/portable.so");
        CHECK(explained(found));
        CHECK(found.in_table);
        CHECK_THAT(name, StartsWith(found.name));
        CHECK(values(found.parameters, "layout") == Strings{found.name});
        CHECK(values(found.parameters, "direction") == Strings{contains(name, "arrange") ? "arrange" : "restore"});
        CHECK(value(found.parameters, "padding") == (contains(name, "arrange") ? "0x00" : ""));
    }
}

TEST_CASE("wrong layouts are found or said to be none", "[identify][blocks][values]") {
    const FoundCases rows = layout_of("layout-", "not swizzled");
    CHECK(explained(rows));
    CHECK(rows.in_table);
    CHECK(rows.name == "padded_128x4");
    const FoundCases twice = layout_of("layout-", "swizzled twice");
    CHECK(explained(twice));
    CHECK_FALSE(twice.in_table);
    CHECK(twice.name == "twice");
    const FoundCases padded = layout_of("layout-", "padded with 7F");
    CHECK(explained(padded));
    CHECK(padded.name == "swizzle_128x4");
    CHECK(values(padded.parameters, "padding") == Strings{"0x7F"});
    for (const diagnose::FoundProfile& profile : padded.profiles) CHECK(profile.differing > 0);
    const FoundCases lost = layout_of("layout-", "one byte lost");
    CHECK_FALSE(explained(lost));
    CHECK_FALSE(lost.in_table);
    CHECK(lost.asked > 20);
    CHECK_FALSE(lost.unexplained.empty());
    CHECK(lost.parameters.empty());
    const FoundCases crash = layout_of("layout-", "crash");
    CHECK(crash.status == Status::error);
    CHECK(crash.explained == 0);
}

TEST_CASE("mxcert identify says what joins blocks and which layout it is", "[identify][cli][.][exhaustive]") {
    const TemporaryFolder folder;
    const std::string plugin = std::string("mxcert identify '") + MXCERT_TEST_QUANTIZER + "' --quiet ";
    const Result right = shell(folder.path(), plugin + "--filter 'quantize-*-rceil-*' --json out.json");
    INFO(right.out << right.err);
    CHECK(right.code == 0);
    CHECK_THAT(right.out, Contains("-row-32/scale\n  explains all ") && Contains(" inputs of a sample\n") &&
                              Contains("-row-32/elements\n  explains all ") &&
                              Contains("-row-32/blocks\n  explains all ") && Contains("\n  permitted by ") &&
                              Contains("  amax_nan  ignored"));
    CHECK(shell(folder.path(), "python3 -c 'import json\n"
                               "found = json.load(open(\"out.json\"))\n"
                               "assert len(found) == 3\n"
                               "assert all(one[\"asked\"] == one[\"explained\"] > 1000 for one in found)\n"
                               "assert found[0][\"sample\"] and found[2][\"operation\"].endswith(\"/blocks\")'")
              .code == 0);
    const Result twice = shell(folder.path(), plugin + "--filter 'layout-*' --backend-option 'swizzled twice'");
    INFO(twice.out << twice.err);
    CHECK(twice.code == 0);
    CHECK_THAT(twice.out, Contains("\n  no layout of the table; twice: explains all "));
    const Result lost = shell(folder.path(), plugin + "--filter 'layout-*' --backend-option 'one byte lost'");
    INFO(lost.out << lost.err);
    CHECK(lost.code == 1);
    CHECK_THAT(lost.out, Contains("\n  no layout of the table") && Contains("  unexplained: arrange "));
    const Result crash = shell(folder.path(), plugin + "--filter 'dequantize-*' --backend-option crash");
    INFO(crash.out << crash.err);
    CHECK(crash.code == 3);
    CHECK_THAT(crash.out, Contains("/values\n  ERROR: ") && Contains("/blocks\n  ERROR: no value is known: "));
}
