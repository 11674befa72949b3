// SPDX-License-Identifier: Apache-2.0
// Inputs that are asked again in other places, and calls of inputs that are alike.
#include "conformance/inputs/rings.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "catch.hpp"
#include "conformance/inputs/kinds.hpp"
#include "conformance/suites/given_bits/certify_random.hpp"
#include "conformance/test/observe_fixture.hpp"
#include "reference/fast/convert.hpp"

using namespace mxcert;
using namespace mxcert::inputs;

TEST_CASE("a value is of one kind", "[places]") {
    using formats::e4m3;
    using formats::fp16;
    for (const auto& [code, kind] : std::initializer_list<std::pair<Code, Kind>>{{0x0000, Kind::zero},
                                                                                 {0x8000, Kind::zero},
                                                                                 {0x0001, Kind::subnormal},
                                                                                 {0x83FF, Kind::subnormal},
                                                                                 {0x0400, Kind::normal},
                                                                                 {0x7BFE, Kind::normal},
                                                                                 {0xFBFF, Kind::largest},
                                                                                 {0x7C00, Kind::inf},
                                                                                 {0xFC01, Kind::nan}}) {
        CAPTURE(code);
        CHECK(kind_of(fp16, code) == kind);
    }
    CHECK(kind_of(e4m3, 0x7E) == Kind::largest);
    CHECK(kind_of(e4m3, 0xFF) == Kind::nan);
    CHECK(kind_of(formats::e8m0, 0x00) == Kind::normal); // 2^-127: there is no zero
    // Of a value with a scale, whatever that is, but for NaN.
    CHECK(kind_of(format("e4m3_times_e8m0"), 0x0180) == Kind::zero);
    CHECK(kind_of(format("e4m3_times_e8m0"), 0xFF00) == Kind::nan);
}

TEST_CASE("a format has two ends of each kind and sign", "[places]") {
    CHECK(ends_of_kinds(formats::e4m3) ==
          std::vector<Code>{0x00, 0x01, 0x07, 0x08, 0x7D, 0x7E, 0x7F, 0x80, 0x81, 0x87, 0x88, 0xFD, 0xFE, 0xFF});
    CHECK(ends_of_kinds(formats::e5m2) == std::vector<Code>{0x00, 0x01, 0x03, 0x04, 0x7A, 0x7B, 0x7C, 0x7D, 0x7F, 0x80,
                                                            0x81, 0x83, 0x84, 0xFA, 0xFB, 0xFC, 0xFD, 0xFF});
}

TEST_CASE("inputs that are alike have rings of their own", "[places]") {
    // The answer is the upper byte, as a code of E4M3.
    const PermitTable table = test::top_byte_table(formats::fp16);
    std::multiset<std::string> found;
    std::set<std::string> but_for_one;
    const auto answer = [](Code input) { return input == 0x0001 ? std::nullopt : std::optional(input >> 8); };
    for (const Ring& ring : alike_rings(table, 1, answer)) {
        CAPTURE(ring.alike);
        if (ring.alike.find("but for one") != std::string::npos) {
            // Sixty times the same, and once another.
            CHECK(ring.inputs.size() == 61);
            const std::multiset<Code> inputs(ring.inputs.begin(), ring.inputs.end());
            CHECK(std::set<Code>(inputs.begin(), inputs.end()).size() == 2);
            CHECK(std::min(inputs.count(*inputs.begin()), inputs.count(*inputs.rbegin())) == 1);
            but_for_one.insert(ring.alike);
            continue;
        }
        found.insert(ring.alike);
        const std::set<Code> inputs(ring.inputs.begin(), ring.inputs.end());
        CHECK(inputs.size() <= 61);
        if (ring.alike.starts_with("one of")) CHECK(inputs.size() == 1);
        CHECK_FALSE(inputs.contains(0x0001)); // its answer is not known
        for (std::size_t i = 0; i < ring.inputs.size(); ++i) {
            REQUIRE(ring.answers[i] == ring.inputs[i] >> 8);
            for (const std::uint8_t poison : ring.poison) REQUIRE(ring.answers[i] != poison);
        }
    }
    std::multiset<std::string> wanted{"values that give no normal number or more",
                                      "values that give the largest number or more"};
    for (const std::string words :
         {"zeros that give zeros", "subnormal numbers that give zeros", "subnormal numbers that give subnormal numbers",
          "normal numbers that give subnormal numbers", "normal numbers that give normal numbers",
          "largest numbers that give normal numbers", "infinities that give normal numbers",
          "NaNs that give normal numbers", "NaNs that give largest numbers", "NaNs that give NaNs"}) {
        wanted.insert({words, "positive " + words, "negative " + words});
        wanted.insert({"one of the " + words, "one of the " + words});
    }
    CHECK(found == wanted);
    CHECK(but_for_one.contains("zeros that give zeros, but for one of the normal numbers that give normal numbers"));
    CHECK(but_for_one.contains("normal numbers that give normal numbers, but for one of the NaNs that give NaNs"));
    CHECK(but_for_one.size() == 2 + 4 * 8); // ten kinds: both usual ones, and these with the eight others
}

TEST_CASE("a ring but for one value is there where every byte is permitted", "[places][poison]") {
    PermitTable table{&formats::fp16, &formats::e4m3, {{0, 0xFFFF, {}, "TEST"}}};
    for (Code code = 0; code < 256; ++code) table.steps.front().permit.codes.push_back(code);
    REQUIRE_FALSE(choose_poison(table, 0, 0xFFFF));
    std::size_t found = 0;
    for (const Ring& ring : alike_rings(table, 1, [](Code input) { return std::optional(input >> 8); })) {
        if (ring.alike.find("but for one") == std::string::npos) continue;
        ++found;
        CHECK(ring.poison[0] != ring.poison[1]);
        for (const Code answer : ring.answers)
            for (const std::uint8_t poison : ring.poison) REQUIRE(answer != poison);
    }
    CHECK(found > 0);
}

TEST_CASE("a ring of pairs has each input right after each other one, in even and in odd places", "[places]") {
    const PermitTable table = test::top_byte_table(formats::fp16);
    for (const Ring& large : large_rings(table, 1, [](Code input) { return std::optional(input >> 8); })) {
        const Ring ring = pair_ring(large);
        REQUIRE(ring.inputs.size() % 2 == 1);
        CHECK(ring.poison == large.poison);
        const std::set<Code> inputs(ring.inputs.begin(), ring.inputs.end());
        CHECK(inputs.size() == 256);
        std::array<std::set<std::pair<Code, Code>>, 2> pairs; // by the place of the first
        for (std::size_t at = 0; at + 1 < 2 * ring.inputs.size(); ++at) {
            const std::size_t size = ring.inputs.size();
            pairs[at % 2].emplace(ring.inputs[at % size], ring.inputs[(at + 1) % size]);
            REQUIRE(ring.answers[at % size] == ring.inputs[at % size] >> 8);
        }
        CHECK(pairs[0].size() == 65'536);
        CHECK(pairs[1].size() == 65'536);
    }
}

namespace {

/// What is asked of a rounding with given random bits, and its right answers. They are what is permitted.
struct Rounded {
    explicit Rounded(const char* name)
        : conversion(parse_conversion(name)), expected{conversion.from, conversion.to, {}} {
        std::vector<PermitStep>& steps = expected.steps;
        for (Point point : suites::random_points(conversion, suites::random_words, 1)) {
            point.got = answer(point.input, point.random);
            if (points.empty() || points.back().input != point.input) {
                if (!steps.empty()) steps.back().last = point.input - 1;
                steps.push_back({point.input, conversion.from->last_code(), permit_code(point.got), "TEST"});
            }
            steps.back().permit = unite(steps.back().permit, permit_code(point.got), *conversion.to);
            points.push_back(point);
        }
    }
    [[nodiscard]] Code answer(Code input, std::uint32_t random) const {
        return fast::convert(*conversion.from, *conversion.to, choices_of(conversion), input, random,
                             conversion.random_bits);
    }

    Conversion conversion;
    PermitTable expected;
    std::vector<Point> points;
};

} // namespace

TEST_CASE("points beside a boundary have its word and follow each other", "[places][random]") {
    const std::vector<Point> points{{1, 0, 10}, {1, 5, 10}, {2, 0, 10}, {2, 5, 11}, {4, 5, 12}, {5, 6, 13}};
    const RandomSides sides = random_sides(points);
    REQUIRE(sides.below.size() == 1);
    REQUIRE(sides.above.size() == 1);
    CHECK(std::pair(sides.below[0].input, sides.below[0].random) == std::pair(Code{1}, std::uint32_t{5}));
    CHECK(std::pair(sides.above[0].input, sides.above[0].random) == std::pair(Code{2}, std::uint32_t{5}));
    CHECK(random_sides({}).below.empty());
    CHECK(random_rings(Rounded("fp32-e4m3-stochastic_a4-sat").expected, 1, {{1, 0, 10}, {2, 0, 10}}).empty());
}

TEST_CASE("a random word from another place of a ring shows", "[places][random][values]") {
    const char* const name =
        GENERATE("fp32-e4m3-stochastic_a32-sat", "fp32-e5m2-stochastic_a8-sat", "fp32-e4m3-stochastic_a1-sat",
                 "fp32-e2m1-stochastic_a16-sat", "fp16-e4m3-stochastic_b8-sat", "fp32-e4m3-ptx_rs_b32-sat");
    const bool is_ptx = std::string(name).find("ptx") != std::string::npos; // not the largest bits of the word
    CAPTURE(name);
    const Rounded rounded(name);
    const std::vector<Ring> rings = random_rings(rounded.expected, 1, rounded.points);
    REQUIRE(rings.size() == 2);
    for (const Ring& ring : rings) {
        const std::size_t once = ring.inputs.size();
        REQUIRE(once == longest_ring);
        for (const std::uint64_t length : call_lengths) REQUIRE(std::gcd(length, std::uint64_t{once}) == 1);
        const auto changes = [&](std::size_t at, std::uint32_t word) {
            return rounded.answer(ring.inputs[at], word) != ring.answers[at];
        };
        std::size_t exchanged = 0; // neighbours of which both answers change
        std::size_t zeros = 0;
        for (std::size_t i = 0; i < once; ++i) {
            const std::size_t next = (i + 1) % once;
            REQUIRE_FALSE(changes(i, ring.randoms[i]));
            for (const std::uint8_t poison : ring.poison) REQUIRE(ring.answers[i] != poison);
            exchanged += changes(i, ring.randoms[next]) && changes(next, ring.randoms[i]) ? 1 : 0;
            zeros += changes(i, 0) ? 1 : 0;
        }
        if (&ring == &rings.front()) CHECK(exchanged > once * (is_ptx ? 15 : 90) / 100);
        CHECK(zeros > once / 5);
        if (&ring == &rings.front()) continue;
        // The word of the value so many places away, as where an index wraps.
        std::size_t fewest = once;
        for (std::size_t shift = 1; shift < once; ++shift) {
            std::size_t changed = 0;
            for (std::size_t i = 0; i < once; ++i) changed += changes(i, ring.randoms[(i + shift) % once]) ? 1 : 0;
            fewest = std::min(fewest, changed);
        }
        CHECK(fewest > once / 8);
    }
}

TEST_CASE("inputs with random words that are alike have rings", "[places][random][values]") {
    const Rounded rounded("fp32-e4m3-stochastic_a8-sat");
    std::set<std::string> found;
    for (const Ring& ring : alike_random_rings(rounded.expected, rounded.points)) {
        found.insert(ring.alike);
        CHECK(ring.inputs.size() <= 61);
        for (std::size_t i = 0; i < ring.inputs.size(); ++i)
            REQUIRE(rounded.answer(ring.inputs[i], ring.randoms[i]) == ring.answers[i]);
    }
    for (const char* const words :
         {"negative zeros that give zeros", "normal numbers that give zeros", "NaNs that give NaNs",
          "positive normal numbers that give subnormal numbers", "values that give no normal number or more",
          "normal numbers that give normal numbers, but for one of the NaNs that give NaNs"}) {
        CAPTURE(words);
        CHECK(found.contains(words));
    }
}
