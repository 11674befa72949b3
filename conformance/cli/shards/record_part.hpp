// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/shards/part_run.hpp"

namespace mxcert::cli {

/// Asks a part of a record, and gives the exit code. `filters`, `samples_per_step`: as of the whole record.
[[nodiscard]] int record_part(const std::string& backend, const BackendOptions& run,
                              const std::vector<std::string>& filters, unsigned samples_per_step,
                              const PartOptions& options);

} // namespace mxcert::cli
