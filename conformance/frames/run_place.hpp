// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "conformance/frames/run.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::frames {

/// Where a value of an output of a run is, for people: "row 3, column 40 (block 1, lane 8)", "the scale of block 1 of
/// row 3"; of a block of rows and columns "(block 0,1, row 2, column 8 of it)". Blocks and lanes count from 0.
[[nodiscard]] std::string place_text(const Operation& operation, const RunCase& run_case, std::size_t output,
                                     std::uint64_t index);

} // namespace mxcert::frames
