// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "reference/recipe/percentile.hpp"

namespace mxcert::fast {

/// The percentile of the magnitudes of a tensor of fp32, bf16 or fp16 values by the binary32 of the machine, as
/// torch.quantile computes it (machine_float.hpp). Inf is the largest magnitude; next to it an interpolation gives what
/// the operations give, Inf or NaN. A NaN is 0x7FC00000. Of no element but NaNs that are left out it is that NaN.
/// Throws as check() does.
[[nodiscard]] Code percentile_of(const recipe::Percentile& percentile, const Format& value,
                                 std::span<const Code> values);

} // namespace mxcert::fast
