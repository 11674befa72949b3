// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reference/format.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::html {

/// A code as HTML: hexadecimal, its fields in bits (scale, sign, exponent, fraction), and its value.
[[nodiscard]] std::string bits(const Format& format, Code code);

/// What may come, as HTML: each code as bits() does, and "any NaN".
[[nodiscard]] std::string bits(const Format& format, const Permit& permit);

} // namespace mxcert::html
