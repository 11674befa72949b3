// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "conformance/cases/given_case.hpp"
#include "conformance/frames/run.hpp"
#include "conformance/suites/matrices/tile_cases.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// Calls with each case of what joins the values of a tile to its scale and to their places, until a call returns
/// false: those of places, special values in some places and alone, and those of sizes.
void for_each_tile_case(const Quantize2d& quantize, const CallTileCase& call);

/// Asks for the scale of each amax, in a place and of a sign that change from tile to tile, among smaller values.
/// Neighbouring tiles have amaxes of other binades.
void for_each_amax_case(const Quantize2d& quantize, const std::vector<Code>& amaxes, const CallTileCase& call);

/// Asks for the elements of `values_under(amax)` in tiles of that amax.
void for_each_value_case(const Quantize2d& quantize, const std::vector<Code>& amaxes,
                         const std::function<std::vector<Code>(Code amax)>& values_under, const CallTileCase& call);

/// What large matrices consist of.
[[nodiscard]] std::vector<TileCase> tile_rings(const Quantize2d& quantize);

/// A run of a case. Outputs: elements and scales for products along rows, then those along columns.
[[nodiscard]] frames::RunCase run_of(const Quantize2d& quantize, const TileCase& tile_case);

/// A case that was written down.
[[nodiscard]] TileCase case_of(const Quantize2d& quantize, const cases::GivenCase& given_case);

} // namespace mxcert::suites
