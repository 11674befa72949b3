// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/dot/dot.hpp"
#include "reference/fast/wide_sum.hpp"

/// Dot products by the fast model: a fixed-point sum wide enough for every term.
namespace mxcert::fast {

/// Whether the fast model offers it: every format and choice that check() takes but nearest_log2, and factors whose
/// significands have 106 bits together.
[[nodiscard]] bool offers_dot(const DotFormat& format, const Choices& choices);

/// Dot products of one format, one after the other. A Dot is used by one thread at a time.
class Dot {
  public:
    /// Throws std::invalid_argument if it is not offered.
    Dot(const DotFormat& format, const Choices& choices);

    /// The dot product. `random` has `random_bits` bits, 1 to 32; stochastic roundings read it. Throws as check() does,
    /// and std::invalid_argument if the random bits do not fit.
    [[nodiscard]] Code operator()(const DotOperands& operands, std::uint32_t random = 0, unsigned random_bits = 0);

  private:
    DotFormat format_;
    Choices choices_;
    WideSum sum_;
};

} // namespace mxcert::fast
