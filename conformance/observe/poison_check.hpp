// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/observe/observation.hpp"
#include "conformance/observe/schedule.hpp"

namespace mxcert::observe {

/// Why answers are mistrusted that are one code; the code follows.
inline const std::string constant_reason = "one constant over a whole conversion whose table is not constant: ";

/// Whether one code would do for every input.
[[nodiscard]] bool constant_is_permitted(const PermitTable& permitted);

/// One code for all points, although no code is permitted for all of them.
[[nodiscard]] bool points_look_constant(const std::vector<inputs::Point>& points, const PermitTable& permitted);

/// The status of an observation and why, from how its asking ended.
void check_poison(Observation& observation, const Schedule::Outcome& outcome);

} // namespace mxcert::observe
