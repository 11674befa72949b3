// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "reference/recipe/percentile.hpp"

namespace mxcert::exact {

/// The percentile of the magnitudes of a tensor of fp32, bf16 or fp16 values, as binary32 and in rational arithmetic
/// rounded operation by operation. Inf is the largest magnitude; next to it an interpolation gives what the operations
/// give, Inf or NaN. A NaN is 0x7FC00000. Of no element but NaNs that are left out it is that NaN. Throws as check()
/// does.
[[nodiscard]] Code percentile_of(const recipe::Percentile& percentile, const Format& value,
                                 std::span<const Code> values);

/// One step: brings the state up to date and quantizes the tensor. Throws as percentile_of() and step() of an amax do.
[[nodiscard]] recipe::ElementStep step(const recipe::ElementRecipe& recipe, recipe::State& state, const Format& value,
                                       std::span<const Code> values);

} // namespace mxcert::exact
