// SPDX-License-Identifier: Apache-2.0
#include "conformance/prove/planted_row.hpp"

#include <cstddef>

namespace mxcert::prove {

std::optional<PlantedTable> plant_row(const PermitTable& table, Code first, Code last) {
    const std::size_t begin = find_step(table, first);
    const std::size_t steps = find_step(table, last) - begin;
    // From a quarter on: half the inputs have a sign, and the middle of those without is where most formats are normal.
    for (std::size_t k = 0; k < steps; ++k) {
        const std::size_t at = begin + (steps / 4 + k) % steps;
        const PermitStep& low = table.steps[at];
        const PermitStep& high = table.steps[at + 1];
        const Permit both = intersect(low.permit, high.permit, *table.to);
        if (high.first == high.last || !both.codes.empty() || both.any_nan) continue;
        PlantedTable planted{table, high.first};
        ++planted.table.steps[at].last;
        ++planted.table.steps[at + 1].first;
        return planted;
    }
    return std::nullopt;
}

} // namespace mxcert::prove
