// SPDX-License-Identifier: Apache-2.0
#include "conformance/verdict/input_map.hpp"

#include "catch.hpp"
#include "conformance/verdict/judge.hpp"
#include "vectors/tables/tabulate.hpp"

using namespace mxcert;
using verdict::InputMap;
using verdict::map_of;

namespace {

PermitTable permitted_of(const StepTable& table) {
    PermitTable permitted{table.from, table.to, {}};
    for (const Step& step : table.steps)
        permitted.steps.push_back({step.first, step.last, permit_code(step.code), "OFP8-RNE"});
    return permitted;
}

struct Sums {
    std::uint64_t asked = 0;
    std::uint64_t wrong = 0;
};

Sums sums_of(const InputMap& map) {
    Sums sums;
    for (const InputMap::Band& band : map.bands)
        for (const InputMap::Run& run : band.runs) {
            const std::uint64_t cells = std::uint64_t{band.last - band.first + 1} * (run.last - run.first + 1);
            sums.asked += cells * run.asked;
            sums.wrong += cells * run.wrong;
        }
    return sums;
}

} // namespace

TEST_CASE("a map counts every input that was asked once, and every wrong one") {
    for (const char* id :
         {"fp16-e4m3-nearest_even-sat", "e4m3-fp32-nearest_even-nosat", "int8-fp32-nearest_even-nosat",
          "e8m0-fp32-nearest_even-nosat", "fp32-e5m2-nearest_even-sat", "amax_bf16-e8m0_for_e4m3-even-sat",
          "bf16_by_e8m0-e2m1-nearest_even-sat", "e2m1_times_e8m0-fp32-nearest_even-nosat"}) {
        CAPTURE(id);
        const Conversion conversion = parse_conversion(id);
        const StepTable right = tabulate(*conversion.from, *conversion.to, choices_of(conversion));
        std::vector<Step> steps = right.steps;
        Step& wrong = steps[steps.size() / 2];
        const std::uint64_t differing = wrong.last - wrong.first + 1;
        wrong.code ^= 1U;
        const InputMap map = map_of(steps, permitted_of(right));
        CHECK(sums_of(map).asked == conversion.from->last_code() + 1);
        CHECK(sums_of(map).wrong == differing);
    }
}

TEST_CASE("a wrong input is in the column of its binade and in the row of its sign and fraction") {
    const Conversion conversion = parse_conversion("fp32-e4m3-nearest_even-sat");
    const PermitTable permitted = permitted_of(tabulate(*conversion.from, *conversion.to, choices_of(conversion)));
    const InputMap map = map_of({{0xBFC80000, 0xBFC80000, 0x00}}, permitted); // -1.5625
    REQUIRE(map.bands.size() == 1);
    CHECK(map.rows == 32);
    CHECK(map.columns == 256);
    CHECK(map.bands[0].first == 16 + 9); // the negative half, 9/16 above the power of two
    CHECK(map.bands[0].runs == std::vector<InputMap::Run>{{127, 127, 1, 1}});
}

TEST_CASE("of a quantizer a column is the code that is permitted, of the way back the code that came in") {
    const Conversion there = parse_conversion("bf16_by_e8m0-e4m3-nearest_even-sat");
    const PermitTable permitted = permitted_of(tabulate(*there.from, *there.to, choices_of(there)));
    const Code one = there.from->code_of(0x80, 0x3F80); // 1 by a scale of 2 is 0.5
    const InputMap divided = map_of({{one, one, 0x38}}, permitted);
    REQUIRE(divided.bands.size() == 1);
    CHECK(divided.bands[0].first == 0x80);
    CHECK(divided.bands[0].runs == std::vector<InputMap::Run>{{0x30, 0x30, 1, 1}});

    const Conversion back = parse_conversion("e2m1_times_e8m0-fp32-nearest_even-nosat");
    const PermitTable values = permitted_of(tabulate(*back.from, *back.to, choices_of(back)));
    const InputMap multiplied =
        map_of({{back.from->code_of(0x7F, 0x2), back.from->code_of(0x7F, 0x2), 0x3F800000}}, values);
    REQUIRE(multiplied.bands.size() == 1);
    CHECK(multiplied.columns == 16);
    CHECK(multiplied.bands[0].first == 0x7F);
    CHECK(multiplied.bands[0].runs == std::vector<InputMap::Run>{{0x2, 0x2, 1, 0}});
}

TEST_CASE("columns of a source with a scale are codes of its value or of the target, whichever has fewer", "[values]") {
    for (const char* name : {"fp32_times_nscale-e4m3-nearest_even-sat", "bf16_times_nscale-e5m2-nearest_even-nosat",
                             "fp16_times_nscale5-e4m3-nearest_even-sat", "e4m3_by_lscale4-fp16-nearest_even-nosat",
                             "e5m2_by_lscale6-bf16-nearest_even-nosat"}) {
        CAPTURE(name);
        const Conversion conversion = parse_conversion(name);
        const PermitTable permitted = permitted_of(tabulate(*conversion.from, *conversion.to, choices_of(conversion)));
        const Code last = conversion.from->last_code();
        const InputMap map = map_of({{last, last, 0x00}}, permitted);
        CHECK(map.columns == 256);
        REQUIRE(map.bands.size() == 1);
        CHECK(map.bands[0].first == map.rows - 1);
        REQUIRE(map.bands[0].runs.size() == 1);
        CHECK(map.bands[0].runs[0].asked == 1);
    }
}

TEST_CASE("rows that are equal are one band, and what was not asked is in none") {
    const Format& from = formats::fp16;
    const InputMap whole = map_of(from, formats::e4m3, {}, true);
    REQUIRE(whole.bands.size() == 1);
    CHECK(whole.bands[0].runs == std::vector<InputMap::Run>{{0, 31, 64, 0}});
    const InputMap some = map_of(from, formats::e4m3, {{0x3C00, 0x3C00, 0, permit_code(1), ""}}, false);
    REQUIRE(some.bands.size() == 1);
    CHECK(some.bands[0].runs == std::vector<InputMap::Run>{{15, 15, 1, 1}});
}
