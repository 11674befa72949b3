// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "reference/recipe/float_scale.hpp"

namespace mxcert::exact {

/// The scales of an amax, in rational arithmetic rounded operation by operation. Nullopt: the amax is unusable and the
/// choice is to keep what there was. Throws std::invalid_argument if the amax has a sign and is no NaN, or is wider
/// than binary32, or if a choice is out of its range.
[[nodiscard]] std::optional<recipe::Scales> scales_of(const recipe::FloatScale& scaling, Code amax);

} // namespace mxcert::exact
