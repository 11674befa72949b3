// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "reference/recipe/history.hpp"

namespace mxcert::exact {

/// weight x average + (1 - weight) x amax in binary32: 1 - weight, both products and the sum are each rounded.
/// Throws std::invalid_argument if the weight is not in 0 to 1.
[[nodiscard]] Code mixed(Code weight, Code average, Code amax);

/// The statistic of a history, oldest first; bit patterns of binary32 without sign, or NaN. Of no amaxes it is 0. A
/// percentile between two amaxes a <= b is a + w (b - a), each operation rounded, w the rounded rest of the position;
/// w = 0 gives a itself. Throws std::invalid_argument for running_average, which is no function of the history, and if
/// the weight or rank it reads is not in 0 to 1.
[[nodiscard]] Code statistic_of(const recipe::Reading& reading, std::span<const Code> history);

} // namespace mxcert::exact
