// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "reference/exact/exact.hpp"

// Bernstein's inequality, decided in rational arithmetic. Let S be a sum of independent random terms, none of which
// lies more than 1 above its mean; let m be the mean of S and v its variance. Then for d > 0
//
//     P(S >= m + d) <= exp(-d^2 / (2 (v + d / 3))).
//
// (S. Bernstein 1924; Boucheron, Lugosi and Massart, Concentration Inequalities, 2013, section 2.8.) It holds for every
// number of terms: nothing here is an approximation for large samples.
namespace mxcert::suites {

/// At least the natural logarithm of 2^bits, by less than one part in 10^8.
[[nodiscard]] exact::Rational log_of_power_of_two(unsigned bits);

/// Whether the sum is too far above its mean to be chance: d^2 > 2 L (v + d / 3) with d = sum - mean and L = bits ln 2.
/// A sum as described above is with probability at most 2^-bits; one of variance 0 never is unless it exceeds its mean.
/// Sums of a smaller mean are so with no greater probability where their terms are 0 or 1. For the lower side, give the
/// sum and the mean with the other sign. Precondition: variance >= 0.
[[nodiscard]] bool exceeds(const exact::Rational& sum, const exact::Rational& mean, const exact::Rational& variance,
                           unsigned bits);

/// How many draws of an event show that its probability is off by `bias`. Let K be its count in n draws, p what its
/// probability should be and p + bias, or more, what it is. The n returned is the least for which
///
///     n bias - 2 L / 3 >= sqrt(n L),    L = (alarm_bits + miss_bits) ln 2,
///
/// about L / bias^2; then exceeds(K, n p, n p (1 - p), alarm_bits) is false with probability at most 2^-miss_bits,
/// whatever p is. Why: exceeds() holds once K - n p > D(a), with La = alarm_bits ln 2 and D(a) <= 2 La / 3 + sqrt(2 La
/// v), v <= n / 4. Seen from the true mean a miss is a deviation downward by n bias - D(a), which is at least D(b) for
/// Lb = miss_bits ln 2. With (sqrt La + sqrt Lb)^2 <= 2 (La + Lb) the sum D(a) + D(b) is at most 2 L / 3 + sqrt(n L).
/// The same downward. Throws std::invalid_argument if the bias is not in (0, 1], or so small that n is above 2^62.
[[nodiscard]] std::uint64_t draws_to_detect(const exact::Rational& bias, unsigned alarm_bits, unsigned miss_bits);

} // namespace mxcert::suites
