// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "vectors/export/export_options.hpp"
#include "vectors/tables/step_table.hpp"

// Vectors for devices and testbenches that cannot be attached (docs/vectors.md describes every layout).
namespace mxcert {

/// "csv", "bin", "npy", "hex", "c". Throws std::invalid_argument that lists them.
[[nodiscard]] ExportFormat parse_export_format(std::string_view text);

/// The whole file. Throws std::invalid_argument if an option does not fit the format or the source. Precondition: the
/// table's invariant.
[[nodiscard]] std::string export_table(const PermitTable& table, const ExportOptions& options);

} // namespace mxcert
