// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/drawn_pairs.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "catch.hpp"
#include "conformance/suites/blocks/table_cases.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::suites;

namespace {

const Format& by = formats::fp32_by_e8m0;

Quantize quantizer() {
    return as_quantize(parse_operation("quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32"));
}

/// As MX's own rule gives them: the amaxes of a scale are a binade.
std::vector<Code> floor_amaxes() {
    std::vector<Code> amaxes(256, no_amax);
    for (Code scale = 0; scale <= 246; ++scale) amaxes[scale] = (scale + 8) << 23 | 0x7FFFFF;
    return amaxes;
}

} // namespace

TEST_CASE("drawn pairs hold each finite value once, under scales that blocks can have", "[sweep]") {
    const std::vector<Code> amaxes = floor_amaxes();
    const std::vector<inputs::CodeRange> drawn = drawn_pairs(quantizer(), amaxes, 1);
    std::vector<inputs::CodeRange> values;
    std::set<Code> scales;
    std::map<std::uint64_t, std::uint64_t> binades_below; // of values below the largest of their scale
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        const Code scale = by.scale_of(drawn[i].first);
        REQUIRE(scale == by.scale_of(drawn[i].last));
        if (i != 0) REQUIRE(by.scale_of(drawn[i - 1].first) <= scale);
        scales.insert(scale);
        const inputs::CodeRange range{by.value_of(drawn[i].first), by.value_of(drawn[i].last)};
        REQUIRE((range.last & by.magnitude_mask()) <= amaxes[scale]);
        ++binades_below[scale + 8 - ((range.first & 0x7FFFFFFF) >> 23U)];
        values.push_back(range);
    }
    std::sort(values.begin(), values.end(),
              [](const inputs::CodeRange& a, const inputs::CodeRange& b) { return a.first < b.first; });
    Code next = 0;
    for (const inputs::CodeRange& range : values) {
        REQUIRE(range.first == next);
        next = range.last + 1;
        if (next == 0x7F800000) next = 0x80000000;
    }
    CHECK(next == 0xFF800000);
    CHECK(scales.size() == 247);
    // Each depth to which an element can fall below the largest is met often.
    for (std::uint64_t binades = 0; binades < 20; ++binades) CHECK(binades_below[binades] > 1000);
    CHECK(drawn_pairs(quantizer(), amaxes, 1) == drawn);
    CHECK(drawn_pairs(quantizer(), amaxes, 2) != drawn);
}

TEST_CASE("values that no amax reaches are not drawn", "[sweep]") {
    std::vector<Code> amaxes(256, no_amax);
    CHECK(drawn_pairs(quantizer(), amaxes, 1).empty());
    amaxes[0xFF] = 0x7F800000; // NaN
    CHECK(drawn_pairs(quantizer(), amaxes, 1).empty());
    amaxes[0x70] = 0x00012345;
    Code sum = 0;
    for (const inputs::CodeRange& range : drawn_pairs(quantizer(), amaxes, 1)) {
        CHECK(by.scale_of(range.first) == 0x70);
        sum += range.last - range.first + 1;
    }
    CHECK(sum == 2 * 0x12346);
}

TEST_CASE("codes outside of ranges", "[sweep]") {
    const std::vector<inputs::CodeRange> ranges{{20, 29}, {5, 5}};
    CHECK(codes_outside(ranges, std::vector<Code>{4, 5, 6, 19, 20, 25, 29, 30}) == std::vector<Code>{4, 6, 19, 30});
    CHECK(codes_outside({}, std::vector<Code>{1}) == std::vector<Code>{1});
}
