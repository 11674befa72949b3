// SPDX-License-Identifier: Apache-2.0
#include "conformance/run.hpp"

#include "vectors/sha256.hpp"

namespace mxcert {

std::string digest_after(const std::string& before, const Values& values) {
    const std::span<const std::byte> bytes = values.bytes();
    return sha256(before + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

} // namespace mxcert
