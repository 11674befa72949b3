// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/shards/part_run.hpp"
#include "conformance/verdict/options.hpp"

namespace mxcert::cli {

/// Asks a part of a run of certify, and gives the exit code.
[[nodiscard]] int certify_part(const std::string& backend, const BackendOptions& run,
                               const verdict::CertifyOptions& certify, const PartOptions& options);

} // namespace mxcert::cli
