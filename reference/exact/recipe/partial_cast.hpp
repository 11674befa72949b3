// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/recipe/partial_cast.hpp"

/// Casting a part of a weight by given scales, in rational arithmetic rounded operation by operation.
namespace mxcert::exact {

/// What the values of a block are multiplied by, a binary32. `encode_scale`: as Shard::encode_scale.
[[nodiscard]] Code multiplier_of(recipe::GivenScale kind, Code scale, Code encode_scale);

/// The element of a value: the product, rounded to binary32, then to the element, saturating. Of e2m1 a NaN is 6.
[[nodiscard]] Code cast_element(const recipe::PartialCast& cast, Code multiplier, Code value);

/// All elements of the matrix afterwards; those that may be anything are as they were. Throws as recipe::check() does.
[[nodiscard]] std::vector<Code> partial_cast(const recipe::PartialCast& cast, const recipe::Shard& shard);

} // namespace mxcert::exact
