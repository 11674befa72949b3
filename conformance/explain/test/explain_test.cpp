// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/explain.hpp"

#include <algorithm>
#include <catch.hpp>
#include <stdexcept>
#include <string>

#include "reference/clause.hpp"
#include "vectors/tables/tabulate.hpp"

using namespace mxcert;
using namespace mxcert::explain;
using Catch::Contains;

namespace {

ExplainQuestion ask(std::string input, std::string_view from, std::string_view to) {
    ExplainQuestion q;
    q.input = std::move(input);
    q.from = &format(from);
    q.to = &format(to);
    if (q.to->element != nullptr) q.choices.rule = ScaleRule::rceil;
    return q;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

const Say* say_of(const Explanation& e, Choice choice) {
    const auto found = std::find_if(e.says.begin(), e.says.end(), [&](const Say& say) { return say.choice == choice; });
    return found == e.says.end() ? nullptr : &*found;
}

Code other_code(const Explanation& e, Choice choice, std::string_view value) {
    const Say* say = say_of(e, choice);
    REQUIRE(say != nullptr);
    for (const Say::Alternative& other_alternative : say->others)
        if (other_alternative.value == value) return other_alternative.code;
    FAIL("no alternative " << value);
    return 0;
}

} // namespace

TEST_CASE("an overflow just above the tie is explained", "[explain]") {
    ExplainQuestion q = ask("464.0001", "fp32", "e4m3");
    q.choices.overflow = Overflow::nosat;
    const Explanation e = explain::explain(q);
    CHECK(e.input.code == 0x43E80003);
    CHECK(e.input.rounded);
    CHECK(e.result.code == 0x7F);
    CHECK(e.result.overflow);
    CHECK(e.clause == "OFP8-OVERFLOW-NOSAT");
    REQUIRE(e.position);
    CHECK(e.position->lower.code == Code{0x7E});
    CHECK_FALSE(e.position->upper.code);
    CHECK(exact::decimal(e.position->upper.magnitude) == "480");
    CHECK(exact::decimal(e.position->tie) == "464");
    CHECK(other_code(e, Choice::overflow, "sat") == 0x7E);
    CHECK(other_code(e, Choice::rounding, "toward_zero") == 0x7E);
    CHECK(say_of(e, Choice::zero_sign) == nullptr);
    REQUIRE(e.run);
    CHECK(e.run->first == 0x43E80001);
    CHECK(e.steps.front().clause == "IEEE-CODES");

    const std::string text = to_text(e);
    for (const char* part : {"0x43E80003", "0|10000111|11010000000000000000011", "464.0001 is not a value of fp32",
                             "beyond the largest value", "0.000091552734375 away", "OFP8-OVERFLOW-NOSAT",
                             "0x7F  0|1111|111  NaN, inexact, overflow"}) {
        CAPTURE(part, text);
        CHECK(contains(text, part));
    }
}

TEST_CASE("a given scale is explained", "[explain]") {
    ExplainQuestion q = ask("300", "fp32_by_e8m0", "e4m3");
    q.scale = "0.5";
    const Explanation e = explain::explain(q);
    CHECK(e.input.code == 0x7E43960000);
    CHECK(e.result.code == 0x7E);
    CHECK(e.clause == "MX-ELEMENT-CLAMP");
    CHECK(e.steps[0].text == "0x43960000 of fp32 is 0x1.2cp+8");
    CHECK(e.steps[1].text == "0x7E of e8m0 is 0x1p-1");
    CHECK(e.steps[2].clause == "MX-ELEMENT");
    CHECK(e.steps[2].text == "300 / 0.5");
    REQUIRE(e.position);
    CHECK(e.position->magnitude == 600);
    CHECK(contains(to_text(e), "0x7E43960000  01111110  0|10000111|00101100000000000000000"));
    // The bits of both say the same.
    CHECK(explain::explain(ask("0x7E43960000", "fp32_by_e8m0", "e4m3")).input.code == e.input.code);
    CHECK_THROWS_WITH(explain::explain(ask("300", "fp32_by_e8m0", "e4m3")),
                      Contains("takes a bit pattern: the scale, then the value"));
    q.scale = "0.6";
    CHECK_THROWS_WITH(explain::explain(q), Contains("'0.6' is not a value of e8m0"));
    q.scale = "0";
    CHECK_THROWS_WITH(explain::explain(q), Contains("e8m0 has no zero"));
    q.scale = "0xFF";
    CHECK(explain::explain(q).clause == "MX-SCALE-IS-NAN");
    CHECK(explain::explain(ask("0xF87E", "e4m3_times_e8m0", "fp32")).clause == "MX-VALUE-OVERFLOW");
    CHECK(explain::explain(ask("0xFE7C", "e5m2_times_e8m0", "fp32")).clause == "MX-SPECIAL-ELEMENT");
}

TEST_CASE("decoding is explained", "[explain]") {
    const Explanation e = explain::explain(ask("0x7E", "e4m3", "fp32"));
    CHECK(e.result.code == 0x43E00000);
    CHECK(e.clause == "OFP8-E4M3-CODES");
    REQUIRE(e.position);
    CHECK(e.position->lower.magnitude == e.position->upper.magnitude);
    CHECK(contains(to_text(e), "the input is 0x43E00000 of fp32"));
    CHECK(explain::explain(ask("0x00", "e8m0", "fp32")).result.code == 0x00400000);
}

TEST_CASE("what has no neighbours has no position", "[explain]") {
    for (const char* input : {"0", "-0", "inf", "-inf", "nan"}) {
        const Explanation e = explain::explain(ask(input, "fp32", "e5m2"));
        CHECK_FALSE(e.position);
        CHECK(!to_text(e).empty());
        CHECK(to_json(e)["position"].is_null());
    }
}

TEST_CASE("neighbours that are no codes are told", "[explain]") {
    const Explanation low = explain::explain(ask("1e-40", "fp32", "e8m0"));
    REQUIRE(low.position);
    CHECK_FALSE(low.position->lower.code);
    CHECK(contains(to_text(low), "below the smallest value"));
    const Explanation high = explain::explain(ask("1000000", "fp32", "e4m3"));
    REQUIRE(high.position);
    CHECK_FALSE(high.position->lower.code);
    CHECK_FALSE(high.position->upper.code);
    const Explanation negative = explain::explain(ask("-1.5", "fp32", "e8m0"));
    REQUIRE(negative.position);
    CHECK(negative.position->lower.code == Code{0x7F});
    CHECK(negative.position->upper.code == Code{0x80});
    CHECK(contains(to_text(negative), "the input is the tie"));
}

TEST_CASE("a stochastic rounding tells its threshold", "[explain]") {
    ExplainQuestion q = ask("1.03125", "fp32", "e4m3"); // a quarter of the way
    q.choices.rounding = Rounding::stochastic_a;
    q.random = parse_random("191/8");
    const Explanation below = explain::explain(q);
    REQUIRE(below.threshold);
    CHECK(*below.threshold == 192);
    CHECK(below.result.code == 0x38);
    CHECK_FALSE(below.run);
    q.random = parse_random("192/8");
    CHECK(explain::explain(q).result.code == 0x39);
    q.random = {};
    CHECK_THROWS_AS(explain::explain(q), std::invalid_argument);
    q.choices.rounding = Rounding::up;
    q.random = parse_random("1/8");
    CHECK_THROWS_AS(explain::explain(q), std::invalid_argument);
}

TEST_CASE("a rounding of PTX's cvt.rs tells its own bits of the word", "[explain]") {
    ExplainQuestion q = ask("1.03125", "fp32", "e4m3"); // a quarter of the way: from R = 0xC000 on
    q.choices.rounding = Rounding::ptx_rs_a;            // the upper half in reverse order
    q.random = parse_random("131071/32");               // 0x0001FFFF: R = 0x8000
    Explanation e = explain::explain(q);
    CHECK(e.threshold == 0xC000);
    CHECK(e.result.code == 0x38);
    CHECK(contains(to_text(e), "R = 32768 of 16 bits of rbits 0x0001FFFF; R >= 49152 goes away from zero"));
    CHECK(to_json(e)["random"]["value"] == 0x8000);
    CHECK(to_json(e)["random"]["word"] == "0x0001FFFF");
    q.random = parse_random("262143/32"); // 0x0003FFFF: R = 0xC000
    CHECK(explain::explain(q).result.code == 0x39);
    q.random = parse_random("1/16");
    CHECK_THROWS_AS(explain::explain(q), std::invalid_argument);
    q = ask("1.03125", "fp32", "e2m3");
    q.choices.rounding = Rounding::ptx_rs_a;
    q.random = parse_random("1/32");
    CHECK_THROWS_AS(explain::explain(q), std::invalid_argument);
}

TEST_CASE("random bits are R/n", "[explain]") {
    CHECK(parse_random("4294967295/32").value == 0xFFFFFFFF);
    CHECK(parse_random("0xD0DA572B/32").value == 0xD0DA572B);
    CHECK(parse_random("0Xff/8").value == 0xFF);
    CHECK(parse_random("0/1").bits == 1);
    for (const char* text : {"", "/", "1", "1/", "/8", "1/0", "1/33", "256/8", "-1/8", "1/8x", "4294967296/32",
                             "1/99999999999", "0x/8", "FF/8", "0x100/8"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(parse_random(text), std::invalid_argument);
    }
}

TEST_CASE("the JSON has the exact values", "[explain]") {
    const nlohmann::ordered_json json = to_json(explain::explain(ask("0x00000001", "fp32", "e4m3")));
    CHECK(json["input"]["notation"] == "bits");
    CHECK(json["input"]["hex_float"] == "0x1p-149");
    CHECK(json["input"]["value"].get<std::string>().size() == 151); // 0. and 149 digits
    CHECK(json["result"]["code"] == "0x00");
    CHECK(json["result"]["clause"]["id"] == "OFP8-UNDERFLOW");
    CHECK(json["position"]["away_from_zero"]["code"] == "0x01");
    CHECK(json["same_code"]["last"] == "0x3A800000");
    CHECK(json["consulted"][0]["choice"] == "rounding");
    CHECK(json["consulted"][0]["others"]["up"] == "0x01");
}

namespace {

/// Explains conversions of one pair of formats in so many.
void check_pairs(std::size_t one_in) {
    std::size_t number = 0;
    for (const Format& from : all_formats())
        for (const Format& to : all_formats()) {
            if (to.scale != nullptr) continue; // nothing is converted to it
            if (to.flags_of != nullptr && from.scale != nullptr) {
                CHECK_THROWS_AS(explain::explain(ask(code_text(from, 0), from.name, to.name)), std::invalid_argument);
                continue;
            }
            if (number++ % one_in != 0) continue;
            for (const Code code :
                 {Code{0}, Code{1}, from.max_code(), from.last_code(), from.sign_bit() | 2, from.magnitude_mask()}) {
                const Explanation e = explain::explain(ask(code_text(from, code), from.name, to.name));
                CAPTURE(from.name, to.name, code);
                CHECK(find_clause(e.clause) != nullptr);
                CHECK(!to_text(e).empty());
                CHECK(to_json(e).dump().size() > 100);
            }
        }
}

} // namespace

TEST_CASE("pairs of formats can be explained, with clauses that exist", "[explain][values]") { check_pairs(5); }
TEST_CASE("every pair of formats can be explained, with clauses that exist", "[.][exhaustive]") { check_pairs(1); }
