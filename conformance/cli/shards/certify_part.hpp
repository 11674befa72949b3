// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "conformance/cli/backend_options.hpp"
#include "conformance/verdict/options.hpp"

namespace mxcert::cli {

/// "3/64", from 1 to the number of parts.
struct PartNumber {
    std::uint64_t part = 0; ///< from 0
    std::uint64_t parts = 1;
};
/// Throws std::invalid_argument that says what is expected.
[[nodiscard]] PartNumber parse_part(std::string_view text);

struct PartOptions {
    PartNumber number;
    std::string folder; ///< of the answers
    bool list = false;  ///< print the units and ask nothing
};

/// Asks a part of a run of certify, and gives the exit code.
[[nodiscard]] int certify_part(const std::string& backend, const BackendOptions& run,
                               const verdict::CertifyOptions& certify, const PartOptions& options);

} // namespace mxcert::cli
