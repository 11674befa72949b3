// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "conformance/cases/given_case.hpp"
#include "conformance/frames/run.hpp"
#include "conformance/level.hpp"
#include "conformance/suites/scaled_matmul/scaled_case.hpp"
#include "reference/operation/operation.hpp"

// Cases for a matrix product with an epilogue. The sums are small whole numbers, which every accumulator has exactly;
// what is tested is what becomes of them.
namespace mxcert::suites {

/// Sizes from 1x1x1 up, in which each row and column has a scale and a bias of its own; and the largest value in each
/// place of D, of either sign.
void for_each_scaled_place_case(const ScaledMatmul& scaled, const TakeScaledCase& take);

/// Those of for_each_large_case() with scales and biases of their own, and for an amax one without NaN.
void for_each_scaled_large_case(const ScaledMatmul& scaled, Level level, const TakeScaledCase& take);

/// NaN, Inf, zeros, negative and subnormal scales, the same of blocks as far as their format has them, biases that
/// cancel the product of sum and scales but for what is rounded, D beyond its largest value and below its smallest.
void for_each_scaled_special_case(const ScaledMatmul& scaled, const TakeScaledCase& take);

/// D of nothing but zeros of a sign, NaN, Inf, its largest value, what is beyond that, or subnormals: code that treats
/// a whole vector of them by itself must not differ.
void for_each_scaled_alike_case(const ScaledMatmul& scaled, const TakeScaledCase& take);

/// Seeded scales and biases of many magnitudes, of any operands.
void for_each_scaled_value_case(const ScaledMatmul& scaled, unsigned samples, std::uint64_t seed,
                                const TakeScaledCase& take);

/// What a backend is asked.
[[nodiscard]] frames::RunCase run_of(const ScaledMatmul& scaled, const ScaledCase& scaled_case);

/// The product without its epilogue, as a case of "matmul"; and what it was made of with the operands of such a case.
[[nodiscard]] MatmulCase product_of(const ScaledCase& scaled_case);
[[nodiscard]] ScaledCase with_product(ScaledCase scaled_case, const MatmulCase& product);

/// As filled() of the product; scales and biases of what is behind it are 1 and 0. For those who refuse all else.
[[nodiscard]] ScaledCase filled(const ScaledMatmul& scaled, const ScaledCase& scaled_case);

/// A case that was written down.
[[nodiscard]] ScaledCase case_of(const ScaledMatmul& scaled, const cases::GivenCase& given_case);

} // namespace mxcert::suites
