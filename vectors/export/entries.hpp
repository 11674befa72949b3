// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "vectors/export/export_options.hpp"
#include "vectors/tables/step_table.hpp"

// What the exports that hold one code an input have in common.
namespace mxcert {

/// Bits of Entry::flags. What is permitted: the code, every NaN code of the target with flag_any_nan, and further
/// codes, which only the CSV export lists, with flag_more.
inline constexpr std::uint8_t flag_any_nan = 1;
inline constexpr std::uint8_t flag_more = 2;

/// One input and the code to expect: the smallest one that is listed, or the canonical NaN where only NaNs are
/// permitted.
struct Entry {
    Code input = 0;
    Code code = 0;
    std::uint8_t flags = 0;
};

/// Precondition: the permit is one of `to`, not empty.
[[nodiscard]] Entry entry_of(Code input, const Permit& permit, const Format& to);

/// Calls `use` for every input that the options ask for, ascending. Throws std::invalid_argument if they do not fit.
void for_each_entry(const PermitTable& table, const ExportOptions& options,
                    const std::function<void(const Entry&)>& use);

[[nodiscard]] std::string export_csv(const PermitTable& table);
[[nodiscard]] std::string export_npy(const PermitTable& table, const ExportOptions& options);
[[nodiscard]] std::string export_hex(const PermitTable& table, const ExportOptions& options);
[[nodiscard]] std::string export_c(const PermitTable& table, const ExportOptions& options);
[[nodiscard]] std::string export_rust(const PermitTable& table, const ExportOptions& options);
[[nodiscard]] std::string export_comparators(const PermitTable& table, const ExportOptions& options);
[[nodiscard]] std::string export_smt2(const PermitTable& table, const ExportOptions& options);
[[nodiscard]] std::string export_btor2(const PermitTable& table, const ExportOptions& options);

} // namespace mxcert
