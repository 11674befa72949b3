// SPDX-License-Identifier: Apache-2.0
#include "conformance/measure/logarithm.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "catch.hpp"
#include "reference/base/random.hpp"

using namespace mxcert;
using namespace mxcert::measure;

TEST_CASE("logarithms that no C library has a say in", "[measure]") {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    for (int exponent = -1074; exponent <= 1023; ++exponent) {
        CAPTURE(exponent);
        const double power = std::ldexp(1.0, exponent);
        CHECK(floor_log2(power) == exponent);
        CHECK(ceil_log2(power) == exponent);
        CHECK(log2_of(power) == exponent);
        if (exponent < -1022) continue; // the neighbours of the others lie within the binades beside it
        CHECK(floor_log2(std::nextafter(power, infinite)) == exponent);
        CHECK(ceil_log2(std::nextafter(power, infinite)) == exponent + 1);
        if (exponent == -1022) continue;
        CHECK(floor_log2(std::nextafter(power, 0)) == exponent - 1);
        CHECK(ceil_log2(std::nextafter(power, 0)) == exponent);
    }
    // To the last bit, as they came out once.
    CHECK(std::bit_cast<std::uint64_t>(log2_of(3)) == 0x3FF9'5C01'A39F'BD68);
    CHECK(std::bit_cast<std::uint64_t>(log10_of(1000)) == 0x4008'0000'0000'0000);
    SplitMix64 random(21);
    for (int i = 0; i < 20'000; ++i) {
        const auto x = std::bit_cast<double>(random() & 0x7FEF'FFFF'FFFF'FFFF);
        CAPTURE(x);
        CHECK(std::abs(log2_of(x) - std::log2(x)) < 1e-12);
        CHECK(std::abs(log10_of(x) - std::log10(x)) < 1e-12);
    }
    CHECK(log2_of(0) == -infinite);
    CHECK(log2_of(infinite) == infinite);
    CHECK(std::isnan(log2_of(std::numeric_limits<double>::quiet_NaN())));
}
