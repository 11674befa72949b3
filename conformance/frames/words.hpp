// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "reference/format.hpp"

// Values as they lie in shared memory: words in the byte order of the machine, aligned or not.
namespace mxcert::frames {

/// Bytes of a value: 1, 2, 4 or 8.
[[nodiscard]] inline unsigned bytes_of(const Format& format) { return static_cast<unsigned>(format.bytes()); }

/// Calls `use` with a value of the unsigned type of that many bytes.
template <class Use> auto with_word(unsigned bytes, Use use) {
    switch (bytes) {
    case 1: return use(std::uint8_t{});
    case 2: return use(std::uint16_t{});
    case 4: return use(std::uint32_t{});
    default: return use(std::uint64_t{});
    }
}

/// `bytes`: 1, 2, 4 or 8. What does not fit is cut off.
inline void store(std::byte* to, std::uint64_t value, unsigned bytes) {
    with_word(bytes, [=](auto word) {
        word = static_cast<decltype(word)>(value);
        std::memcpy(to, &word, sizeof word);
    });
}

[[nodiscard]] inline std::uint64_t load(const std::byte* from, unsigned bytes) {
    return with_word(bytes, [=](auto word) {
        std::memcpy(&word, from, sizeof word);
        return std::uint64_t{word};
    });
}

} // namespace mxcert::frames
