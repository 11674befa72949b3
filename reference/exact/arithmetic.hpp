// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/exact.hpp"

/// The arithmetic of IEEE 754 binary formats (5.4.1): the exact result, rounded once to nearest, ties to even. It
/// depends on no state of the machine. Every NaN that comes out is the quiet NaN without sign and payload: 0x7FC00000
/// in binary32.
namespace mxcert::exact {

/// A rational number with this sign, as the nearest value of `to`, ties to even; beyond the largest, Inf. The number
/// zero gives the zero of that sign. Precondition: magnitude >= 0, to.has_inf().
[[nodiscard]] Code nearest(const Format& to, bool negative, const Rational& magnitude);

/// The quiet NaN that operations give. Precondition: to.specials is ieee.
[[nodiscard]] Code quiet_nan(const Format& to);

/// a + b, a x b, a / b of codes of one format. Precondition: specials is ieee.
[[nodiscard]] Code add(const Format& format, Code a, Code b);
[[nodiscard]] Code multiply(const Format& format, Code a, Code b);
[[nodiscard]] Code divide(const Format& format, Code a, Code b);

} // namespace mxcert::exact
