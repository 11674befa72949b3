// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace mxcert {

/// A backend of ours, built here or not.
struct BuiltinBackend {
    std::string_view name;        ///< as commands take it: "portable"
    std::string_view file;        ///< in lib/mxcert beside the program: a plugin, "portable.so", or a program, "gfloat"
    std::string_view description; ///< one line for people
    std::string_view missing;     ///< shown where the file is not there: why, and what to do
};

/// In the order of `mxcert backends`. The first is the default.
[[nodiscard]] std::span<const BuiltinBackend> builtin_backends();

} // namespace mxcert
