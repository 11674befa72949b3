// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/level.hpp"
#include "reference/recipe/partial_cast.hpp"

// The scales and values that a partial cast is asked for.
namespace mxcert::suites {

/// An encoding scale of a tensor by which values of the order of 1 are elements.
inline constexpr Code usual_encode_scale = 0x3F3B2EB2; // 0.7312

/// A scale by which values of the order of 1 are elements. No two of 61 blocks have the same, of E8M0 no two of 13.
[[nodiscard]] Code telling_scale(const recipe::PartialCast& cast, std::uint64_t block);

/// The scales of blocks: special ones, those at the ends of the format, and seeded ones. Of E8M0 every one.
[[nodiscard]] std::vector<Code> given_scales(const recipe::PartialCast& cast, Level level, std::uint64_t seed);

/// The encoding scales of tensors; one where none is read.
[[nodiscard]] std::vector<Code> encode_scales(const recipe::PartialCast& cast, Level level, std::uint64_t seed);

/// Values, codes of the source, by a scale: those beside which the element changes, special ones, and seeded ones.
[[nodiscard]] std::vector<Code> values_under(const recipe::PartialCast& cast, Level level, std::uint64_t seed,
                                             Code scale, Code encode_scale);

} // namespace mxcert::suites
