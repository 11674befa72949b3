// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/dot/dot.hpp"
#include "reference/exact/exact.hpp"

/// Dot products by the definition: one real number, rounded once.
namespace mxcert::exact {

/// A product of factors as a real number: NaN if one is NaN, or one is Inf and one zero; else Inf if one is Inf. Its
/// sign is the product of the signs.
[[nodiscard]] Value times(const Value& x, const Value& y);

/// The sum of terms by IEEE 754 6.1 and 6.3, as one sum: NaN if one is NaN, or both infinities are there. Where a sum
/// is zero: the sign of the terms if they are all zeros of one sign, else +0, but -0 under Rounding::down. No terms
/// give +0.
[[nodiscard]] Value sum(const std::vector<Value>& terms, Rounding rounding);

/// The terms of a dot product: each a_i x b_i times its scales, and c the last if there is one. Throws as check() does.
[[nodiscard]] std::vector<Value> terms(const DotFormat& format, const DotOperands& operands);

/// A real number, Inf or NaN as a result: rounded, then tested for overflow (OFP8 v1.0 5.2.1; IEEE 754 4.3, 7.4).
/// Precondition: check() of the choices did not throw.
[[nodiscard]] Code result(const Format& to, const Choices& choices, const Value& value, Random random = {});

/// The dot product. Throws as check() does, and what convert() throws of random bits.
[[nodiscard]] Code dot(const DotFormat& format, const Choices& choices, const DotOperands& operands,
                       Random random = {});

/// D = A B + C, m x n codes in rows. Throws as dot() does, and if the rounding is stochastic.
[[nodiscard]] std::vector<Code> matmul(const DotFormat& format, const Choices& choices, const MatmulShape& shape,
                                       const MatmulOperands& operands);

} // namespace mxcert::exact
