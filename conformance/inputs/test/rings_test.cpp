// SPDX-License-Identifier: Apache-2.0
// Inputs that are asked again in other places, and calls of inputs that are alike.
#include "conformance/inputs/rings.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "catch.hpp"
#include "conformance/inputs/kinds.hpp"
#include "conformance/test/observe_fixture.hpp"

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
