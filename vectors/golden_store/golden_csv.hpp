// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "vectors/golden_store/golden.hpp"

namespace mxcert {

/// The first line of a golden file, without its end.
[[nodiscard]] std::string_view golden_header(const Format& from);

/// A golden file as text: its header, then its rows in their order, LF endings.
/// docs/vectors.md describes the columns. The same file gives the same bytes everywhere.
[[nodiscard]] std::string write_golden(const GoldenFile& golden);

/// The reverse, for a file. Throws csv::Error with file and line on anything write_golden() would not write: what
/// read_step_table() rejects, and unknown choices, values or clauses, a permit that is not of the target, rows out of
/// order, and a selection of choices that leaves an input without a row or with two.
[[nodiscard]] GoldenFile read_golden(const std::filesystem::path& file, const Format& from, const Format& to);

/// The same for text that was read already; `name` stands for it in errors.
[[nodiscard]] GoldenFile parse_golden(std::string_view text, std::string_view name, const Format& from,
                                      const Format& to);

} // namespace mxcert
