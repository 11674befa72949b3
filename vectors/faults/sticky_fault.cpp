// SPDX-License-Identifier: Apache-2.0
#include "vectors/faults/sticky_fault.hpp"

#include <bit>

namespace mxcert {

StepTable without_sticky_bit(const StepTable& right, unsigned bit) {
    const Format& from = *right.from;
    const Code overlooked = Code{1} << bit;
    StepTable wrong{right.from, right.to, {}};
    const auto append = [&](const Step& step) {
        if (!wrong.steps.empty() && wrong.steps.back().code == step.code)
            wrong.steps.back().last = step.last;
        else
            wrong.steps.push_back(step);
    };
    for (std::size_t i = 0; i < right.steps.size(); ++i) {
        const Step& step = right.steps[i];
        // A tie that belongs to the step before: its last input, with the round bit for its lowest one. Where it
        // belongs to this step the fault changes nothing.
        const Code tie = step.first - 1;
        const bool before = i != 0 && from.is_finite(tie) && from.is_finite(step.first) &&
                            (tie & from.magnitude_mask()) != 0 && static_cast<unsigned>(std::countr_zero(tie)) > bit &&
                            tie + overlooked <= step.last;
        if (!before) {
            append(step);
            continue;
        }
        const Code wrong_one = tie + overlooked;
        if (wrong_one > step.first) append({step.first, wrong_one - 1, step.code});
        append({wrong_one, wrong_one, right.steps[i - 1].code});
        if (wrong_one < step.last) append({wrong_one + 1, step.last, step.code});
    }
    return wrong;
}

} // namespace mxcert
