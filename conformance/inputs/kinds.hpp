// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "reference/format.hpp"

namespace mxcert::inputs {

/// Kinds of values that code treats differently, from the smallest magnitude.
enum class Kind : std::uint8_t { zero, subnormal, normal, largest, inf, nan };
inline constexpr std::array all_kinds{Kind::zero, Kind::subnormal, Kind::normal, Kind::largest, Kind::inf, Kind::nan};

/// The kind of a value, whatever its sign and scale. `largest` is the largest finite magnitude, to which overflow
/// saturates.
[[nodiscard]] Kind kind_of(const Format& format, Code code);
/// "subnormal numbers"
[[nodiscard]] std::string_view plural(Kind kind);

/// Both ends of each kind that a format has, of either sign, ascending, with scale code 0.
[[nodiscard]] std::vector<Code> ends_of_kinds(const Format& format);

} // namespace mxcert::inputs
