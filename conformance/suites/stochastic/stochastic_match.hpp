// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "conformance/suites/stochastic/stochastic.hpp"

// Generators that would have given counts like these: each count of a tally is compared with the probability that such
// a generator has for the input, at the level of the plan.
namespace mxcert::suites::stochastic {

/// The rounding without random bits, if it is one.
[[nodiscard]] std::optional<Rounding> matching_rounding(const Tally& tally);

/// Noise of one size, added to the value.
struct Noise {
    exact::Rational unit;   ///< its range is of this length
    bool early = false;     ///< added before the value is multiplied by Input::factor
    bool truncated = false; ///< it is in [0, unit) and the sum is truncated; else in [-unit / 2, unit / 2) and rounded
};
/// The noise of a size that is a power of two, if it is such; not where it is so small that it decides ties alone, and
/// early only where there are several factors.
[[nodiscard]] std::optional<Noise> matching_noise(const Tally& tally);

/// The stochastic roundings that agree, from few random bits to many; no further numbers of bits after three of them.
[[nodiscard]] std::vector<Law> matching_laws(const Tally& tally);

} // namespace mxcert::suites::stochastic
