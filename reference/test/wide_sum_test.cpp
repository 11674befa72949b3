// SPDX-License-Identifier: Apache-2.0
// The fixed-point sum of the fast model against rational numbers: carries and borrows that run through words of ones.
#include "reference/fast/wide_sum.hpp"

#include <vector>

#include "catch.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/rational.hpp"

using namespace mxcert;
using exact::Integer;
using exact::Rational;

namespace {

constexpr int lowest_place = -150;
constexpr int highest_place = 250;

Rational rational_of(const fast::Term& term) {
    const Integer high(static_cast<std::uint64_t>(term.significand >> 64));
    const Integer low(static_cast<std::uint64_t>(term.significand));
    const Rational magnitude = exact::times_power_of_two(Integer(high << 64U) + low, term.exponent);
    return term.negative ? Rational(-magnitude) : magnitude;
}

/// A word of ones, zeros, both, or anything.
std::uint64_t striped_word(SplitMix64& random) {
    const std::uint64_t kind = random.below(4);
    const std::uint64_t word = random();
    if (kind == 0) return ~std::uint64_t{0};
    if (kind == 1) return 0;
    return kind == 2 ? ~std::uint64_t{0} << word % 64 : word;
}

fast::Term striped_term(SplitMix64& random) {
    const std::uint64_t high = striped_word(random);
    const std::uint64_t low = striped_word(random);
    const bool negative = random.below(2) == 0;
    // At the ends of words more often than elsewhere.
    const std::uint64_t place = random.below(2) == 0 ? random.below(4) * 64 : random.below(230);
    return {fast::TermKind::finite, negative, fast::Wide{high} << 64 | low, lowest_place + static_cast<int>(place)};
}

} // namespace

TEST_CASE("a sum in fixed point is the sum of the rational numbers", "[dot]") {
    SplitMix64 random(81);
    std::size_t sticky = 0;
    for (int round = 0; round < 3000; ++round) {
        fast::WideSum sum(lowest_place, highest_place);
        Rational expected = 0;
        const std::uint64_t count = 1 + random.below(4);
        for (std::uint64_t i = 0; i < count; ++i) {
            const fast::Term term = striped_term(random);
            sum.add(term);
            expected += rational_of(term);
        }
        const fast::WideSum::Leading leading = sum.leading();
        const Rational found = rational_of(leading.term);
        CAPTURE(round);
        REQUIRE(leading.term.negative == (expected < 0));
        if (leading.sticky) {
            ++sticky;
            // Cut toward zero at the last of 128 bits.
            REQUIRE(fast::width_of(leading.term.significand) == 128);
            const Rational rest = abs(expected) - abs(found);
            REQUIRE(rest > 0);
            REQUIRE(rest < exact::power_of_two(leading.term.exponent));
        } else {
            REQUIRE(found == expected);
        }
    }
    CHECK(sticky > 100);
}

TEST_CASE("a carry runs through a word that is all ones", "[dot]") {
    const std::uint64_t ones = ~std::uint64_t{0};
    // 2^64 - 1 at the lowest place, and 2^128 - 1: the carry of the lowest words goes into a word of ones that stays.
    fast::WideSum sum(0, 200);
    sum.add({fast::TermKind::finite, false, ones, 0});
    sum.add({fast::TermKind::finite, false, fast::Wide{ones} << 64 | ones, 0});
    // 2^128 + 2^64 - 2
    const fast::WideSum::Leading leading = sum.leading();
    CHECK(leading.term.exponent == 1);
    CHECK(leading.term.significand == (fast::Wide{1} << 127 | fast::Wide{ones} >> 1));
    CHECK_FALSE(leading.sticky);
    CHECK_FALSE(leading.term.negative);
}
