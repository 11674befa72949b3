// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <nlohmann/json_fwd.hpp>

namespace mxcert::frames {

/// Bytes a HELLO or FAILED may have: a frame may be far longer, and JSON takes many times its text.
inline constexpr std::size_t max_frame_json = 1 << 20;

/// The JSON object that a HELLO or FAILED of a worker is. Throws frames::Error if it is longer than max_frame_json,
/// nested deeper than max_json_depth, or no JSON object.
[[nodiscard]] nlohmann::json json_of_frame(std::span<const std::byte> payload);

} // namespace mxcert::frames
