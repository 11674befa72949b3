// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "conformance/level.hpp"
#include "conformance/suites/linear/linear_case.hpp"

// Cases for a product of a linear layer: tensors of high precision, quantized and multiplied.
namespace mxcert::suites {

/// Tensors of ordinary, small and large values, such that blocks of rows and blocks of columns differ in their scales,
/// that each scale rule and each format of elements gives other elements, and that some lines are zero. Sizes that a
/// recipe refuses are left out. With C each is followed by a second step, whose C is the D of the first.
void for_each_value_case(const Linear& linear, unsigned samples, std::uint64_t seed, const TakeLinearCase& take);

/// NaN, Inf unless an MXFP8 recipe does not say what it gives, -0, zeros, subnormals and the largest value in each
/// tensor, and a D of nothing but one kind of these.
void for_each_special_case(const Linear& linear, std::uint64_t seed, const TakeLinearCase& take);

/// At the level `standard` and those that ask more: a layer of several tiles of 128x128 each way, blocks of zeros among
/// its values, and NaN and Inf in it. Not where any order is permitted: its bound is computed in rational numbers.
void for_each_large_case(const Linear& linear, Level level, std::uint64_t seed, const TakeLinearCase& take);

} // namespace mxcert::suites
