// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "conformance/suites/blocks/join_fault.hpp"

namespace mxcert::suites {

/// The fault of columns that are made of what was quantized in rows, and read back, before.
inline constexpr std::string_view requantized = "columns made of quantized rows";

/// Whether a quantizer along columns gives all that came if its values are first quantized in blocks along rows and
/// dequantized. Matrices with Inf or NaN are left out; false if none is left, or if a profile permits more than one
/// code for a scale or an element, or if nothing differs from what a right one gives.
[[nodiscard]] bool gives_requantized(const QuantizeRules& rules, std::span<const JoinSeen<QuantizeCase>> seen);

} // namespace mxcert::suites
