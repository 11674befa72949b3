// SPDX-License-Identifier: Apache-2.0
#pragma once

// Logarithms by additions, multiplications and comparisons alone: the C library's differ in their last digits from
// machine to machine, and figures must not.
namespace mxcert::measure {

/// The largest n with 2^n <= x. x: finite and positive.
[[nodiscard]] int floor_log2(double x);
/// The least n with 2^n >= x. x: finite and positive.
[[nodiscard]] int ceil_log2(double x);

/// The same on every machine, and exact for a power of two; otherwise wrong by less than 10^-12. -Inf for 0, Inf for
/// Inf, NaN for NaN. x: not negative.
[[nodiscard]] double log2_of(double x);
/// As log2_of(), but no power of ten need be exact.
[[nodiscard]] double log10_of(double x);

} // namespace mxcert::measure
