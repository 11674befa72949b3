// SPDX-License-Identifier: Apache-2.0
#include "conformance/prove/planted_row.hpp"

#include <cstddef>

namespace mxcert::prove {

std::optional<PlantedTable> plant_row(const PermitTable& table) {
    const std::size_t steps = table.steps.size();
    // From a quarter on: half the inputs have a sign, and the middle of those without is where most formats are normal.
    for (std::size_t k = 0; k + 1 < steps; ++k) {
        const std::size_t at = (steps / 4 + k) % (steps - 1);
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
