// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conformance/cli/shards/merged_parts.hpp"

namespace mxcert::cli {

/// Joins the parts of a record to the record of one run, and gives its exit code. `folder`: of the record, new or
/// empty. `json`: the file to write, "" for none.
[[nodiscard]] int merge_record(shards::Parts& parts, const MergeOptions& options, const std::string& folder,
                               const std::string& json);

} // namespace mxcert::cli
