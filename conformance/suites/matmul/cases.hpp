// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/cases/given_case.hpp"
#include "conformance/frames/run.hpp"
#include "reference/operation/operation.hpp"

// Cases for a matrix product. What the sum of many products is depends on how it is added; so most cases are such that
// it does not: each sum along the way is exact in every accumulator there is.
namespace mxcert::suites {

/// One product: its sizes and its operands, as codes in the order they lie in.
struct MatmulCase {
    std::string name;
    MatmulShape shape;
    std::vector<Code> a;
    std::vector<Code> b;
    std::vector<Code> scales_a; ///< empty without scales
    std::vector<Code> scales_b;
    std::vector<Code> c; ///< m x n; zeros where the operation has none
    Code tensor_a = 0;   ///< of an epilogue: the number of the tensor, a code of binary32
    Code tensor_b = 0;
    bool exact = false; ///< no order of the products loses anything, in any accumulator

    [[nodiscard]] MatmulOperands operands() const { return {a, b, scales_a, scales_b, c}; }
};

/// The code of a number that the format has; of any other nothing can be said.
[[nodiscard]] Code code_of(const Format& format, double value);
/// A NaN of a format that has any: all ones, but of one without -0 what would be that.
[[nodiscard]] inline Code nan_of(const Format& format) {
    return format.is_nan(format.magnitude_mask()) ? format.magnitude_mask() : format.sign_bit();
}

/// A product of these sizes with every element and c zero, and every scale 1.
[[nodiscard]] MatmulCase zero_case(const Matmul& matmul, std::size_t m, std::size_t n, std::size_t k);

/// Takes a case; false if there is no use in going on.
using TakeMatmulCase = std::function<bool(const MatmulCase&)>;

/// Every place: A selects rows of B and B columns of A, so that each element of D tells which elements, which scales
/// and which c it is made of; and sums of many small whole numbers. Every sum along the way, in whatever order, is a
/// number of 11 bits. Sizes from 1x1x1 up, many that nothing divides.
void for_each_place_case(const Matmul& matmul, const TakeMatmulCase& take);

/// NaN, Inf and -0 at each place of the sum, in A, in B, in the scales and in c; Inf times zero, Inf minus Inf.
void for_each_special_case(const Matmul& matmul, const TakeMatmulCase& take);

/// Whether scales are small floats, as those of NVFP4 are: for_each_scale_case() asks every code of them.
[[nodiscard]] bool has_small_float_scales(const Matmul& matmul);

/// Every code of a scale in one block of A, and of B, with every pair of elements of E2M1, and 16 codes of any other
/// format, in one place of that block: zeros, subnormals and NaN among the scales. Precondition:
/// has_small_float_scales().
void for_each_scale_case(const Matmul& matmul, const TakeMatmulCase& take);

/// Sums that are not exact: one huge product among small ones, cancellation, alternating signs, every exponent,
/// subnormal elements and scales, and seeded ones. No NaN, no Inf.
void for_each_value_case(const Matmul& matmul, unsigned samples, std::uint64_t seed, const TakeMatmulCase& take);

/// What a backend is asked.
[[nodiscard]] frames::RunCase run_of(const Matmul& matmul, const MatmulCase& matmul_case);

/// Whether a kernel for whole tiles may not take these sizes.
[[nodiscard]] bool may_refuse(const Matmul& matmul, const MatmulCase& matmul_case);

/// The case with zeros behind its operands, up to sizes that may_refuse() does not name; scales of nothing but those
/// are 1. For those who refuse all else.
[[nodiscard]] MatmulCase filled(const Matmul& matmul, const MatmulCase& matmul_case);

/// A case that was written down.
[[nodiscard]] MatmulCase case_of(const Matmul& matmul, const cases::GivenCase& given_case);

} // namespace mxcert::suites
