// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "catch.hpp"
#include "conformance/suites/layout/layout_faults.hpp"
#include "conformance/suites/layout/layout_verdict.hpp"
#include "vectors/cases/layout_cases.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Contains;

namespace {

using Bytes = std::vector<std::uint8_t>;
using Answers = std::vector<Bytes>;
using Names = std::set<std::string>;

unsigned planes_of(const LayoutCase& layout_case) { return PlaceNumbers(layout_case.operand_size()).planes(); }

Answers right_answers(const LayoutCase& layout_case) {
    Answers answers;
    for (unsigned plane = 0; plane < planes_of(layout_case); ++plane)
        answers.push_back(layout_answer(layout_case, layout_operand(layout_case, plane)));
    return answers;
}

Answers made_answers(const LayoutCase& layout_case, const LayoutMaker& maker, std::uint8_t padding = 0) {
    Answers answers;
    for (unsigned plane = 0; plane < planes_of(layout_case); ++plane)
        answers.push_back(made_answer(layout_case, maker, layout_operand(layout_case, plane), padding));
    return answers;
}

const LayoutMaker& find_maker(const std::vector<LayoutMaker>& makers, const std::string& name) {
    const auto found =
        std::find_if(makers.begin(), makers.end(), [&](const LayoutMaker& maker) { return maker.name == name; });
    if (found == makers.end()) throw std::out_of_range("no maker " + name);
    return *found;
}

Names names_of(const std::vector<LayoutExplanation>& explanations) {
    Names names;
    for (const LayoutExplanation& explanation : explanations) names.insert(text(explanation));
    return names;
}

LayoutCase swizzle_of(const Extent& matrix, LayoutDirection direction = LayoutDirection::arrange) {
    return {matrix, shapes::rowwise(32), &find_layout("swizzle_128x4"), direction};
}

/// The cases of a layout, with the first of the block shapes it is used for, that are quick.
std::vector<LayoutCase> small_cases(std::string_view layout, LayoutDirection direction) {
    std::vector<LayoutCase> cases;
    for (const LayoutCase& layout_case : layout_cases()) {
        if (layout_case.layout->name != layout || layout_case.direction != direction) continue;
        if (!cases.empty() && layout_case.block != cases.front().block) continue;
        if (layout_case.operand_size() <= 4200 && layout_case.answer_size() <= 4200) cases.push_back(layout_case);
    }
    return cases;
}

} // namespace

TEST_CASE("a number of a place is told from every other and from every constant", "[layout]") {
    for (const std::uint64_t places : {1U, 253U, 254U, 255U, 64262U, 64263U, 200000U}) {
        const PlaceNumbers numbers(places);
        CHECK(numbers.digits() == (places <= 64262 ? 2 : 3));
        CHECK(numbers.planes() == numbers.digits() + 1);
        bool right = true;
        Bytes bytes(numbers.digits());
        for (std::uint64_t place = 0; place < places; ++place) {
            for (unsigned plane = 0; plane < numbers.digits(); ++plane) bytes[plane] = numbers.byte(place, plane);
            right = right && numbers.read(bytes) == PlaceNumbers::Reading{PlaceNumbers::Reading::place, place} &&
                    *std::min_element(bytes.begin(), bytes.end()) != 0x00 &&
                    *std::max_element(bytes.begin(), bytes.end()) != 0xFF;
        }
        CHECK(right);
        for (unsigned byte = 0; byte < 256; ++byte) {
            bytes.assign(numbers.digits(), static_cast<std::uint8_t>(byte));
            CHECK(numbers.read(bytes) == PlaceNumbers::Reading{PlaceNumbers::Reading::constant, byte});
        }
        CHECK(numbers.byte(0, numbers.digits()) == 0x00);
        if (places > 1) CHECK(numbers.byte(1, numbers.digits()) == 0xFF);
    }
    const PlaceNumbers numbers(10);
    const PlaceNumbers::Reading nothing{PlaceNumbers::Reading::nothing, 0};
    CHECK(numbers.read(Bytes{1, 0}) == nothing);
    CHECK(numbers.read(Bytes{0xFF, 2}) == nothing);
    CHECK(numbers.read(Bytes{12, 1}) == nothing); // place 10
    CHECK_THROWS_AS(numbers.read(Bytes{1, 2, 3}), std::invalid_argument);
    CHECK_THROWS_AS(numbers.byte(10, 0), std::out_of_range);
    CHECK_THROWS_AS(PlaceNumbers(0), std::invalid_argument);
    CHECK_THROWS_AS(PlaceNumbers(~std::uint64_t{0}), std::invalid_argument);
}

TEST_CASE("the cases have every layout, both directions, every tail, and names of their own", "[layout]") {
    const std::vector<LayoutCase> cases = layout_cases();
    CHECK(cases.size() == 15 * 25 * 2);
    Names names;
    Names layouts;
    std::uint64_t largest = 0;
    std::uint64_t tails = 0;
    for (const LayoutCase& layout_case : cases) {
        names.insert(layout_case.name());
        layouts.insert(std::string(layout_case.layout->name));
        largest = std::max(largest, count(layout_case.matrix, "values"));
        if (refusal(find_size_policy("whole_blocks"), layout_case.matrix, layout_case.block)) ++tails;
    }
    CHECK(names.size() == cases.size());
    CHECK(layouts.size() == all_layouts().size());
    CHECK(largest == 8192 * 8192);
    CHECK(tails == 370);
    CHECK(cases.front().name() == "arrange linear 1x1 1x32");
}

TEST_CASE("a right answer is right", "[layout][values]") {
    for (const LayoutCase& layout_case : layout_cases()) {
        if (layout_case.operand_size() > 20000 || layout_case.answer_size() > 20000) continue;
        INFO(layout_case.name());
        const LayoutVerdict verdict = judge(layout_case, right_answers(layout_case));
        REQUIRE(verdict.right);
        CHECK(verdict.wrong == 0);
        CHECK(verdict.first.empty());
        CHECK(text(verdict.explanations.at(0)) == "right");
    }
}

TEST_CASE("the largest case is right, and a single exchange in it is found", "[layout][values]") {
    const LayoutCase layout_case = swizzle_of({8192, 8192});
    REQUIRE(planes_of(layout_case) == 4);
    Answers answers = right_answers(layout_case);
    REQUIRE(answers[0].size() == 8192 * 256);
    CHECK(judge(layout_case, answers).right);
    for (Bytes& answer : answers) std::swap(answer[1234567], answer[1234568]);
    const LayoutVerdict verdict = judge(layout_case, answers);
    CHECK_FALSE(verdict.right);
    CHECK(verdict.wrong == 2);
    CHECK(verdict.explanations.empty());
    CHECK_THAT(verdict.first, Contains("byte 1234567 is that of row"));
}

// Wrong layouts in some direction that are the right one on every matrix.
TEST_CASE("every wrong layout is caught and named, or is the right one", "[layout][values]") {
    const std::map<std::string_view, Names> same = {
        // Rows in order are their own inverse, and stay in order without padding whatever the extent is taken for.
        {"linear", {"inverse", "twice", "extent_confused", "unpadded_stride", "edge_padding", "wrapped_padding"}},
        // What padding holds is not defined.
        {"padded_128x4", {"inverse", "twice", "layout padded_1x4", "edge_padding", "wrapped_padding"}},
        {"padded_4x128", {"inverse", "twice", "edge_padding", "wrapped_padding"}},
        {"padded_1x4", {"inverse", "twice", "layout padded_128x4", "edge_padding", "wrapped_padding"}},
        {"transposed_4x1", {"edge_padding", "wrapped_padding"}},
        {"shuffle_32x8", {"edge_padding", "wrapped_padding"}},
        {"swizzle_128x4", {}},
        {"swizzle_128x4_columnwise", {}},
    };
    std::size_t planted = 0;
    for (const auto& [layout, expected] : same)
        for (const LayoutDirection direction : {LayoutDirection::arrange, LayoutDirection::restore}) {
            const std::vector<LayoutCase> cases = small_cases(layout, direction);
            REQUIRE(cases.size() > 5);
            for (const LayoutMaker& fault : layout_makers(cases.front())) {
                INFO(cases.front().name() << " and so on, " << fault.name);
                std::vector<LayoutVerdict> verdicts;
                for (const LayoutCase& layout_case : cases)
                    verdicts.push_back(judge(
                        layout_case, made_answers(layout_case, find_maker(layout_makers(layout_case), fault.name))));
                const bool right = std::all_of(verdicts.begin(), verdicts.end(),
                                               [](const LayoutVerdict& verdict) { return verdict.right; });
                const Names names = names_of(common_explanations(verdicts));
                CHECK(names.count(fault.name) == 1);
                CHECK(right == (fault.name == "right" || expected.count(fault.name) == 1));
                CHECK(right == (names.count("right") == 1));
                ++planted;
            }
        }
    CHECK(planted > 300);
}

namespace {

/// The swizzle of 300x9 scales with its faults made by hand, by no code of the suite.
struct HandMade {
    std::string_view name;
    std::size_t (*offset)(std::size_t i, std::size_t j); ///< of row i < 384 and column j < 12
    std::uint8_t padding;
};
constexpr std::size_t tile_of(std::size_t i, std::size_t j) { return (i / 128 * 3 + j / 4) * 512; }
constexpr std::size_t in_tile(std::size_t i, std::size_t j) { return i % 32 * 16 + i % 128 / 32 * 4 + j % 4; }
constexpr std::size_t swizzled(std::size_t i, std::size_t j) { return tile_of(i, j) + in_tile(i, j); }
const HandMade hand_made[] = {
    {"right", swizzled, 0},
    {"right, padded with 0xFF", swizzled, 0xFF},
    {"right, padded with 0x7F", swizzled, 0x7F},
    {"right, padded with 0x01", swizzled, 0x01},
    {"not_arranged", [](std::size_t i, std::size_t j) { return i * 12 + j; }, 0},
    {"not_arranged, padded with 0xFF", [](std::size_t i, std::size_t j) { return i * 12 + j; }, 0xFF},
    {"tile_order", [](std::size_t i, std::size_t j) { return (j / 4 * 3 + i / 128) * 512 + in_tile(i, j); }, 0},
    {"exchanged row%32 row/32%4", [](std::size_t i, std::size_t j) { return tile_of(i, j) + i % 128 * 4 + j % 4; }, 0},
    {"exchanged row/32%4 column%4",
     [](std::size_t i, std::size_t j) { return tile_of(i, j) + i % 32 * 16 + j % 4 * 4 + i % 128 / 32; }, 0},
    {"twice", [](std::size_t i, std::size_t j) { return swizzled(swizzled(i, j) / 12, swizzled(i, j) % 12); }, 0},
    {"inverse",
     [](std::size_t i, std::size_t j) {
         const std::size_t t = (i * 12 + j) / 512;
         const std::size_t r = (i * 12 + j) % 512;
         return (t / 3 * 128 + r / 16 + r % 16 / 4 * 32) * 12 + t % 3 * 4 + r % 4;
     },
     0},
    {"words_reversed", [](std::size_t i, std::size_t j) { return tile_of(i, j) + in_tile(i, j) + 3 - 2 * (j % 4); }, 0},
    {"layout shuffle_32x8, padded with 0x02",
     [](std::size_t i, std::size_t j) {
         return i / 32 * 512 + i / 16 % 2 + i % 16 * 4 + j / 8 * 256 + j / 4 % 2 * 2 + j % 4 * 64;
     },
     0x02},
};

} // namespace

TEST_CASE("faults made by hand are named", "[layout]") {
    const LayoutCase layout_case = swizzle_of({300, 288});
    REQUIRE(layout_case.map().padded() == Extent{384, 12});
    for (const HandMade& new_hand_made : hand_made) {
        Answers answers;
        for (unsigned plane = 0; plane < planes_of(layout_case); ++plane) {
            const Bytes operand = layout_operand(layout_case, plane);
            Bytes answer(8192, new_hand_made.padding);
            for (std::size_t i = 0; i < 384; ++i)
                for (std::size_t j = 0; j < 12; ++j)
                    answer.at(new_hand_made.offset(i, j)) =
                        i < 300 && j < 9 ? operand[i * 9 + j] : new_hand_made.padding;
            answer.resize(384 * 12);
            answers.push_back(answer);
        }
        const LayoutVerdict verdict = judge(layout_case, answers);
        INFO(new_hand_made.name << ": " << verdict.first);
        REQUIRE_FALSE(verdict.explanations.empty());
        CHECK(text(verdict.explanations.front()) == new_hand_made.name);
        CHECK(verdict.right == (new_hand_made.name == "right"));
        CHECK((verdict.wrong == 0) == verdict.right);
    }
}

TEST_CASE("verdicts say what is wrong first, and what has become of it", "[layout]") {
    const LayoutCase layout_case = swizzle_of({4, 64});
    Answers answers = right_answers(layout_case);
    SECTION("a scale in the place of another") {
        for (Bytes& answer : answers) std::swap(answer[1], answer[16]);
        const LayoutVerdict verdict = judge(layout_case, answers);
        CHECK(verdict.wrong == 2);
        CHECK(verdict.first == "byte 1 is that of row 1, column 0 and should be that of row 0, column 1");
        CHECK(verdict.explanations.empty());
    }
    SECTION("a scale in the padding") {
        for (Bytes& answer : answers) answer[4] = answer[0];
        CHECK(judge(layout_case, answers).first == "byte 4 is that of row 0, column 0 and should be padding, 0x00");
    }
    SECTION("a byte that is not padding, in some places only") {
        for (Bytes& answer : answers) answer[511] = 0x7F;
        const LayoutVerdict verdict = judge(layout_case, answers);
        CHECK(verdict.first == "byte 511 is 0x7F and should be padding, 0x00");
        CHECK(verdict.explanations.empty());
    }
    SECTION("bytes of no place") {
        answers[0][0] = 0xEE;
        CHECK(judge(layout_case, answers).first ==
              "byte 0 is no byte of the operand and should be that of row 0, column 0");
    }
    SECTION("a scale of 0 that becomes 1.0") {
        for (std::uint8_t& byte : answers.back())
            if (byte == 0x00) byte = 0x7F;
        const LayoutVerdict verdict = judge(layout_case, answers);
        CHECK_FALSE(verdict.right);
        CHECK(verdict.first == "byte 0 was 0x00 and became 0x7F");
        CHECK(verdict.explanations.empty()); // padding became it in this plane alone
    }
    SECTION("scales of 0 and NaN that become others, padding not") {
        const Bytes operand = layout_operand(layout_case, planes_of(layout_case) - 1);
        Bytes changed = operand;
        for (std::uint8_t& byte : changed) byte = byte == 0x00 ? 0x01 : 0xFE;
        answers.back() = layout_answer(layout_case, changed);
        CHECK(text(judge(layout_case, answers).explanations.at(0)) ==
              "right, scale 0x00 changed to 0x01, scale 0xFF changed to 0xFE");
    }
    SECTION("answers of another length") {
        answers[1].pop_back();
        const LayoutVerdict verdict = judge(layout_case, answers);
        CHECK_FALSE(verdict.right);
        CHECK(verdict.wrong == 512);
        CHECK(verdict.first == "plane 1 has 511 bytes and should have 512");
    }
    SECTION("an answer missing") {
        answers.pop_back();
        CHECK_THROWS_WITH(judge(layout_case, answers), Contains("has 3 planes, not 2"));
    }
    SECTION("restoring: padding taken for a scale") {
        const LayoutCase back = swizzle_of({4, 64}, LayoutDirection::restore);
        Answers restored = right_answers(back);
        for (unsigned plane = 0; plane < planes_of(back); ++plane) restored[plane][1] = layout_operand(back, plane)[4];
        CHECK(judge(back, restored).first ==
              "byte 1 is byte 4 of the buffer, padding and should be byte 1 of the buffer, that of row 0, column 1");
    }
}

TEST_CASE("padding that is not defined is not judged", "[layout]") {
    const LayoutCase layout_case = {
        {100, 96}, shapes::rowwise(32), &find_layout("shuffle_32x8"), LayoutDirection::arrange};
    Answers answers = right_answers(layout_case);
    const ScaleMap map = layout_case.map();
    for (std::size_t i = 0; i < answers[0].size(); ++i)
        if (!map.place_of(i))
            for (Bytes& answer : answers) answer[i] = static_cast<std::uint8_t>(i % 251);
    CHECK(judge(layout_case, answers).right);
    for (Bytes& answer : answers) answer[0] ^= 1U;
    CHECK_FALSE(judge(layout_case, answers).right);
}

TEST_CASE("cases together say more than each", "[layout]") {
    // Within one tile and one row nothing tells the order of tiles, or the swizzle from rows in order.
    std::vector<LayoutVerdict> verdicts;
    for (const Extent& matrix : {Extent{1, 64}, Extent{128, 64}, Extent{256, 256}}) {
        const LayoutCase layout_case = swizzle_of(matrix);
        verdicts.push_back(
            judge(layout_case, made_answers(layout_case, find_maker(layout_makers(layout_case), "tile_order"), 0x7F)));
    }
    CHECK(names_of(verdicts[0].explanations).count("not_arranged, padded with 0x7F") == 1);
    CHECK(names_of(common_explanations(verdicts)) == Names{"tile_order, padded with 0x7F"});
    CHECK(common_explanations({}).empty());
    const LayoutCase other_layout_case = swizzle_of({256, 256});
    verdicts.push_back(judge(other_layout_case, right_answers(other_layout_case)));
    CHECK(common_explanations(verdicts).empty());
}

TEST_CASE("every case is right, the largest too", "[layout][.][exhaustive]") {
    for (const LayoutCase& layout_case : layout_cases()) {
        INFO(layout_case.name());
        CHECK(judge(layout_case, right_answers(layout_case)).right);
    }
}
