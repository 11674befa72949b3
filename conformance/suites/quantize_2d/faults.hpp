// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "conformance/known_fault.hpp"
#include "conformance/suites/blocks/judge.hpp"
#include "conformance/suites/quantize_2d/cases.hpp"

namespace mxcert::suites {

/// The values that a scale is made of, for a product along an axis: that of the value at a place.
using SeenByScale = std::vector<Code> (*)(const Quantize2d&, const TileCase&, Axis, const Place&);

/// A way to quantize tiles wrongly.
struct TileFault {
    std::string_view name;      ///< "a scale for each row of a tile"
    std::string_view bug_class; ///< the id of its class
    SeenByScale given;          ///< what the scale that is given out is made of
    SeenByScale used;           ///< what the scale that makes the elements is made of
};

/// The values of the tile: what is right.
[[nodiscard]] std::vector<Code> seen_by_tile(const Quantize2d& quantize, const TileCase& tile_case, Axis axis,
                                             const Place& place);

/// Every fault that is known.
[[nodiscard]] std::span<const TileFault> tile_faults();

/// A case and what came back.
struct TileSeen {
    TileCase asked;
    std::vector<frames::Values> outputs;
};

/// Whether a way gives all that came, as far as the rules permit it.
[[nodiscard]] bool explains(const Quantize2d& quantize, const QuantizeRules& rules, const TileFault& way,
                            const TileSeen& seen);

/// The faults that give all that came, of which something is not permitted; those that give the same are all named.
[[nodiscard]] std::vector<KnownFault> known_as(const Quantize2d& quantize, const QuantizeRules& rules,
                                               std::span<const TileSeen> seen);

} // namespace mxcert::suites
