// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/recipe/partial_cast.hpp"

/// Casting a part of a weight by given scales, with the machine's binary32.
namespace mxcert::fast {

/// As exact::multiplier_of(), exact::cast_element() and exact::partial_cast().
[[nodiscard]] Code multiplier_of(recipe::GivenScale kind, Code scale, Code encode_scale);
[[nodiscard]] Code cast_element(const recipe::PartialCast& cast, Code multiplier, Code value);
[[nodiscard]] std::vector<Code> partial_cast(const recipe::PartialCast& cast, const recipe::Shard& shard);

} // namespace mxcert::fast
