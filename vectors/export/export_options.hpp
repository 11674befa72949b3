// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vectors/tables/step_table.hpp"

namespace mxcert {

/// Of a conversion csv, c, rust, comparators, smt2 and btor2 hold its table, and npy and hex entries; everything else
/// holds test vectors.
enum class ExportFormat {
    csv,         ///< the table itself: first,last,permit,clause
    json,        ///< tests with all that is known of them
    npy,         ///< NumPy arrays, format version 1.0
    c,           ///< a C11 header; of a table with a function that looks an input up
    rust,        ///< the same as a module
    hex,         ///< words for Verilog's $readmemh
    sv,          ///< the same with a SystemVerilog package that describes them
    riscv_asm,   ///< a self-checking assembly program
    comparators, ///< a Verilog module that says whether a code is right for an input
    smt2,        ///< the same as a function of SMT-LIB
    btor2,       ///< the same as a model of BTOR2: inputs x and code, output permitted
};

struct ExportOptions {
    ExportFormat format = ExportFormat::csv;
    std::string name; ///< of the conversion, "fp32-e4m3-nearest_even-sat": names in C and comments
    std::string note; ///< one line for comments: profile and origin
    /// Inputs from first to last, at most max_export_inputs. Of npy and hex only. Neither: every
    /// input of a source of up to 16 bits; the first and last input of every step of a wider one, and the single-bit
    /// neighbours of boundaries and exact values (single_bits.hpp; where these are more than 2^18, a part of them).
    std::optional<Code> first;
    std::optional<Code> last;
    unsigned lanes = 1; ///< hex: entries a word, 1 to 64, lane 0 in the lowest bits
};
inline constexpr std::uint64_t max_export_inputs = std::uint64_t{1} << 24;

} // namespace mxcert
