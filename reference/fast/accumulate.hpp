// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "reference/dot/accumulator.hpp"

namespace mxcert::fast {

/// The dot product as an accumulator makes it, in integers: a code of Accumulator::result. Every accumulator and every
/// format it takes is offered. Throws as check() does, and std::invalid_argument if there are no products.
[[nodiscard]] Code accumulate(const Accumulator& accumulator, const DotFormat& format, const DotOperands& operands);

/// Dot products by one accumulator, one after the other. Used by one thread at a time.
class Accumulate {
  public:
    /// Throws std::invalid_argument if the accumulator does not take the formats.
    Accumulate(const Accumulator& accumulator, const DotFormat& format);
    ~Accumulate();
    Accumulate(Accumulate&&) noexcept;
    Accumulate& operator=(Accumulate&&) noexcept;
    Accumulate(const Accumulate&) = delete;
    Accumulate& operator=(const Accumulate&) = delete;

    /// As accumulate(). Precondition: check() of the operands would not throw, and there are products.
    [[nodiscard]] Code operator()(const DotOperands& operands);

  private:
    class Steps;
    std::unique_ptr<Steps> steps_;
};

} // namespace mxcert::fast
