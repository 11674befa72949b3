// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "reference/format.hpp"

// Codes in buffers: native-endian words of 1, 2, 4 or 8 bytes that need no alignment.
namespace mxcert::fast {

template <class Stored> [[nodiscard]] Code load_as(const unsigned char* at) {
    Stored code;
    std::memcpy(&code, at, sizeof code);
    return code;
}

template <class Stored> void store_as(unsigned char* at, Code code) {
    const auto stored = static_cast<Stored>(code);
    std::memcpy(at, &stored, sizeof stored);
}

[[nodiscard]] inline Code load(const unsigned char* at, int bytes) {
    switch (bytes) {
    case 1: return load_as<std::uint8_t>(at);
    case 2: return load_as<std::uint16_t>(at);
    case 4: return load_as<std::uint32_t>(at);
    default: return load_as<std::uint64_t>(at);
    }
}

inline void store(unsigned char* at, int bytes, Code code) {
    switch (bytes) {
    case 1: return store_as<std::uint8_t>(at, code);
    case 2: return store_as<std::uint16_t>(at, code);
    case 4: return store_as<std::uint32_t>(at, code);
    default: return store_as<std::uint64_t>(at, code);
    }
}

} // namespace mxcert::fast
