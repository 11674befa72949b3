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

TEST_CASE("both models make of a NaN the chosen number where the target has no NaN") {
    using namespace formats;
    struct Row {
        const Format& to;
        Code largest;
        Code least;
        Code minus_zero;
    };
    for (const auto& [to, largest, least, minus_zero] : {Row{e3m2, 0x1F, 0x3F, 0x20}, Row{e2m3, 0x1F, 0x3F, 0x20},
                                                         Row{e2m1, 0x7, 0xF, 0x8}, Row{int8, 0x7F, 0x81, 0x00}})
        for (const bool negative : {false, true}) {
            const auto made = [&, &format = to](NanRule rule) {
                Choices choices;
                choices.nan = rule;
                const Code nan = negative ? 0xFFC00000 : 0x7FC00000;
                const Code code = exact::convert(fp32, format, choices, nan).code;
                CHECK(fast::convert(fp32, format, choices, nan) == code);
                return code;
            };
            CAPTURE(to.name, negative);
            for (const NanRule rule : {NanRule::canonical, NanRule::sign, NanRule::negative, NanRule::max})
                CHECK(made(rule) == largest);
            CHECK(made(NanRule::max_sign) == (negative ? least : largest));
            CHECK(made(NanRule::zero) == 0);
            CHECK(made(NanRule::zero_inverted) == (negative ? 0 : minus_zero));
        }
}
