// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "vectors/tables/compare.hpp"

namespace mxcert::verdict {

/// Inputs counted in a grid: how many were asked, and how many got an answer that is not permitted.
///
/// Of a plain source a column is a value of the exponent field, which is a binade; a row is the sign above the first
/// bits of the fraction. Of a source with a given scale a row is a code of the scale, and a column one of
/// column_format(): the value that is asked, or the code that is permitted.
struct InputMap {
    /// Columns of one row with the same counts in each.
    struct Run {
        std::uint32_t first = 0; ///< column
        std::uint32_t last = 0;  ///< column
        std::uint64_t asked = 0; ///< inputs of each column, >= 1
        std::uint64_t wrong = 0; ///< of these
        friend bool operator==(const Run&, const Run&) = default;
    };
    /// Rows that are equal.
    struct Band {
        std::uint32_t first = 0; ///< row
        std::uint32_t last = 0;  ///< row
        std::vector<Run> runs;   ///< ascending; columns between them were not asked
    };
    const Format* from = nullptr;
    const Format* to = nullptr;
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
    std::vector<Band> bands; ///< ascending; rows between them were not asked
};

/// Of a source with a scale, what the columns are codes of: its value, or the target where that has fewer bits.
[[nodiscard]] const Format& column_format(const Format& from, const Format& to);

/// The bits of the fraction that tell rows of a plain source.
[[nodiscard]] int row_bits(const Format& from);

/// Counts what was asked of a table: `steps` ascend and may leave gaps.
[[nodiscard]] InputMap map_of(const std::vector<Step>& steps, const PermitTable& permitted);

/// Counts differences alone of a plain source; `whole`: every input was asked, else only those that differ are known to
/// have been.
[[nodiscard]] InputMap map_of(const Format& from, const Format& to, const std::vector<Difference>& differences,
                              bool whole);

} // namespace mxcert::verdict
