// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "reference/dot/accumulator.hpp"
#include "reference/fast/isa.hpp"

// Sums in binary32 or binary64, one product after the other, by the machine's own arithmetic: that of software. A
// column of B is a lane.
namespace mxcert::fast {

/// Columns of B that are added side by side.
inline constexpr std::size_t float_lanes = 32;

/// Whether IEEE arithmetic in `Real`, float or double, with the rounding to nearest makes what the accumulator makes,
/// but for the code of a NaN.
template <class Real> [[nodiscard]] bool has_float_lanes(const Accumulator& model, const DotFormat& format);

/// Adds k products to each lane: a has one factor for each, b float_lanes. group: 0, or so many products are added
/// from zero, and their sum to the lane's. Precondition: the thread rounds to nearest and flushes nothing.
template <class Real>
using AddFloats = void (*)(bool fma, std::size_t group, const Real* a, const Real* b, std::size_t k, Real* sums);

/// The loop for an instruction set. Precondition: the machine runs it.
template <class Real> [[nodiscard]] AddFloats<Real> add_floats(Isa isa);

} // namespace mxcert::fast
