// SPDX-License-Identifier: Apache-2.0
#include "conformance/run.hpp"

#include <cstring>

namespace mxcert {
namespace {

template <class Stored> Code load_as(const std::byte* at) {
    Stored stored;
    std::memcpy(&stored, at, sizeof stored);
    return stored;
}

template <class Stored> void store_as(std::byte* at, Code code) {
    const auto stored = static_cast<Stored>(code);
    std::memcpy(at, &stored, sizeof stored);
}

} // namespace

Code Values::get(std::uint64_t index) const {
    const std::byte* at = bytes_.data() + index * width_;
    switch (width_) {
    case 1: return load_as<std::uint8_t>(at);
    case 2: return load_as<std::uint16_t>(at);
    case 4: return load_as<std::uint32_t>(at);
    default: return load_as<std::uint64_t>(at);
    }
}

void Values::set(std::uint64_t index, Code code) {
    std::byte* at = bytes_.data() + index * width_;
    switch (width_) {
    case 1: return store_as<std::uint8_t>(at, code);
    case 2: return store_as<std::uint16_t>(at, code);
    case 4: return store_as<std::uint32_t>(at, code);
    default: return store_as<std::uint64_t>(at, code);
    }
}

} // namespace mxcert
