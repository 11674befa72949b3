// SPDX-License-Identifier: Apache-2.0
#include "conformance/run.hpp"

#include "vectors/sha256.hpp"

namespace mxcert {

Values values_of(const std::vector<Code>& codes, const Format& format) {
    Values made(codes.size(), bytes_of(format));
    for (std::size_t i = 0; i < codes.size(); ++i) made.set(i, codes[i]);
    return made;
}

std::string digest_after(const std::string& before, const Values& values) {
    const std::span<const std::byte> bytes = values.bytes();
    return sha256(before + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

} // namespace mxcert
