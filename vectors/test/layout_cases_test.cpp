// SPDX-License-Identifier: Apache-2.0
#include "vectors/cases/layout_cases.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "catch.hpp"

using namespace mxcert;
using Reading = PlaceNumbers::Reading;

namespace {

std::vector<std::uint8_t> bytes_of(const PlaceNumbers& numbers, std::uint64_t place) {
    std::vector<std::uint8_t> bytes;
    for (unsigned plane = 0; plane < numbers.digits(); ++plane) bytes.push_back(numbers.byte(place, plane));
    return bytes;
}

} // namespace

TEST_CASE("cases of layouts have names and sizes of their own", "[layout]") {
    std::set<std::string> names;
    std::uint64_t operand = 0;
    for (const LayoutCase& layout_case : layout_cases()) {
        names.insert(layout_case.name());
        CAPTURE(layout_case.name());
        // They come in pairs, there and back.
        if (layout_case.direction == LayoutDirection::arrange) {
            operand = layout_case.operand_size();
            REQUIRE(operand <= layout_case.answer_size());
        } else {
            REQUIRE(layout_case.answer_size() == operand);
        }
    }
    CHECK(names.size() == layout_cases().size());
    CHECK(names.size() == 15 * 25 * 2);
    const LayoutCase swizzled{{100, 96}, shapes::rowwise(32), &find_layout("swizzle_128x4"), LayoutDirection::arrange};
    CHECK(swizzled.name() == "arrange swizzle_128x4 100x96 1x32");
    CHECK(swizzled.operand_size() == 300);
    CHECK(swizzled.answer_size() == 512);
    CHECK(names.contains("restore linear 32x1 1x32"));
}

TEST_CASE("what was brought into a layout comes back", "[layout]") {
    for (const char* const name : {"linear", "swizzle_128x4", "shuffle_32x8"}) {
        LayoutCase layout_case{{100, 96}, shapes::rowwise(32), &find_layout(name), LayoutDirection::arrange};
        const std::vector<std::uint8_t> operand = layout_operand(layout_case, 0);
        CAPTURE(name);
        REQUIRE(operand.size() == 300);
        CHECK(operand[0] == 2);
        const std::vector<std::uint8_t> arranged = layout_answer(layout_case, operand);
        CHECK((arranged == operand) == (std::string(name) == "linear"));
        layout_case.direction = LayoutDirection::restore;
        CHECK(layout_answer(layout_case, arranged) == operand);
        CHECK(layout_operand(layout_case, 0).size() == arranged.size());
    }
}

TEST_CASE("the bytes of a place say which it is", "[layout]") {
    for (const auto& [places, digits] : {std::pair<std::uint64_t, unsigned>{1, 2},
                                         {64'262, 2},
                                         {64'263, 3},
                                         {5'000'000, 3},
                                         {17'324'859'965'700'833'282U, 8}}) {
        const PlaceNumbers numbers(places);
        CAPTURE(places);
        CHECK(numbers.digits() == digits);
        CHECK(numbers.planes() == digits + 1);
        CHECK(numbers.places() == places);
        for (const std::uint64_t place : {std::uint64_t{0}, std::uint64_t{253}, std::uint64_t{254}, std::uint64_t{255},
                                          std::uint64_t{64'261}, places / 2, places - 1}) {
            if (place >= places) continue;
            const std::vector<std::uint8_t> bytes = bytes_of(numbers, place);
            CAPTURE(place);
            CHECK(numbers.read(bytes) == Reading{Reading::place, place});
            CHECK(*std::min_element(bytes.begin(), bytes.end()) != 0x00);
            CHECK(*std::max_element(bytes.begin(), bytes.end()) != 0xFF);
            CHECK(std::set<std::uint8_t>(bytes.begin(), bytes.end()).size() > 1);
            CHECK(numbers.byte(place, digits) == (place % 2 == 0 ? 0x00 : 0xFF));
        }
        CHECK_THROWS_AS(numbers.byte(places, 0), std::out_of_range);
        CHECK_THROWS_AS(numbers.byte(0, digits + 1), std::out_of_range);
        CHECK_THROWS_AS(numbers.read(std::vector<std::uint8_t>(digits + 1, 1)), std::invalid_argument);
    }
    const PlaceNumbers ten(10);
    const auto read = [&](std::uint8_t first, std::uint8_t second) {
        return ten.read(std::array<std::uint8_t, 2>{first, second});
    };
    CHECK(read(2, 1) == Reading{Reading::place, 0});
    CHECK(read(11, 1) == Reading{Reading::place, 9});
    CHECK(read(12, 1) == Reading{Reading::nothing, 0}); // beyond the last
    CHECK(read(0x00, 1) == Reading{Reading::nothing, 0});
    CHECK(read(0xFF, 1) == Reading{Reading::nothing, 0});
    CHECK(read(2, 0xFF) == Reading{Reading::nothing, 0});
    for (const std::uint8_t same : std::array<std::uint8_t, 3>{0x00, 0x01, 0xFF})
        CHECK(read(same, same) == Reading{Reading::constant, same});
    CHECK_THROWS_AS(PlaceNumbers(0), std::invalid_argument);
    CHECK_THROWS_AS(PlaceNumbers(17'324'859'965'700'833'283U), std::invalid_argument);
}
