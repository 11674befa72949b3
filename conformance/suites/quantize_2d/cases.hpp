// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/cases/given_case.hpp"
#include "conformance/frames/run.hpp"
#include "conformance/suites/float_blocks/float_cases.hpp"

namespace mxcert::suites {

/// A matrix in tiles that a quantizer is asked for.
struct TileCase {
    std::string name;
    std::vector<std::string> tiles; ///< what each tile is about; empty where the name says it
    FloatMatrix matrix;
    std::vector<Code> values; ///< in rows

    /// The values of a tile, in rows.
    [[nodiscard]] std::vector<Code> values_of(std::uint64_t tile) const;
    /// "the largest value in each place: row 5, column 0" of the tile of that number.
    [[nodiscard]] std::string title(std::uint64_t tile) const;
};

/// Calls with each case of what joins the values of a tile to its scale and to their places, until a call returns
/// false: the largest value in each place and of each sign; special values in some places and alone; tiles at the ends
/// that are smaller; a matrix in which each tile tells its place by its scale. Of tiles of more than 1024 values the
/// places are those of the first row, the first column and the diagonal.
void for_each_tile_case(const Quantize2d& quantize, const std::function<bool(const TileCase&)>& call);

/// Asks for the scale of each amax, in a place and of a sign that change from tile to tile, among smaller values.
/// Neighbouring tiles have amaxes of other binades.
void for_each_amax_case(const Quantize2d& quantize, const std::vector<Code>& amaxes,
                        const std::function<bool(const TileCase&)>& call);

/// Asks for the elements of `values_under(amax)` in tiles of that amax.
void for_each_value_case(const Quantize2d& quantize, const std::vector<Code>& amaxes,
                         const std::function<std::vector<Code>(Code amax)>& values_under,
                         const std::function<bool(const TileCase&)>& call);

/// 61 tiles beside each other and 61 below each other, each with a scale of its own: what large matrices consist of.
/// None where tiles have more than 17,189 values.
[[nodiscard]] std::vector<TileCase> tile_rings(const Quantize2d& quantize);

/// A run of a case. Outputs: elements and scales for products along rows, then those along columns.
[[nodiscard]] frames::RunCase run_of(const Quantize2d& quantize, const TileCase& tile_case);

/// A case that was written down.
[[nodiscard]] TileCase case_of(const Quantize2d& quantize, const cases::GivenCase& given_case);

} // namespace mxcert::suites
