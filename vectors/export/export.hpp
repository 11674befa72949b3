// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vectors/export/export_options.hpp"
#include "vectors/tables/step_table.hpp"

// Vectors for devices and testbenches that cannot be attached (docs/vectors.md describes every layout).
namespace mxcert {

/// The names of formats, in the order of ExportFormat: "csv", ..., "riscv-asm".
[[nodiscard]] std::vector<std::string_view> export_format_names();

/// Throws std::invalid_argument that lists them.
[[nodiscard]] ExportFormat parse_export_format(std::string_view text);

/// Whether a conversion in this format is its table or entries of it, not test vectors.
[[nodiscard]] bool is_of_table(ExportFormat format);

/// Throws std::invalid_argument if a range or lanes do not fit the format. `of_table`: of a conversion in a format
/// that is_of_table().
void check_options(const ExportOptions& options, bool of_table);

/// The whole file. Throws std::invalid_argument if an option does not fit the format or the source. Preconditions:
/// is_of_table(), and the table's invariant.
[[nodiscard]] std::string export_table(const PermitTable& table, const ExportOptions& options);

} // namespace mxcert
