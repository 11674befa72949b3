// SPDX-License-Identifier: Apache-2.0
#include "conformance/measure/logarithm.hpp"

#include <cmath>
#include <limits>

namespace mxcert::measure {
namespace {

/// x = significand 2^exponent, the significand from 1 up to 2: exact.
struct Parts {
    double significand;
    int exponent;
};

Parts parts_of(double x) {
    int exponent = 0;
    const double half = std::frexp(x, &exponent);
    return {2 * half, exponent - 1};
}

} // namespace

int floor_log2(double x) { return parts_of(x).exponent; }

int ceil_log2(double x) {
    const Parts parts = parts_of(x);
    return parts.exponent + (parts.significand > 1 ? 1 : 0);
}

double log2_of(double x) {
    if (x == 0) return -std::numeric_limits<double>::infinity();
    if (!std::isfinite(x)) return x;
    auto [power, exponent] = parts_of(x);
    // The bits behind the point, from the highest: that of the square is the next one. Each square is rounded once,
    // which counts as much in the logarithm as 2^-53 in the first.
    constexpr int bits = 50;
    double fraction = 0;
    double bit = 1;
    for (int i = 0; i < bits; ++i) {
        bit /= 2;
        power *= power;
        if (power < 2) continue;
        power /= 2;
        fraction += bit;
    }
    return exponent + fraction;
}

double log10_of(double x) {
    constexpr double log10_of_2 = 0.30102999566398119521;
    return log10_of_2 * log2_of(x);
}

} // namespace mxcert::measure
