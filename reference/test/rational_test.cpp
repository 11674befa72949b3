// SPDX-License-Identifier: Apache-2.0
// The rational numbers of the exact model against Boost's.
#include "reference/exact/rational.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "catch.hpp"
#include "reference/base/random.hpp"

using namespace mxcert;
using exact::Integer;
using exact::Rational;
using Boost = boost::multiprecision::cpp_rational;

namespace {

struct Pair {
    Rational ours;
    Boost peer;
};

Boost peer_power_of_two(int e) {
    const Integer power = Integer{1} << static_cast<unsigned>(std::abs(e));
    return e < 0 ? Boost(Integer{1}, power) : Boost(power);
}

Pair number(const Integer& n, const Integer& d, int e) {
    const Boost quotient = d < 0 ? Boost(-n, -d) : Boost(n, d); // Boost refuses a negative denominator
    return {Rational(n, d, e), Boost(quotient * peer_power_of_two(e))};
}

bool same(const Rational& ours, const Boost& peer) {
    return numerator(ours) == numerator(peer) && denominator(ours) == denominator(peer);
}

/// Zero, both signs, one limb and several, dyadic and not, exponents from subnormals of FP64 to its largest values.
std::vector<Pair> numbers() {
    std::vector<Pair> all{number(0, 1, 0), number(0, 3, 900), number(1, 1, 0), number(-1, 1, 0), number(6, -4, 0)};
    SplitMix64 random(1);
    for (const int e : {-1074, -149, -64, -1, 0, 1, 63, 128, 1023}) {
        for (const unsigned bits : {2U, 11U, 24U, 53U, 63U, 64U}) {
            const Integer n = Integer(random() >> (64 - bits)) + 1;
            all.push_back(number(n, 1, e));
            all.push_back(number(-n, 448, e));
            all.push_back(number(n, (random() >> (64 - bits)) + 1, -e));
            all.push_back(number(n * n * n - 1, 7 * n, e));
        }
    }
    return all;
}

} // namespace

TEST_CASE("rational numbers are those of Boost", "[exact][values]") {
    const std::vector<Pair> all = numbers();
    for (const Pair& a : all) {
        REQUIRE(same(a.ours, a.peer));
        REQUIRE(same(-a.ours, Boost(-a.peer)));
        REQUIRE(same(abs(a.ours), Boost(abs(a.peer))));
        REQUIRE(a.ours.sign() == a.peer.sign());
        REQUIRE(a.ours.is_zero() == a.peer.is_zero());
        for (const Pair& b : all) {
            REQUIRE(same(a.ours + b.ours, Boost(a.peer + b.peer)));
            REQUIRE(same(a.ours - b.ours, Boost(a.peer - b.peer)));
            REQUIRE(same(a.ours * b.ours, Boost(a.peer * b.peer)));
            if (!b.ours.is_zero()) REQUIRE(same(a.ours / b.ours, Boost(a.peer / b.peer)));
            REQUIRE((a.ours < b.ours) == (a.peer < b.peer));
            REQUIRE((a.ours <= b.ours) == (a.peer <= b.peer));
            REQUIRE((a.ours == b.ours) == (a.peer == b.peer));
        }
    }
}

TEST_CASE("neighbouring rational numbers are told apart", "[exact]") {
    // The comparison looks at binades first: equal ones, adjacent ones and both sides of a power of two.
    for (const Pair& a : numbers()) {
        for (const Pair& step : {number(1, 1, -1100), number(1, 3, -80)}) {
            const Rational above = a.ours + step.ours;
            CHECK(a.ours < above);
            CHECK(above > a.ours);
            CHECK(a.ours != above);
            if (a.ours.sign() <= 0) continue;
            const int e = floor_log2(a.ours);
            CHECK(exact::power_of_two(e) <= a.ours);
            CHECK(a.ours < exact::power_of_two(e + 1));
        }
    }
}

TEST_CASE("a rational number in units of a power of two", "[exact]") {
    for (const Pair& a : numbers()) {
        for (const int place : {-1100, -149, -3, 0, 7, 130}) {
            CAPTURE(a.ours.str(), place);
            const auto [whole, rest, divisor] = exact::in_units(a.ours, place);
            const Boost units = a.peer * peer_power_of_two(-place);
            REQUIRE(divisor > 0);
            REQUIRE(whole == numerator(units) / denominator(units));
            REQUIRE(Boost(whole) + Boost(rest, divisor) == units);
        }
    }
}

TEST_CASE("the FP64 value nearest to a rational number", "[exact]") {
    constexpr double smallest = std::numeric_limits<double>::denorm_min();
    for (const double x : {0.0, 1.0, -0.1, 448.0, smallest, -3 * smallest, std::numeric_limits<double>::max()})
        CHECK(static_cast<double>(Rational(numerator(Boost(x)), denominator(Boost(x)))) == x);
    CHECK(static_cast<double>(Rational(1, 3)) == 1.0 / 3.0);
    CHECK(static_cast<double>(Rational(-2, 3)) == -2.0 / 3.0);
    // Ties go to the even significand, in the subnormals too; half of the smallest is a tie with zero.
    CHECK(static_cast<double>(Rational((Integer{1} << 53) + 1)) == 0x1p53);
    CHECK(static_cast<double>(Rational((Integer{1} << 53) + 3)) == 0x1.0000000000002p53);
    CHECK(static_cast<double>(exact::power_of_two(-1075)) == 0.0);
    CHECK(static_cast<double>(3 * exact::power_of_two(-1075)) == 2 * smallest);
    CHECK(static_cast<double>(5 * exact::power_of_two(-1077)) == smallest); // not rounded twice
    CHECK(std::isinf(static_cast<double>(exact::power_of_two(1024))));
}

TEST_CASE("rational numbers as text", "[exact]") {
    CHECK(Rational(0).str() == "0");
    CHECK(Rational(-12, 4).str() == "-3");
    CHECK(Rational(14, -16).str() == "-7/8");
    CHECK(exact::power_of_two(7).str() == "128");
}

TEST_CASE("a rational number has no zero below its line", "[exact]") {
    CHECK_THROWS_AS(Rational(1, 0), std::domain_error);
    CHECK_THROWS_AS(Rational(1) / Rational(0), std::domain_error);
}
