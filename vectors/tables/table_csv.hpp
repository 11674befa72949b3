// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "vectors/tables/step_table.hpp"

namespace mxcert {

/// A step table as text: the line `first,last,code`, then a row a step, LF endings, upper-case hexadecimal with as many
/// digits as the width of the source and of the target needs. The same table gives the same bytes everywhere.
/// Precondition: the invariant of StepTable.
[[nodiscard]] std::string write_step_table(const StepTable& table);

/// The reverse, for a file. Throws csv::Error with file and line on anything write_step_table() would not write:
/// another header, missing or extra columns, wrong digits, CR, NUL, a byte order mark, no LF at the end, rows that are
/// not an ascending partition of all inputs, neighbours with one code, more than 64 MiB.
[[nodiscard]] StepTable read_step_table(const std::filesystem::path& file, const Format& from, const Format& to);

/// The same for text that was read already; `name` stands for it in errors.
[[nodiscard]] StepTable parse_step_table(std::string_view text, std::string_view name, const Format& from,
                                         const Format& to);

} // namespace mxcert
