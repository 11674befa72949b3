// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "conformance/backend.h"

namespace mxcert::worker {

/// Why a request is answered with FAILED.
struct Refused : std::runtime_error {
    Refused(std::int32_t status_, const std::string& message) : std::runtime_error(message), status(status_) {}
    std::int32_t status;
};

[[noreturn]] void refuse_request(const std::string& message);

/// Bytes either side of outputs in our own memory that must not change.
inline constexpr std::uint64_t guard_bytes = 64;

/// Throws Refused if a byte of the guards of an output is not what it was filled with.
void check_guards(const std::byte* output, std::uint64_t bytes, std::uint64_t poison);

} // namespace mxcert::worker
