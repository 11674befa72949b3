// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/recipe/tensor_scaling.hpp"

// Scaling per tensor, step by step.
namespace mxcert::exact {

/// The state before the first step. Throws as check() does.
[[nodiscard]] recipe::State start(const recipe::TensorScaling& choices);

/// One step: takes the amax, a bit pattern of binary32, brings the state up to date and gives the scales that the
/// tensor of this step is quantized with. Throws as scales_of() and statistic_of() do.
[[nodiscard]] recipe::Scales step(const recipe::TensorScaling& choices, recipe::State& state, Code amax);

} // namespace mxcert::exact
