// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/stochastic/bernstein.hpp"

#include <stdexcept>

namespace mxcert::suites {

using exact::Rational;

Rational log_of_power_of_two(unsigned bits) {
    // ln 2 = 0.693147180559...
    return Rational(bits) * Rational(693'147'181, 1'000'000'000);
}

bool exceeds(const Rational& sum, const Rational& mean, const Rational& variance, unsigned bits) {
    const Rational d = sum - mean;
    if (d <= 0) return false;
    if (variance == 0) return true;
    return d * d > 2 * log_of_power_of_two(bits) * (variance + d / 3);
}

std::uint64_t draws_to_detect(const Rational& bias, unsigned alarm_bits, unsigned miss_bits) {
    if (bias <= 0 || bias > 1) throw std::invalid_argument("the bias to be detected is not above 0 and at most 1");
    const Rational log = log_of_power_of_two(alarm_bits + miss_bits);
    const auto enough = [&](std::uint64_t n) {
        const Rational rest = Rational(n) * bias - 2 * log / 3;
        return rest >= 0 && rest * rest >= Rational(n) * log;
    };
    // Once enough, always enough: n bias grows faster than sqrt(n L) where the first is the larger.
    constexpr std::uint64_t most = std::uint64_t{1} << 62;
    std::uint64_t high = 1;
    while (!enough(high)) {
        if (high == most) throw std::invalid_argument("the bias to be detected is too small: more than 2^62 draws");
        high *= 2;
    }
    std::uint64_t low = high / 2; // not enough, or 0
    while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        (enough(middle) ? high : low) = middle;
    }
    return high;
}

} // namespace mxcert::suites
