// SPDX-License-Identifier: Apache-2.0
#include "conformance/measure/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/exact.hpp"

using namespace mxcert;
using namespace mxcert::measure;

namespace {

/// The same by rational numbers.
double slow_sum(const std::vector<double>& terms) {
    exact::Rational sum = 0;
    for (const double term : terms) {
        const exact::Value value = exact::decode(formats::fp64, std::bit_cast<std::uint64_t>(term));
        sum += exact::number(value);
    }
    if (sum == 0) return 0;
    const bool negative = sum < 0;
    const exact::Rational magnitude = abs(sum);
    const exact::Rounded rounded = exact::round(formats::fp64, magnitude, negative, Rounding::nearest_even);
    const auto nearest = std::bit_cast<double>(exact::encode(formats::fp64, rounded.value));
    return negative ? -nearest : nearest;
}

double fast_sum(const std::vector<double>& terms) {
    ExactSum sum;
    for (const double term : terms) sum.add(term);
    return sum.value();
}

/// A finite double whose exponent field is from `lowest` to `lowest` + `span` - 1.
double random_double(SplitMix64& random, std::uint64_t lowest, std::uint64_t span) {
    const std::uint64_t field = lowest + random.below(span);
    return std::bit_cast<double>((random() & 0x800FFFFFFFFFFFFF) | field << 52);
}

} // namespace

TEST_CASE("a sum is exact and rounded once", "[measure]") {
    constexpr double max = std::numeric_limits<double>::max();
    constexpr double least = std::numeric_limits<double>::denorm_min();
    CHECK(fast_sum({}) == 0);
    CHECK(fast_sum({max, 1, -max}) == 1);
    CHECK(fast_sum({max, least, -max}) == least);
    CHECK(fast_sum({1, 0x1p-53}) == 1);                     // a tie to even
    CHECK(fast_sum({1, 0x1p-53, least}) == 1 + 0x1p-52);    // no tie
    CHECK(fast_sum({1 + 0x1p-52, 0x1p-53}) == 1 + 0x1p-51); // a tie to even, upward
    CHECK(fast_sum({-1, -0x1p-53, -least}) == -1 - 0x1p-52);
    CHECK(fast_sum({max, max}) == std::numeric_limits<double>::infinity());
    CHECK(fast_sum({max, max, -max}) == max);
    CHECK(fast_sum({0.1, 0.2, -0.3, -0.0}) == slow_sum({0.1, 0.2, -0.3}));
}

TEST_CASE("sums agree with rational numbers, in every order and in pieces", "[measure]") {
    SplitMix64 random(7);
    for (const std::uint64_t span : {1U, 3U, 60U, 2046U})
        for (int i = 0; i < 60; ++i) {
            std::vector<double> terms(1 + random.below(40));
            const std::uint64_t lowest = random.below(2047 - span);
            for (double& term : terms) term = random_double(random, lowest, span);
            const double sum = fast_sum(terms);
            REQUIRE(sum == slow_sum(terms));
            std::reverse(terms.begin(), terms.end());
            REQUIRE(sum == fast_sum(terms));
            ExactSum whole;
            ExactSum part;
            for (std::size_t k = 0; k < terms.size(); ++k) (k % 3 == 0 ? part : whole).add(terms[k]);
            whole.add(part);
            REQUIRE(sum == whole.value());
        }
}

TEST_CASE("carries of many terms of one sign are in time", "[measure]") {
    ExactSum sum;
    constexpr double term = 0x1.fffffffffffffp+33; // nearly 2^52 in one limb
    for (int i = 0; i < 5000; ++i) sum.add(-term);
    CHECK(sum.value() == -5000 * term);
}
