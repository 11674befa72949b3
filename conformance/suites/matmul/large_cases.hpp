// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "conformance/level.hpp"
#include "conformance/suites/matmul/cases.hpp"

namespace mxcert::suites {

/// Rows and columns of D, and products of a sum.
using ProductSizes = std::array<std::size_t, 3>;

/// The large sizes of a level, such as layers have: whole tiles of 128x128 and of less, more than 2^16 rows, columns
/// and products of a sum. Multiples of 16, and of 32 along the sum. None below `quick`.
[[nodiscard]] std::span<const ProductSizes> large_products(Level level);

/// A product of each of these sizes, with every kind of value: numbers of several binades, and rows and columns with
/// NaN, Inf, nothing but zeros, subnormals, the largest elements that there is room for, and NaN as a scale. Sums of
/// the largest take nearly all bits of the accumulator; all are the same in any order.
void for_each_large_case(const Matmul& matmul, Level level, const TakeMatmulCase& take);

} // namespace mxcert::suites
