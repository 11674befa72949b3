// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/suites/identified.hpp"
#include "conformance/verdict/golden_source.hpp"

namespace mxcert::suites {

/// Asks the operation "quantize_2d" for scales, elements and whole tiles, and finds the Behaviour of the scale, of its
/// amax, that of the element, of the scale that came and the value, and what a scale is made of: of the tile, or by one
/// of tile_faults().
[[nodiscard]] std::vector<Identified> identify_quantize_2d(observe::Subject& subject, const Operation& operation,
                                                           verdict::GoldenSource& golden);

} // namespace mxcert::suites
