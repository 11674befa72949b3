// SPDX-License-Identifier: Apache-2.0
// The two models agree on every input of the 8-bit sources, for all choices that the fast one offers.
#include "reference/fast/convert.hpp"

#include "catch.hpp"
#include "reference/exact/exact.hpp"
#include "reference/test/convert_pairs.hpp"

using namespace mxcert;

namespace {

std::size_t count_differences(const Format& from, const Format& to, const Choices& choices) {
    std::size_t differences = 0;
    for (Code code = 0; code <= from.last_code(); ++code) {
        const Code expected = exact::convert(from, to, choices, code).code;
        const Code answer = fast::convert(from, to, choices, code);
        if (answer == expected) continue;
        if (++differences == 1) {
            UNSCOPED_INFO(from.name << " to " << to.name << ", " << describe(choices) << ", code " << code << ": fast "
                                    << answer << ", exact " << expected);
        }
    }
    return differences;
}

} // namespace

TEST_CASE("the fast model equals the exact one on every input of sources of up to 8 bits", "[values]") {
    for_each_pair([](const Format& from, const Format& to) {
        if (from.width() > 8) return;
        for_each_choices(to, false, [&](const Choices& c) { REQUIRE(count_differences(from, to, c) == 0); });
    });
}

TEST_CASE("the same for every combination of choices", "[.][exhaustive]") {
    for_each_pair([](const Format& from, const Format& to) {
        if (from.width() > 8) return;
        for_each_choices(to, true, [&](const Choices& c) { REQUIRE(count_differences(from, to, c) == 0); });
    });
}
