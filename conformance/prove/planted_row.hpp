// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "vectors/tables/step_table.hpp"

namespace mxcert::prove {

/// A table with one wrong row: a step takes the first input of the next one, whose codes it does not permit.
struct PlantedTable {
    PermitTable table;
    Code input = 0; ///< the only one at which it is wrong
};

/// The step is one of inputs from first to last, not far from their middle: what decides it is neither a special value
/// nor the end of the range. None where no neighbours there have all their codes apart.
[[nodiscard]] std::optional<PlantedTable> plant_row(const PermitTable& table, Code first, Code last);

} // namespace mxcert::prove
