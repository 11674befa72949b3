// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/recipe/float_scale.hpp"

namespace mxcert::fast {

/// The scales of an amax by the binary32 of the machine, as a kernel computes them (machine_float.hpp). A quotient by a
/// least amax that is no binary32 is computed in binary64 and rounded to binary32. Throws std::invalid_argument where
/// an unusable amax keeps what there was. Precondition: the choices are in their range, and the amax is a bit pattern
/// of binary32 without sign, or NaN.
[[nodiscard]] recipe::Scales scales_of(const recipe::FloatScale& scaling, Code amax);

} // namespace mxcert::fast
