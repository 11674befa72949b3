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

/// None where no neighbours have all their codes apart. The step is one in the middle of the table: what decides it is
/// neither a special value nor the end of the range.
[[nodiscard]] std::optional<PlantedTable> plant_row(const PermitTable& table);

} // namespace mxcert::prove
