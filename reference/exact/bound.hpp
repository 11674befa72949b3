// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "reference/dot/accumulator.hpp"
#include "reference/exact/exact.hpp"

namespace mxcert::exact {

/// How far an accumulator can be from the exact sum.
struct Bound {
    Rational sum;   ///< the real number that the operands say
    Rational error; ///< no result is further from it, in whatever order the products are taken
};

/// The bound of docs/matmul.md for these operands, proven in bound.cpp: for every order of the products, filled up
/// with zeros to whole instructions, in groups of Accumulator::group, c first. An error of 0 says that there is one
/// right answer. Nothing where none can be given: an operand is Inf or NaN, the sum may pass the largest value of the
/// result, there are more products than the precision carries, or scales multiply what is promoted. Throws as
/// accumulate() does.
[[nodiscard]] std::optional<Bound> bound(const Accumulator& accumulator, const DotFormat& format,
                                         const DotOperands& operands);

} // namespace mxcert::exact
