// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/given_bits/certify_random.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "catch.hpp"
#include "conformance/suites/given_bits/identify_random.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/verdict/exit_code.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/convert.hpp"
#include "reference/profile/profile.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Matchers::Contains;

namespace {

using Rounds = std::function<Code(Code value, std::uint32_t random)>;

/// Answers point by point as it is told.
class Rounder final : public test::BareSubject {
  public:
    explicit Rounder(Rounds rounds) : rounds_(std::move(rounds)) {}
    [[nodiscard]] observe::Observation observe_points(const Conversion& conversion,
                                                      const std::vector<inputs::Point>& inputs,
                                                      const PermitTable* permitted) override {
        observe::Observation seen;
        seen.conversion = conversion;
        seen.status = status;
        seen.places.placed = permitted != nullptr ? 1 : 0;
        if (permitted != nullptr) known = *permitted;
        for (inputs::Point point : inputs) {
            point.got = rounds_(point.input, point.random);
            seen.points.push_back(point);
        }
        if (status != Status::pass) seen.points.resize(seen.points.size() / 2);
        seen.inputs = seen.points.size();
        return seen;
    }

    Status status = Status::pass;
    PermitTable known; ///< what it was told that is permitted

  private:
    Rounds rounds_;
};

constexpr const char* name = "fp32-e4m3-stochastic_a4-sat";

Code rounded(Rounding rounding, Code value, std::uint32_t random) {
    Choices choices;
    choices.rounding = rounding;
    return fast::convert(formats::fp32, formats::e4m3, choices, value, random, 4);
}
Code right(Code value, std::uint32_t random) { return rounded(Rounding::stochastic_a, value, random); }

verdict::Row row_of(Rounder& rounder, const char* conversion = name, const char* profile = "ocp") {
    const GivenBits planned{parse_conversion(conversion), {&find_profile(profile)}, false};
    const std::vector<verdict::Row> rows = certify_random(rounder, planned, {});
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].id == conversion);
    CHECK(rows[0].profile == profile);
    CHECK(rows[0].sample);
    return rows[0];
}

verdict::Row row_of(Rounds rounds) {
    Rounder rounder(std::move(rounds));
    return row_of(rounder);
}

} // namespace

TEST_CASE("given random bits: every word is asked where there are few, and the boundaries of each",
          "[random][values]") {
    const Conversion four = parse_conversion(name);
    const std::vector<inputs::Point> points = random_points(four, random_words, 1);
    std::set<std::uint32_t> words;
    for (const inputs::Point& point : points) words.insert(point.random);
    CHECK(words.size() == 16);
    // Each word moves each of the 2 x 126 finite codes above the first somewhere.
    CHECK(points.size() > 16 * 252 * 4);
    for (const inputs::Point& point : points) {
        if (point.random != 8 || point.input == 0 || point.input >= 0x7F800000) continue;
        const Code before = right(point.input - 1, point.random);
        const Code code = right(point.input, point.random);
        if (before == code) continue;
        for (const Code near : {point.input - 2, point.input - 1, point.input + 1})
            CHECK(std::any_of(points.begin(), points.end(),
                              [&](const inputs::Point& p) { return p.input == near && p.random == point.random; }));
    }
    std::set<std::uint32_t> seeds;
    for (const inputs::Point& point : random_points(parse_conversion("fp16-e5m2-stochastic_c32-nosat"), 100, 1))
        seeds.insert(point.random);
    CHECK(seeds.size() >= 90);
    CHECK(seeds.count(0) == 1);
    CHECK(seeds.count(0xFFFFFFFF) == 1);
    CHECK(seeds.count(0x80000000) == 1);
    CHECK_THROWS_AS(random_points(parse_conversion("fp32-e4m3-nearest_even-sat"), 1, 1), std::invalid_argument);
}

TEST_CASE("given random bits: each bit of the word and of the fraction decides an answer", "[random][values]") {
    const Conversion all = parse_conversion("fp32-e4m3-stochastic_a32-sat");
    const Choices choices = choices_of(all);
    const auto code = [&](Code input, std::uint32_t random) {
        return fast::convert(*all.from, *all.to, choices, input, random, all.random_bits);
    };
    std::uint32_t words = 0;
    Code fractions = 0;
    for (const inputs::Point& point : random_points(all, 64, 1)) {
        const Code right = code(point.input, point.random);
        for (unsigned bit = 0; bit < 32; ++bit) {
            const std::uint32_t value = 1U << bit;
            if ((words & value) == 0 && code(point.input, point.random & ~value) != right) words |= value;
        }
        for (unsigned bit = 0; bit < 23; ++bit) {
            const Code one = Code{1} << bit;
            if ((fractions & one) == 0 && code(point.input & ~one, point.random) != right) fractions |= one;
        }
    }
    CHECK(words == 0xFFFFFFFF);
    CHECK(fractions == 0x7FFFFF);
}

TEST_CASE("given random bits: a right implementation passes", "[random][values]") {
    const verdict::Row row = row_of(right);
    INFO(row.reason);
    CHECK(row.status == Status::pass);
    CHECK(row.compared > 16'000);
    CHECK(row.differing == 0);
    CHECK(row.observed_sha256.size() == 64);
    // OCP leaves open which NaN it is.
    CHECK(row_of([](Code value, std::uint32_t random) {
              return formats::fp32.is_nan(value) ? Code{0xFF} : right(value, random);
          }).status == Status::pass);
}

TEST_CASE("given random bits: a profile says which code a NaN has", "[random][values]") {
    // AVX10.2 keeps the sign of a NaN, in BF8 the top of its payload too, which the fast model does not offer.
    for (const char* const to : {"e4m3", "e5m2"}) {
        const std::string conversion = std::string("fp16-") + to + "-stochastic_a8-sat";
        CAPTURE(conversion);
        const auto by_rule = [&](NanRule rule) {
            Choices choices;
            choices.rounding = Rounding::stochastic_a;
            choices.nan = rule;
            Rounder rounder([&, choices](Code value, std::uint32_t random) {
                return exact::convert(formats::fp16, format(to), choices, value, {8, random}).code;
            });
            return row_of(rounder, conversion.c_str(), "avx10.2");
        };
        CHECK(by_rule(std::string_view(to) == "e4m3" ? NanRule::sign : NanRule::payload_sign).status == Status::pass);
        CHECK(by_rule(NanRule::canonical).status == Status::fail);
    }
}

TEST_CASE("given random bits: what is wrong fails and is named", "[random][values]") {
    struct Planted {
        const char* says;
        Rounds rounds;
    };
    const auto of = [](Rounding rounding) {
        return [rounding](Code value, std::uint32_t random) { return rounded(rounding, value, random); };
    };
    const Planted planted[] = {
        {"cause: stochastic_b", of(Rounding::stochastic_b)},
        {"cause: stochastic_c", of(Rounding::stochastic_c)}, // which differs from b in ties alone
        {"cause: nearest_even", of(Rounding::nearest_even)},
        {"cause: toward_zero", of(Rounding::toward_zero)},
        {"not permitted", [](Code value, std::uint32_t random) { return right(value, 15 - random); }},
        {"cause: stochastic_a with the upper 3 of 4 random bits, in the place of the lowest",
         [](Code value, std::uint32_t random) { return right(value, random / 2); }},
        {"cause: stochastic_a with the upper 3 of 4 random bits or stochastic_a with the upper 3 of 4 random bits, the "
         "others zero",
         [](Code value, std::uint32_t random) { return right(value, random & 14U); }},
        {"cause: stochastic_a with the lower 3 of 4 random bits",
         [](Code value, std::uint32_t random) {
             const Choices choices = choices_of(parse_conversion(name));
             return fast::convert(formats::fp32, formats::e4m3, choices, value, random & 7U, 3);
         }},
        {"stochastic_a with the lower 3 of 4 random bits, the others zero",
         [](Code value, std::uint32_t random) { return right(value, random & 7U); }},
        {"not permitted",
         [](Code value, std::uint32_t random) {
             return right(value, value >> 31 != 0 ? 15 - random : random); // added below negative values too
         }},
        {"not permitted",
         [](Code value, std::uint32_t random) {
             return (value & 0x7F800000) < 0x3C800000 ? rounded(Rounding::nearest_even, value, 0)
                                                      : right(value, random);
         }},
        {"not permitted",
         [](Code value, std::uint32_t random) {
             return (value & 0x7FFFFFFF) > 0x43E00000 ? Code{0x7F} : right(value, random);
         }},
        {"1 answer not permitted",
         [](Code value, std::uint32_t random) {
             return right(value, random) ^ (value == 0x3F800000 && random == 3 ? 1U : 0U);
         }},
    };
    for (const Planted& this_planted : planted) {
        INFO(this_planted.says);
        const verdict::Row row = row_of(this_planted.rounds);
        CHECK(row.status == Status::fail);
        CHECK(row.differing > 0);
        CHECK_THAT(row.reason, Contains(this_planted.says));
        REQUIRE_FALSE(verdict::wrong_of(row).empty());
        CHECK_THAT(verdict::wrong_of(row).front(), Contains(" with random bits 0x") && Contains(" gives 0x"));
        CHECK(verdict::points_of(row).size() == verdict::wrong_of(row).size());
        CHECK(verdict::exit_code({row}) == 1);
    }
}

TEST_CASE("given random bits: 7 of 8 random bits are named", "[random][values]") {
    Rounder seven([](Code value, std::uint32_t random) {
        Choices choices;
        choices.rounding = Rounding::stochastic_a;
        return fast::convert(formats::fp32, formats::e4m3, choices, value, random & 0xFEU, 8);
    });
    const verdict::Row row = row_of(seven, "fp32-e4m3-stochastic_a8-sat");
    CHECK(row.status == Status::fail);
    CHECK_THAT(row.reason, Contains("stochastic_a with the upper 7 of 8 random bits"));
    REQUIRE_FALSE(row.known_as.empty());
    CHECK(row.known_as.front().bug_class->id == "STOCHASTIC_BIAS");
}

TEST_CASE("given random bits: bits in reverse order are named", "[random][values]") {
    Rounder reversed([](Code value, std::uint32_t random) {
        std::uint32_t other_end = 0;
        for (unsigned bit = 0; bit < 4; ++bit) other_end = other_end * 2 + (random >> bit & 1U);
        return right(value, other_end);
    });
    const verdict::Row row = row_of(reversed);
    CHECK(row.status == Status::fail);
    CHECK_THAT(row.reason, Contains("cause: stochastic_a with the 4 random bits in reverse order"));
    REQUIRE(row.known_as.size() == 1);
    CHECK(row.known_as.front().bug_class->id == "STOCHASTIC_WRONG_BITS");
}

TEST_CASE("given random bits: the readings of AMD's seed are told apart", "[random][values]") {
    const auto by = [](Rounding rounding, unsigned bits) {
        return [rounding, bits](Code value, std::uint32_t word) {
            Choices choices;
            choices.rounding = rounding;
            return fast::convert(formats::fp32, formats::e4m3, choices, value, word >> (32 - bits), bits);
        };
    };
    const auto row = [](Rounds rounds) {
        Rounder rounder(std::move(rounds));
        return row_of(rounder, "fp32-e4m3-stochastic_a32-sat");
    };
    CHECK(row(by(Rounding::stochastic_a, 32)).status == Status::pass);
    CHECK_THAT(row(by(Rounding::stochastic_a, 20)).reason,
               Contains("cause: stochastic_a with the upper 20 of 32 random bits"));
    // Of 32 bits those below the last place of the source are of no weight.
    CHECK_THAT(row(by(Rounding::stochastic_s, 20)).reason, Catch::Matchers::EndsWith("; cause: stochastic_s"));
    CHECK_THAT(row([](Code value, std::uint32_t word) {
                   Choices choices;
                   choices.rounding = Rounding::stochastic_s;
                   return fast::convert(formats::fp32, formats::e4m3, choices, value, word & 0xFFFFF, 20);
               }).reason,
               Contains("cause: stochastic_s with the lower 20 of 32 random bits"));
}

namespace {

/// Of every second value, another one for each format, or of every value.
void check_lanes(bool every) {
    constexpr Rounding lanes[] = {Rounding::ptx_rs_a, Rounding::ptx_rs_b, Rounding::ptx_rs_e, Rounding::ptx_rs_f};
    std::size_t first = 0;
    for (const char* const to : {"e4m3", "e2m1"})
        for (std::size_t lane = every ? 0 : first++; lane < std::size(lanes); lane += every ? 1 : 2) {
            const Rounding given = lanes[lane];
            Choices choices;
            choices.rounding = given;
            Rounder rounder([&](Code value, std::uint32_t word) {
                return fast::convert(formats::fp32, format(to), choices, value, word, 32);
            });
            for (const Rounding asked : {given, lanes[(lane + 1) % std::size(lanes)]}) {
                const std::string conversion = fmt::format("fp32-{}-{}32-sat", to, to_string(asked));
                CAPTURE(conversion, to_string(given));
                const verdict::Row row = row_of(rounder, conversion.c_str(), "nvidia-ptx");
                CHECK(row.status == (asked == given ? Status::pass : Status::fail));
                if (asked == given) continue;
                CHECK_THAT(row.reason, Contains(std::string(to_string(given))));
                REQUIRE_FALSE(row.known_as.empty());
                for (const KnownFault& known : row.known_as) CHECK(known.bug_class->id == "STOCHASTIC_WRONG_BITS");
            }
        }
}

} // namespace

TEST_CASE("given random bits: the bits of another value of PTX's cvt.rs are named", "[random][values]") {
    check_lanes(false);
}
TEST_CASE("given random bits: the bits of every other value of PTX's cvt.rs are named", "[.][exhaustive]") {
    check_lanes(true);
}

TEST_CASE("given random bits: laws that differ in ties alone are told apart", "[random][values]") {
    Rounder tie_to_even(
        [](Code value, std::uint32_t random) { return rounded(Rounding::stochastic_c, value, random); });
    const verdict::Row row = row_of(tie_to_even, "fp32-e4m3-stochastic_b4-sat");
    CHECK(row.status == Status::fail);
    CHECK_THAT(row.reason, Contains("cause: stochastic_c"));
    CHECK(row_of(tie_to_even, "fp32-e4m3-stochastic_c4-sat").status == Status::pass);
}

TEST_CASE("given random bits: what does not end is no pass", "[random]") {
    Rounder crashed(right);
    crashed.status = Status::error;
    CHECK(row_of(crashed).status == Status::error);
    Rounder wrong([](Code, std::uint32_t) { return Code{0x11}; });
    wrong.status = Status::error;
    CHECK(row_of(wrong).status == Status::fail);
    Rounder refused(right);
    refused.status = Status::unsupported;
    CHECK(row_of(refused).status == Status::unsupported);
}

TEST_CASE("given random bits: a row is asked in other places, and a reproduction is not", "[random][places]") {
    Rounder rounder(right);
    GivenBits planned{parse_conversion(name), {&find_profile("ocp")}, false};
    const std::vector<verdict::Row> rows = certify_random(rounder, planned, {});
    REQUIRE(rows.size() == 1);
    REQUIRE(verdict::places_of(rows[0]) != nullptr);
    CHECK(verdict::places_of(rows[0])->placed == 1);
    // Whatever the word is, the answer is permitted.
    REQUIRE(broken(rounder.known).empty());
    for (const inputs::Point& point : random_points(planned.conversion, random_words, 1))
        REQUIRE(permits(rounder.known.steps[find_step(rounder.known, point.input)].permit,
                        right(point.input, point.random), formats::e4m3));
    planned.points = {{0x3F800001, 3, 0}};
    CHECK(verdict::places_of(certify_random(rounder, planned, {}).front())->placed == 0);
}

TEST_CASE("given random bits: every reading that gives all answers is named", "[random][values]") {
    const Conversion words = parse_conversion("fp32-e4m3-stochastic_a32-sat");
    const auto found = [&](const Rounds& rounds) {
        Rounder rounder(rounds);
        return identify_random(rounder, words);
    };
    const auto by = [](Rounding rounding, unsigned down, unsigned bits, bool flushes) {
        return [=](Code value, std::uint32_t random) {
            Choices choices;
            choices.rounding = rounding;
            const auto word = static_cast<std::uint32_t>((random >> down) & ((std::uint64_t{1} << bits) - 1));
            const Code code = fast::convert(formats::fp32, formats::e4m3, choices, value, word, bits);
            return flushes && formats::e4m3.is_subnormal(code) ? code & 0x80 : code;
        };
    };
    struct Reading {
        Rounds rounds;
        const char* name;
    };
    for (const Reading& reading : {
             Reading{by(Rounding::stochastic_a, 0, 32, false), "stochastic_a"},
             Reading{by(Rounding::stochastic_a, 12, 20, false), "stochastic_a with the upper 20 of 32 random bits"},
             Reading{by(Rounding::stochastic_a, 0, 20, false), "stochastic_a with the lower 20 of 32 random bits"},
             Reading{by(Rounding::stochastic_s, 12, 20, false), "stochastic_s"},
             Reading{by(Rounding::stochastic_s, 0, 20, false), "stochastic_s with the lower 20 of 32 random bits"},
             Reading{by(Rounding::stochastic_a, 0, 20, true),
                     "stochastic_a with the lower 20 of 32 random bits, and zero for a subnormal result"},
         }) {
        CAPTURE(reading.name);
        const diagnose::FoundBehaviour behaviour = found(reading.rounds);
        CHECK(behaviour.status == Status::pass);
        CHECK(behaviour.asked > 10'000);
        CHECK(behaviour.explained == behaviour.asked);
        REQUIRE(behaviour.parameters.size() == 1);
        std::vector<std::string> names = behaviour.parameters.front().alike;
        names.push_back(behaviour.parameters.front().value);
        CAPTURE(names);
        CHECK(std::find(names.begin(), names.end(), reading.name) != names.end());
    }
    // One answer of no reading.
    const Rounds all = by(Rounding::stochastic_a, 0, 32, false);
    const diagnose::FoundBehaviour none = found([&](Code value, std::uint32_t random) {
        return value == 0x3F800001 && random != 0 ? Code{0} : all(value, random);
    });
    CHECK(none.explained < none.asked);
    CHECK(none.explained > none.asked / 2);
    CHECK(none.parameters.front().value == "stochastic_a");
    Rounder broken(all);
    broken.status = Status::error;
    CHECK(identify_random(broken, words).status == Status::error);
}
