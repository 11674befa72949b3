// SPDX-License-Identifier: Apache-2.0
// Parts of tables by hand, and the fault of a sticky bit that is not looked at, input by input.
#include "vectors/tables/step_parts.hpp"

#include <bit>

#include "catch.hpp"
#include "vectors/faults/sticky_fault.hpp"
#include "vectors/tables/tabulate.hpp"

using namespace mxcert;
using formats::e4m3;
using formats::fp16;

namespace {

/// The ranges as pairs, to compare and print.
std::vector<std::pair<Code, Code>> pairs(const InputRanges& ranges) {
    std::vector<std::pair<Code, Code>> all;
    for (const InputRange& range : ranges) all.emplace_back(range.first, range.last);
    return all;
}

using Pairs = std::vector<std::pair<Code, Code>>;

Code answer(const StepTable& table, Code input) { return table.steps[find_step(table, input)].code; }

} // namespace

TEST_CASE("ranges of inputs meet, and are drawn together", "[tables]") {
    const InputRanges three{{0, 9}, {20, 29}, {40, 49}, {70, 80}};
    const InputRanges other{{5, 24}, {26, 27}, {45, 60}};
    CHECK(count_inputs(InputRanges{}) == 0);
    CHECK(count_inputs(three) == 41);
    CHECK(pairs(intersection(three, other)) == Pairs{{5, 9}, {20, 24}, {26, 27}, {45, 49}});
    CHECK(pairs(intersection(other, three)) == Pairs{{5, 9}, {20, 24}, {26, 27}, {45, 49}});
    CHECK(intersection(three, {}).empty());
    CHECK(pairs(united(three, other)) == Pairs{{0, 29}, {40, 60}, {70, 80}});
    CHECK(pairs(united({{0, 3}, {10, 20}}, {{4, 5}, {11, 12}})) == Pairs{{0, 5}, {10, 20}});
}

TEST_CASE("where two tables have the same answer, and where another", "[tables]") {
    const std::vector<Step> a{{0, 9, 1}, {20, 29, 2}, {40, 49, 3}, {70, 80, 5}};
    const std::vector<Step> b{{5, 22, 1}, {23, 27, 2}, {45, 60, 4}};
    CHECK(pairs(where(a, b, true)) == Pairs{{5, 9}, {23, 27}});
    CHECK(pairs(where(a, b, false)) == Pairs{{20, 22}, {45, 49}});
    CHECK(pairs(where(b, a, false)) == Pairs{{20, 22}, {45, 49}});
    CHECK(where(a, {}, true).empty());
}

TEST_CASE("without a sticky bit an input is rounded as the tie beside it", "[tables]") {
    for (const Overflow overflow : {Overflow::sat, Overflow::nosat, Overflow::sat_finite}) {
        Choices choices;
        choices.overflow = overflow;
        const StepTable right = tabulate(fp16, e4m3, choices);
        std::size_t wrong_ones = 0;
        for (unsigned bit = 0; bit < 10; ++bit) {
            const StepTable wrong = without_sticky_bit(right, bit);
            CHECK(broken(wrong).empty());
            for (Code input = 0; input <= fp16.last_code(); ++input) {
                const Code tie = input ^ (Code{1} << bit);
                // The bit alone is set below the round bit: the input before it ends a step, and nothing does between.
                const bool alone = tie<input&& static_cast<unsigned>(std::countr_zero(tie))> bit &&
                                   (tie & fp16.magnitude_mask()) != 0 && fp16.is_finite(tie) &&
                                   fp16.is_finite(tie + 1) && answer(right, tie + 1) == answer(right, input);
                const Code expected = answer(right, alone ? tie : input);
                if (answer(wrong, input) != expected) FAIL("bit " << bit << ", input " << input);
                wrong_ones += expected != answer(right, input) ? 1 : 0;
            }
        }
        CHECK(wrong_ones > 500);
    }
}

TEST_CASE("a sticky bit beside the ends of steps", "[tables]") {
    const auto wrong = [](const std::vector<Step>& steps, unsigned bit) {
        return without_sticky_bit({&fp16, &e4m3, steps}, bit).steps;
    };
    // The tie 8, and a step of one input, which goes to the one before.
    CHECK(wrong({{0, 8, 0}, {9, 9, 1}, {10, 0xFFFF, 2}}, 0) == std::vector<Step>{{0, 9, 0}, {10, 0xFFFF, 2}});
    CHECK(wrong({{0, 8, 0}, {9, 0xFFFF, 1}}, 1) ==
          std::vector<Step>{{0, 8, 0}, {9, 9, 1}, {10, 10, 0}, {11, 0xFFFF, 1}});
    // Nothing changes beyond the step, for a bit of the tie itself, and beside zero, which is no tie.
    for (const std::vector<Step>& steps : {std::vector<Step>{{0, 8, 0}, {9, 9, 1}, {10, 0xFFFF, 2}},
                                           {{0, 10, 0}, {11, 0xFFFF, 1}},
                                           {{0, 0, 0}, {1, 0xFFFF, 1}}})
        CHECK(wrong(steps, 1) == steps);
}
