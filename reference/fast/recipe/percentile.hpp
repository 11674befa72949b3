// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "reference/recipe/percentile.hpp"

namespace mxcert::fast {

/// The percentile of the magnitudes of a tensor of fp32, bf16 or fp16 values by the binary32 of the machine, as
/// torch.quantile computes it (machine_float.hpp). Inf is the largest magnitude; next to it an interpolation gives what
/// the operations give, Inf or NaN. A NaN is 0x7FC00000. Of no element but NaNs that are left out it is that NaN.
/// Throws as check() does.
[[nodiscard]] Code percentile_of(const recipe::Percentile& percentile, const Format& value,
                                 std::span<const Code> values);

/// Where a percentile lies among magnitudes in ascending order: `rest` of the way, 0 to 1, from the one with the index
/// `below`, counted from 0, to the next.
struct PercentilePlace {
    std::uint64_t below = 0;
    float rest = 0;
};

/// Of `count` magnitudes. Precondition: the percentile is one that check() takes; count is at least 1 and, where the
/// position is fp32, at most most_elements; else the numerator times count is below 2^64.
[[nodiscard]] PercentilePlace percentile_place(const recipe::Percentile& percentile, std::uint64_t count);

/// The percentile at that place, between its neighbours; where the rest is 0 `above` is that of `below`.
[[nodiscard]] float percentile_between(recipe::Between how, float below, float above, float rest);

} // namespace mxcert::fast
