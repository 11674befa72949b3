// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "vectors/tables/compare.hpp"

namespace mxcert::verdict {

/// A comparison of what was observed with what is permitted.
using Comparison = std::function<std::vector<Difference>(const std::vector<Step>&)>;

/// The steps with the answer to one input replaced, still with different codes in neighbours that touch. Precondition:
/// the input lies in a step.
[[nodiscard]] std::vector<Step> plant(const std::vector<Step>& steps, Code input, Code code);

/// Plants one wrong answer in a copy of `steps`, which must not be empty, and throws std::logic_error unless the
/// comparison finds exactly it besides `found`, what it finds in `steps` themselves.
void check_comparison(const std::vector<Step>& steps, const PermitTable& permitted, const Comparison& comparison,
                      const std::vector<Difference>& found);

} // namespace mxcert::verdict
