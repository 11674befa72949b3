// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/inputs/code_range.hpp"
#include "conformance/inputs/run_length.hpp"
#include "vectors/tables/step_table.hpp"

namespace mxcert::test {

/// What a table says of some ranges.
inline std::vector<Step> wanted_of(const StepTable& table, const std::vector<inputs::CodeRange>& ranges) {
    std::vector<Step> steps;
    for (const inputs::CodeRange& range : ranges)
        for (const Step& step : inputs::part_of(table.steps, range.first, range.last)) inputs::append_step(steps, step);
    return steps;
}

} // namespace mxcert::test
