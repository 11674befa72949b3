// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/dot/accumulator.hpp"
#include "reference/exact/dot.hpp"

namespace mxcert::exact {

/// The dot product as an accumulator makes it, step by step in rational numbers: a code of Accumulator::result. Throws
/// as check() does, and std::invalid_argument if there are no products.
[[nodiscard]] Code accumulate(const Accumulator& accumulator, const DotFormat& format, const DotOperands& operands);

} // namespace mxcert::exact
