// SPDX-License-Identifier: Apache-2.0
// Numbers of the fast model rounded to values, against the values of the codes that they are rounded to: at both ends
// of each format above all, where a carry leads out of the normal numbers.
#include "reference/fast/term.hpp"

#include "catch.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/dot.hpp"
#include "reference/fast/dot.hpp"
#include "reference/fast/factor.hpp"

using namespace mxcert;

namespace {

constexpr int most_bits = 106;

/// A significand of `width` bits: all ones, one bit, ones with zeros below, or anything.
fast::Wide significand_of(int width, SplitMix64& random) {
    const fast::Wide lead = fast::Wide{1} << (width - 1);
    const fast::Wide ones = lead | (lead - 1);
    const std::uint64_t kind = random.below(4);
    if (kind == 0) return ones;
    if (kind == 1) return lead;
    const auto place = static_cast<int>(random.below(static_cast<std::uint64_t>(width)));
    if (kind == 2) return ones >> place << place;
    const fast::Wide high = random();
    const fast::Wide low = random();
    return lead | ((high << 64 | low) & ones);
}

/// Equal numbers have equal ones: zeros below the leading bit of 128.
fast::Term aligned(fast::Term term) {
    if (term.kind != fast::TermKind::finite || term.significand == 0) return {term.kind, term.negative, 0, 0};
    const int up = 128 - fast::width_of(term.significand);
    return {term.kind, term.negative, term.significand << up, term.exponent - up};
}

bool equal(const fast::Term& x, const fast::Term& y) {
    const fast::Term a = aligned(x);
    const fast::Term b = aligned(y);
    return a.kind == b.kind && (a.kind == fast::TermKind::nan || a.negative == b.negative) &&
           a.significand == b.significand && a.exponent == b.exponent;
}

/// The number of a term, exactly.
exact::Value value_of(const fast::Term& term) {
    const auto high = static_cast<std::uint64_t>(term.significand >> 64);
    const auto low = static_cast<std::uint64_t>(term.significand);
    const exact::Rational significand = exact::times_power_of_two(high, 64) + exact::Rational(low);
    return {exact::Kind::finite, term.negative, significand * exact::power_of_two(term.exponent), 0};
}

constexpr Rounding every_rounding[] = {Rounding::nearest_even,   Rounding::nearest_away, Rounding::nearest_zero,
                                       Rounding::toward_zero,    Rounding::up,           Rounding::down,
                                       Rounding::away_from_zero, Rounding::to_odd};

} // namespace

TEST_CASE("a rounded number is the value of its code", "[values][term]") {
    SplitMix64 random(11);
    std::size_t beyond = 0; // results that are not finite
    std::size_t tiny = 0;   // results below the normal numbers
    for (const Format& format : all_formats()) {
        if (format.scale != nullptr) continue;
        CAPTURE(format.name);
        for (int pass = 0; pass < 4000; ++pass) {
            Choices choices;
            choices.overflow = Overflow::nosat;
            choices.rounding = every_rounding[random.below(std::size(every_rounding))];
            const int width = 1 + static_cast<int>(random.below(most_bits));
            const bool negative = random.below(2) != 0;
            const fast::Wide significand = significand_of(width, random);
            // The leading bit near the smallest normal number, near the largest, or anywhere.
            const int near = static_cast<int>(random.below(5)) - 2;
            const std::uint64_t where = random.below(3);
            const auto binades = static_cast<std::uint64_t>(format.emax() - format.emin() + 1);
            const int anywhere = format.emin() + static_cast<int>(random.below(binades));
            const int binade = where == 0 ? format.emin() + near : where == 1 ? format.emax() + near : anywhere;
            const bool sticky = width >= 90 && random.below(2) != 0;
            const fast::Term term{fast::TermKind::finite, negative, significand, binade - width + 1};
            const fast::Term of_code = fast::term_of(format, fast::result_of(format, choices, term, sticky));
            CAPTURE(choices.rounding, width, binade, negative, sticky);
            REQUIRE(equal(fast::rounded(format, choices, term, sticky), of_code));
            beyond += of_code.kind != fast::TermKind::finite ? 1 : 0;
            tiny += of_code.kind == fast::TermKind::finite &&
                            fast::width_of(of_code.significand) + of_code.exponent <= format.emin()
                        ? 1
                        : 0;
        }
    }
    CHECK(beyond > 1000);
    CHECK(tiny > 1000);
}

TEST_CASE("a sum of two numbers is rounded as the exact sum is", "[values][term]") {
    SplitMix64 random(12);
    for (int pass = 0; pass < 20'000; ++pass) {
        Choices choices = dot_choices(every_rounding[random.below(std::size(every_rounding))]);
        const auto draw = [&](int exponent) -> fast::Term {
            const int width = 1 + static_cast<int>(random.below(most_bits));
            return {fast::TermKind::finite, random.below(2) != 0, significand_of(width, random), exponent};
        };
        // Side by side, one partly below the other, and one far below.
        const fast::Term x = draw(0);
        const fast::Term y = draw(static_cast<int>(random.below(300)) - 150);
        const exact::Value sum = exact::sum({value_of(x), value_of(y)}, Rounding::nearest_even);
        CAPTURE(choices.rounding, fast::width_of(x.significand), fast::width_of(y.significand), y.exponent);
        REQUIRE(fast::result_of(formats::fp64, choices, fast::add(x, y)) == exact::result(formats::fp64, choices, sum));
    }
}

TEST_CASE("a factor is the value of its code", "[term]") {
    for (const Format& format : all_formats()) {
        if (format.scale != nullptr || format.rectified || format.width() > 16) continue;
        CAPTURE(format.name);
        const Code stride = format.width() > 8 ? 37 : 1;
        for (Code code = 0; code <= format.last_code(); code += stride) {
            const fast::Factor factor = fast::Factors::factor_of(format, code);
            const exact::Value value = exact::decode(format, code);
            CAPTURE(code);
            REQUIRE(factor.special == (value.kind != exact::Kind::finite));
            if (factor.special) continue;
            REQUIRE(exact::times_power_of_two(factor.significand, factor.place) == exact::number(value));
            const bool is_zero = value.magnitude.is_zero();
            REQUIRE((factor.exponent == fast::Factor::of_zero) == is_zero);
            if (is_zero) continue;
            REQUIRE(factor.exponent == std::max(exact::floor_log2(value.magnitude), format.emin()));
        }
    }
}
