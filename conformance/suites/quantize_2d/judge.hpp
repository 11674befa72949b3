// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conformance/suites/blocks/quantize_judges.hpp"
#include "conformance/suites/quantize_2d/cases.hpp"

namespace mxcert::suites {

/// The scales and elements that came for products along rows, or along columns.
struct TileDirection {
    Axis axis = Axis::row;
    const frames::Values& elements;
    const frames::Values& scales;
    Extent of_scales;

    /// The scale of a value.
    [[nodiscard]] Code scale_at(const BlockShape& tile, const Place& value) const;
};
[[nodiscard]] TileDirection direction_of(const Quantize2d& quantize, const TileCase& tile_case,
                                         const std::vector<frames::Values>& outputs, Axis axis);

/// Judges the tiles of a case: the scale of a tile is one that the profile permits for one of the amaxes it permits
/// (K3, K4), the same for every row and every column of it, and each element of both directions one that it permits
/// under that scale. The first thing that is wrong of each tile, in words, with its title.
[[nodiscard]] std::vector<std::string> judge(const Quantize2d& quantize, const QuantizeRules& rules,
                                             const TileCase& tile_case, const std::vector<frames::Values>& outputs);

} // namespace mxcert::suites
