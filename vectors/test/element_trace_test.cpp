// SPDX-License-Identifier: Apache-2.0
#include "vectors/cases/element_trace.hpp"

#include <filesystem>
#include <fstream>
#include <set>

#include "catch.hpp"
#include "reference/fast/recipe/float_block.hpp"
#include "reference/fast/recipe/float_scale.hpp"
#include "reference/fast/recipe/percentile.hpp"
#include "vectors/tables/csv.hpp"

using namespace mxcert;
using Catch::Matchers::Contains;

namespace {

const std::filesystem::path percentiles = MXCERT_TEST_SOURCE "/vectors/percentiles";

} // namespace

TEST_CASE("the committed traces of percentiles are what the model gives", "[percentile]") {
    std::set<std::string> files;
    for (const TraceText& trace : element_traces()) {
        CAPTURE(trace.file);
        files.insert(trace.file);
        CHECK(csv::read_text(percentiles / trace.file) == trace.text);
        const recipe::ElementRecipe& recipe = recipe::element_recipe(trace.file.substr(0, trace.file.find('.')));
        CHECK(parse_element_trace(trace.text, "t", formats::e4m3) == golden_trace(recipe));
    }
    std::set<std::string> there;
    for (const auto& entry : std::filesystem::directory_iterator(percentiles))
        there.insert(entry.path().filename().string());
    CHECK(there == files);
}

// How the files come about: vectors_test "[write_percentiles]".
TEST_CASE("the traces of percentiles are written", "[.][write_percentiles]") {
    std::filesystem::create_directories(percentiles);
    for (const TraceText& trace : element_traces()) {
        std::ofstream file(percentiles / trace.file, std::ios::binary);
        REQUIRE((file << trace.text).flush().good());
    }
}

TEST_CASE("no two recipes of percentiles have the same trace of the same tensors", "[percentile]") {
    const std::size_t steps = element_tensors(recipe::element_recipe("element_percentile_99")).size();
    std::set<std::string> texts;
    for (const recipe::ElementRecipe& recipe : recipe::element_recipes()) {
        CAPTURE(recipe.name);
        ElementTrace trace = golden_trace(recipe);
        trace.resize(steps);
        CHECK(texts.insert(write_element_trace(trace, formats::e4m3)).second);
    }
}

TEST_CASE("the machine's arithmetic gives the golden percentiles, scales and elements", "[percentile][values]") {
    for (const recipe::ElementRecipe& recipe : recipe::element_recipes()) {
        CAPTURE(recipe.name);
        recipe::FloatBlock choices;
        choices.scaling = recipe.choices.scaling;
        std::size_t scaled = 0;
        for (const ElementTraceRow& row : golden_trace(recipe)) {
            CAPTURE(row.values);
            const Code amax = fast::percentile_of(recipe.percentile, formats::fp32, row.values);
            CHECK(amax == row.step.amax);
            if (recipe.choices.sees == recipe::Sees::own && formats::fp32.is_finite(amax) && amax != 0) {
                CHECK(fast::scales_of(recipe.choices.scaling, amax) == row.step.scales);
                ++scaled;
            }
            for (std::size_t i = 0; i < row.values.size(); ++i)
                REQUIRE(fast::element_of(choices, formats::fp32, row.step.scales, row.values[i]) ==
                        row.step.elements[i]);
        }
        CHECK((scaled > 8 || recipe.choices.sees == recipe::Sees::earlier));
    }
}

TEST_CASE("what lies above the percentile saturates, and nothing else of a tensor of numbers does", "[percentile]") {
    const ElementTrace trace = golden_trace(recipe::element_recipe("element_percentile_9999"));
    const ElementTraceRow& row = trace.back();
    std::size_t above = 0;
    for (std::size_t i = 0; i < row.values.size(); ++i) {
        const Code magnitude = row.values[i] & 0x7FFFFFFF;
        if (magnitude > row.step.amax) {
            ++above;
            CHECK((row.step.elements[i] & 0x7FU) == 0x7E);
        }
    }
    CHECK(row.values.size() == 10'002);
    CHECK(above == 1);
    // The amax would leave nothing but the outlier: all others become zero or small.
    CHECK(row.step.elements[17] == 0x7E);
}

TEST_CASE("a golden trace of percentiles has one NaN", "[percentile]") {
    recipe::ElementRecipe computed = recipe::element_recipe("element_percentile_99");
    computed.choices.scaling.on_nan = recipe::Unusable::computed;
    std::size_t scales = 0;
    for (const ElementTraceRow& row : golden_trace(computed)) {
        if (row.step.amax != 0x7FC00000) continue;
        CAPTURE(row.values);
        CHECK(row.step.scales == recipe::Scales{0x7FC00000, 0x7FC00000});
        ++scales;
    }
    CHECK(scales == 4); // two tensors with NaN, and two whose percentile lies next to Inf
}

TEST_CASE("a trace of percentiles that is broken is refused with its line", "[percentile]") {
    const std::string head = "step,values,amax,scale,inverse,elements\n";
    const auto read = [&](const std::string& row) { return parse_element_trace(head + row, "t", formats::e4m3); };
    const std::string rest = "3F800000,3F800000,3F800000,";
    CHECK(read("0,3F8000003F800000," + rest + "3838\n").size() == 1);
    CHECK_THROWS_WITH(read(""), Contains("t: no rows"));
    CHECK_THROWS_WITH(read("1,3F800000," + rest + "38\n"), Contains("t:2: step '1', not 0"));
    CHECK_THROWS_WITH(read("0,3F80000," + rest + "38\n"), Contains("t:2: '3F80000' does not hold whole codes"));
    CHECK_THROWS_WITH(read("0,3F800000," + rest + "3838\n"), Contains("t:2: 2 elements of 1 values"));
    CHECK_THROWS_WITH(read("0,," + rest + "\n"), Contains("t:2: no values"));
    // A row of 256 values may go on in the next one, with the same step, percentile and scales.
    std::string values;
    std::string elements;
    for (int i = 0; i < 256; ++i) {
        values += "3F800000";
        elements += "38";
    }
    const std::string full = "0," + values + "," + rest + elements + "\n";
    CHECK(read(full + "0,3F800000," + rest + "38\n").front().values.size() == 257);
    CHECK(read(full + "1,3F800000," + rest + "38\n").size() == 2);
    CHECK_THROWS_WITH(read(full + "0,3F800000,3F800001,3F800000,3F800000,38\n"),
                      Contains("t:3: another percentile or scale than the row before, of the same step"));
    CHECK_THROWS_WITH(read(full + "0,3F800000,3F800000,3F800001,3F800000,38\n"),
                      Contains("t:3: another percentile or scale than the row before, of the same step"));
    CHECK_THROWS_WITH(read("0,3F800000," + rest + "38\n0,3F800000," + rest + "38\n"), Contains("t:3: step '0', not 1"));
    CHECK_THROWS_WITH(read("0," + values + "3F800000," + rest + elements + "38\n"),
                      Contains("t:2: more than 256 values"));
    CHECK_THROWS_WITH(read("0,3f800000," + rest + "38\n"), Contains("t:2: lower-case digits"));
}
