// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mxcert {

/// The text with each name that a format had before ABI 2 replaced by the one it has: "amax_fp32-scale_e4m3-*" gives
/// "amax_fp32-e8m0_for_e4m3-*". "" if there is none in it.
[[nodiscard]] std::string in_present_names(std::string_view text);

} // namespace mxcert
