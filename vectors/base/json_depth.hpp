// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace mxcert {

/// No JSON of ours nests deeper.
inline constexpr int max_json_depth = 32;

/// Whether lists and objects nest at most max_json_depth deep. To be asked before a text from outside is parsed:
/// nlohmann-json parses any depth, but printing, copying or comparing what it made calls itself once a level, and a
/// megabyte of brackets overflows the stack.
[[nodiscard]] bool is_shallow_json(std::string_view text);

} // namespace mxcert
