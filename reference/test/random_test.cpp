// SPDX-License-Identifier: Apache-2.0
#include "reference/base/random.hpp"

#include "catch.hpp"
#include "reference/exact/rational.hpp"

using namespace mxcert;

namespace {

/// floor(word x bound / 2^64).
std::uint64_t high_half(std::uint64_t word, std::uint64_t bound) {
    const exact::Rational product = exact::Rational(word) * exact::Rational(bound);
    return static_cast<std::uint64_t>(exact::in_units(product, 64).whole);
}

/// Of an odd number modulo 2^64.
std::uint64_t reciprocal(std::uint64_t odd) {
    std::uint64_t y = odd; // right in three bits, then in twice as many each time
    for (int i = 0; i < 5; ++i) y *= 2 - odd * y;
    return y;
}

} // namespace

TEST_CASE("a number below a bound is the high half of the word times the bound", "[random]") {
    SplitMix64 random(1);
    for (unsigned i = 0; i < 4000; ++i) {
        const std::uint64_t seed = random();
        const std::uint64_t word = SplitMix64(seed)();
        std::uint64_t bound = random() >> i % 64;
        // A product just above or below a multiple of 2^64 shows whether each carry is there.
        if (i % 2 == 0 && (word & 1) != 0) bound = reciprocal(word) * ((random() >> 28) - (std::uint64_t{1} << 35));
        if (bound == 0) continue;
        CAPTURE(seed, bound);
        REQUIRE(SplitMix64(seed).below(bound) == high_half(word, bound));
    }
}
