// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "vectors/tables/step_table.hpp"

namespace mxcert::verdict {

/// Calls use(first, last, step, permit step) for each piece of the steps on which both are constant. The steps ascend
/// and may leave gaps.
template <class Use> void for_each_piece(const std::vector<Step>& steps, const PermitTable& permitted, Use use) {
    for (const Step& step : steps) {
        for (std::size_t at = find_step(permitted, step.first);
             at < permitted.steps.size() && permitted.steps[at].first <= step.last; ++at) {
            const PermitStep& wanted = permitted.steps[at];
            use(std::max(step.first, wanted.first), std::min(step.last, wanted.last), step, wanted);
        }
    }
}

} // namespace mxcert::verdict
