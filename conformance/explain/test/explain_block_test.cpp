// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/explain_block.hpp"

#include <string>
#include <vector>

#include "catch.hpp"

using namespace mxcert;
using namespace mxcert::explain;
using Catch::Matchers::Contains;

namespace {

BlockQuestion asked(const std::vector<std::string>& inputs, ScaleRule rule = ScaleRule::ocp_floor) {
    BlockQuestion question{inputs, {&formats::fp32, &formats::e4m3}, {}};
    question.choices.scale.rule = rule;
    return question;
}

std::vector<Code> codes_of(const BlockExplanation& e) {
    std::vector<Code> codes;
    for (const Explanation& element : e.elements) codes.push_back(element.result.code);
    return codes;
}

} // namespace

TEST_CASE("a block is explained as it is worked out by hand", "[explain]") {
    // amax 1000 = 1.95 x 2^9, so 2^(9 - 8) = 2; by 2 the values are 500, -150, 0.375 and 224.5.
    const BlockExplanation floor = explain::explain(asked({"1000", "-300", "0.75", "449"}));
    CHECK(floor.amax_lanes == std::vector<std::size_t>{0});
    CHECK(floor.scale.result.code == 0x80);
    CHECK(codes_of(floor) == std::vector<Code>{0x7E, 0xF1, 0x2C, 0x76}); // 448: saturated; -144; 0.375; 224
    // 1000 / 448 is above 2, so 4: 250, -75, 0.1875 and 112.25.
    const BlockExplanation up = explain::explain(asked({"1000", "-300", "0.75", "449"}, ScaleRule::rceil));
    CHECK(up.scale.result.code == 0x81);
    CHECK(codes_of(up) == std::vector<Code>{0x78, 0xE9, 0x24, 0x6E}); // 256, -72, 0.1875, 112
    const std::string text = to_text(up);
    CHECK_THAT(text, Contains("amax      0x447A0000  1000, of lane 0\n"));
    CHECK_THAT(text, Contains("between 2 and 4: up gives 4\n"));
    CHECK_THAT(text, Contains("1     -300   -75           -72 .. -80  0xE9  -72      -4 %\n"));
    const nlohmann::ordered_json json = to_json(up);
    CHECK(json["amax_lanes"] == std::vector<int>{0});
    CHECK(json["scale"]["result"]["code"] == "0x81");
    CHECK(json["elements"].size() == 4);
    CHECK(json["elements"][1]["result"]["code"] == "0xE9");
}

TEST_CASE("NaN, Inf and zero in a block are explained", "[explain]") {
    const BlockExplanation nan = explain::explain(asked({"nan", "2", "-2"}));
    CHECK(nan.amax_lanes == std::vector<std::size_t>{1, 2});
    CHECK(codes_of(nan) == std::vector<Code>{0x7F, 0x78, 0xF8});
    const std::string alone = to_text(explain::explain(asked({"nan"})));
    CHECK_THAT(alone, Contains("of no lane"));
    CHECK_THAT(alone, Contains("0     NaN"));
    CHECK_THAT(to_text(explain::explain(asked({"inf", "1"}))), Contains("0xFE  "));
    BlockQuestion propagated = asked({"nan", "2"});
    propagated.choices.amax_nan = AmaxNan::propagated;
    const BlockExplanation all = explain::explain(propagated);
    CHECK(all.scale.result.code == 0xFF);
    CHECK(codes_of(all) == std::vector<Code>{0x7F, 0x7F});
    CHECK_THAT(to_text(all), Contains("0xFF  NaN"));
    CHECK_THROWS_AS(explain::explain(asked({})), std::invalid_argument);
    CHECK_THROWS_AS(explain::explain(asked({"1", "two"})), std::invalid_argument);
}
