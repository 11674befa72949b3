// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "reference/exact/exact.hpp"
#include "reference/format.hpp"

// Values in explanations: exact, but cut where they are very long.
namespace mxcert::explain {

inline constexpr std::size_t shown_characters = 40;

/// An exact decimal, or a shorter way to say it: as significand and power of two, in the end cut off with "...".
[[nodiscard]] std::string shown(const exact::Rational& magnitude);

/// The value of a code.
[[nodiscard]] std::string shown(const Format& format, Code code);

} // namespace mxcert::explain
