// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mxcert::fuzz {

/// The number in `count` bytes from position `at` on. Precondition: they are there.
[[nodiscard]] inline std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t count) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < count; ++i)
        number |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    return number;
}

/// The reverse.
[[nodiscard]] inline std::string little_endian_bytes(std::uint64_t number, std::size_t count) {
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xFF);
    return bytes;
}

} // namespace mxcert::fuzz
