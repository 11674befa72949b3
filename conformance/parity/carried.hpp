// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/format.hpp"

namespace mxcert::parity {

/// A value of FP32, FP16 or BF16 in another of them: to nearest even, and beyond the largest value to Inf. A NaN keeps
/// its sign and the bits of its payload that the format has, and is made quiet if it loses some.
[[nodiscard]] Code carried(const Format& from, const Format& to, Code value);

/// Whether every value of a format is one of the other.
[[nodiscard]] bool holds_all(const Format& format, const Format& values);

/// The widest of FP32, FP16 and BF16 whose values both formats hold. Null: they have no such format.
[[nodiscard]] const Format* held_by_both(const Format& a, const Format& b);

} // namespace mxcert::parity
