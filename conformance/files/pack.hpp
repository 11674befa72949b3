// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mxcert::files {

/// Bytes in fewer bytes, as text (base64): what repeats is written once.
[[nodiscard]] std::string pack(std::string_view bytes);

/// The reverse. Throws std::runtime_error unless `packed` is the text of exactly `size` bytes.
[[nodiscard]] std::string unpack(std::string_view packed, std::size_t size);

} // namespace mxcert::files
