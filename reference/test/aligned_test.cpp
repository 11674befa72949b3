// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/sum/aligned.hpp"

#include <algorithm>
#include <cstdlib>

#include "catch.hpp"

using namespace mxcert;

TEST_CASE("a significand is moved toward zero by every number of places that leaves it in 64 bits", "[dot]") {
    for (const int bits : {0, 1, 2, 8, 24, 48})
        for (int places = -80; places + bits <= 63 && places <= 62; ++places)
            for (const std::int64_t sign : {1, -1}) {
                const std::int64_t significand = sign * ((std::int64_t{1} << bits) - 1);
                CAPTURE(significand, places);
                const std::int64_t factor = std::int64_t{1} << std::min(std::abs(places), 62);
                const std::int64_t moved = places >= 0 ? significand * factor : significand / factor;
                CHECK(fast::moved_toward_zero(significand, places) == moved);
            }
}
