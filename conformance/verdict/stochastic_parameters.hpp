// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "reference/conversion.hpp"
#include "reference/exact/exact.hpp"

// What is demanded of an implementation that draws its own random bits, and how surely it is told (docs/stochastic.md).
namespace mxcert::verdict {

/// The probability with which an input goes away from zero.
struct StochasticLaw {
    /// With bits > 0, exactly that of this rounding with so many random bits; with bits = 0, eta.
    Rounding rounding = Rounding::stochastic_a;
    unsigned bits = 0; ///< 0 to 32
    /// The probability may be off by so much to either side, 0 to 1/2. 2^-8 permits any of the three roundings with 8
    /// random bits or more.
    exact::Rational tolerance = exact::Rational(1, 256);
};

struct StochasticParameters {
    StochasticLaw law;
    /// The smallest error of a probability, beyond the tolerance, that is to be found, in (0, 1].
    exact::Rational bias = exact::Rational(1, 256);
    unsigned alarm_bits = 30;     ///< a right backend fails with probability at most 2^-alarm_bits
    unsigned miss_bits = 20;      ///< a single input off by `bias` passes with probability at most 2^-miss_bits
    std::uint64_t lanes = 65'573; ///< values a call, at least 128. Odd, so that loops over vectors have a remainder
};

} // namespace mxcert::verdict
