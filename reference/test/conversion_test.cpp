// SPDX-License-Identifier: Apache-2.0
#include "reference/conversion.hpp"

#include <catch.hpp>
#include <stdexcept>
#include <string>

using namespace mxcert;

namespace {

std::string error_of(std::string_view text) {
    try {
        static_cast<void>(parse_conversion(text));
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "";
}

} // namespace

TEST_CASE("a conversion prints as its parts and reads back", "[conversion]") {
    for (const Format& from : all_formats()) {
        for (const Format& to : all_formats()) {
            if (to.scale != nullptr) continue; // nothing is converted to it
            for (const Conversion& c : deterministic_conversions(from, to))
                REQUIRE(parse_conversion(to_string(c)) == c);
            if (to.element != nullptr) continue;
            for (unsigned r = 0; r < info(Choice::rounding).values.size(); ++r) {
                if (to.flags_of != nullptr && is_stochastic(static_cast<Rounding>(r))) continue;
                for (unsigned o = 0; o < info(Choice::overflow).values.size(); ++o) {
                    Conversion c{&from, &to, static_cast<Rounding>(r), static_cast<Overflow>(o), 0};
                    if (is_stochastic(c.rounding)) c.random_bits = 1 + (r * 7 + o * 13) % 32;
                    if (is_ptx_rs(c.rounding)) c.random_bits = 32;
                    if ((is_ptx_rs(c.rounding) && !has_ptx_rs(to)) ||
                        (c.rounding == Rounding::stochastic_s && to.is_twos_complement())) {
                        CHECK_THROWS_AS(parse_conversion(to_string(c)), std::invalid_argument);
                        continue;
                    }
                    REQUIRE(parse_conversion(to_string(c)) == c);
                }
            }
        }
    }
    CHECK(to_string(parse_conversion("fp32-e4m3-nearest_even-sat")) == "fp32-e4m3-nearest_even-sat");
    CHECK(deterministic_conversions(formats::fp32, formats::e4m3).size() == 9 * 2);
    CHECK(deterministic_conversions(formats::amax_fp32, formats::e8m0_for_e4m3).size() == 12 * 2);
    CHECK(to_string(parse_conversion("amax_fp32-e8m0_for_e4m3-log_nearest2-sat")) ==
          "amax_fp32-e8m0_for_e4m3-log_nearest2-sat");
    for (const char* wrong :
         {"amax_fp32-e8m0_for_e4m3-up-sat", "amax_fp32-e8m0_for_e4m3-none-sat", "fp32-e4m3-rceil-sat"})
        CHECK_THROWS_AS(parse_conversion(wrong), std::invalid_argument);
    CHECK_THROWS_AS(parse_conversion("fp32-flags_of_e4m3-stochastic_a8-sat"), std::invalid_argument);
    CHECK(to_string(make_conversion("fp32", "e4m3", "stochastic_a", "sat", 8)) == "fp32-e4m3-stochastic_a8-sat");
}

TEST_CASE("a conversion points into all_formats", "[conversion]") {
    const Conversion c = parse_conversion("fp32-e4m3-nearest_even-sat");
    CHECK(c.from == find_format("fp32"));
    CHECK(c.to == find_format("e4m3"));
}

TEST_CASE("a wrong conversion says which part is wrong", "[conversion]") {
    for (const char* const name :
         {"fp32-e4m3-stochastic_a.8-sat", "fp32-e4m3-stochastic_a99999999999-sat", "fp32-e4m3-stochastic_a08-sat"})
        CHECK_THROWS_AS(parse_conversion(name), std::invalid_argument);
    CHECK(error_of("fp32-e4m4-nearest_even-sat").find("format 'e4m4'") != std::string::npos);
    CHECK(error_of("fp32-e4m4-nearest_even-sat").find("e4m3") != std::string::npos);
    CHECK(error_of("fp33-e4m3-nearest_even-sat").find("format 'fp33'") != std::string::npos);
    CHECK(error_of("fp32-e4m3-nearest_evn-sat").find("nearest_even") != std::string::npos);
    CHECK(error_of("fp32-e4m3-nearest_even-saturate").find("overflow") != std::string::npos);
    for (const char* text :
         {"", "-", "---", "----", "fp32-e4m3-nearest_even", "fp32-e4m3-nearest_even-sat-x",
          "fp32-e4m3-nearest_even-sat ", "fp32-e4m3-nearest_even8-sat", "fp32-e4m3-stochastic_a-sat",
          "fp32-e4m3-stochastic_a0-sat", "fp32-e4m3-stochastic_a08-sat", "fp32-e4m3-stochastic_a33-sat",
          "fp32-e4m3-stochastic_a99999999999999999999-sat", "fp32-e4m3-8-sat", "fp32-e4m3-ptx_rs_a-sat",
          "fp32-e4m3-ptx_rs_a16-sat", "fp32-e2m3-ptx_rs_a32-sat"}) {
        CAPTURE(text);
        CHECK(!error_of(text).empty());
    }
    CHECK_THROWS_AS(make_conversion("fp32", "e4m3", "nearest_even", "sat", 1), std::invalid_argument);
    CHECK_THROWS_AS(make_conversion("fp32", "e4m3", "stochastic_a", "sat", 33), std::invalid_argument);
}

TEST_CASE("the choices of a conversion are its own and else defaults", "[conversion]") {
    CHECK(describe(choices_of(parse_conversion("fp32-e4m3-up-nosat"))) == "rounding=up overflow=nosat");
    CHECK(describe(choices_of(parse_conversion("fp32-e4m3-nearest_even-sat"))) == "defaults");
}
