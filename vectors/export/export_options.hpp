// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vectors/tables/step_table.hpp"

namespace mxcert {

enum class ExportFormat {
    csv, ///< the table itself: first,last,permit,clause
    bin, ///< entries, packed, little-endian
    npy, ///< the same entries as a NumPy array, format version 1.0
    hex, ///< the same entries for Verilog's $readmemh
    c,   ///< a C11 header with the table and a function that looks an input up
};

struct ExportOptions {
    ExportFormat format = ExportFormat::csv;
    std::string name; ///< of the conversion, "fp32-e4m3-nearest_even-sat": names in C and comments
    std::string note; ///< one line for comments: profile and origin
    /// Inputs from first to last, at most max_export_inputs. Not for csv and c, which hold all inputs. Neither: every
    /// input of a source of up to 16 bits; the first and last input of every step of a wider one, and the single-bit
    /// neighbours of boundaries and exact values (single_bits.hpp; where these are more than 2^18, a part of them).
    std::optional<Code> first;
    std::optional<Code> last;
    unsigned lanes = 1; ///< hex: entries a word, 1 to 64, lane 0 in the lowest bits
};
inline constexpr std::uint64_t max_export_inputs = std::uint64_t{1} << 24;

} // namespace mxcert
