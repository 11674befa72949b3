// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "conformance/observe/observation.hpp"

namespace mxcert::observe {

/// What a HELLO says, made safe to print.
struct Hello {
    BackendInfo info;
    std::string build; ///< what the answers depend on beside the program's file, a digest; may be empty
    std::vector<std::uint32_t> indices;    ///< position in HELLO of each of info.conversions
    std::vector<std::uint32_t> operations; ///< position in HELLO of each of info.operations
};

/// Reads the JSON of a HELLO; `name` stands in where it gives none. Conversions and operations that are not understood,
/// or offered twice, go to info.unknown. Throws std::runtime_error if it is not of the form that docs/frames.md
/// describes.
[[nodiscard]] Hello parse_hello(std::string_view json, const std::string& name);
/// The same of what json_of_frame() gave.
[[nodiscard]] Hello hello_of(const nlohmann::json& content, const std::string& name);

} // namespace mxcert::observe
