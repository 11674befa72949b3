// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "conformance/suites/hadamard/expected.hpp"
#include "conformance/suites/nvfp4/points.hpp"

// Quantizing to NVFP4 what a Hadamard transform gives. It is asked by groups whose sums are exact, so that there is one
// answer: such a group is made of what is to come out of it.
namespace mxcert::suites {

/// What is quantized of a case.
struct TransformedCase {
    TileCase seen;          ///< values that came out of the transform, in BF16
    std::vector<bool> open; ///< zeros of either sign, by their place
};
/// None where a sum depends on the order: nothing is known of the amax of the tensor then.
[[nodiscard]] std::optional<TransformedCase> transformed(HadamardExpected& expected, const TileCase& tile_case);

/// The values of a group that come out as one magnitude in half of its places, and as another one in the others, each
/// with both signs but for a few groups; which places and signs depend on the number alone. Both are codes of BF16, not
/// more than so many binades apart that the sums are exact.
[[nodiscard]] std::vector<Code> group_of_two(const recipe::Hadamard& transform, Code first, Code second,
                                             std::uint64_t number);
[[nodiscard]] bool can_be_two(Code first, Code second);
/// The values that come out as one magnitude in every place.
[[nodiscard]] std::vector<Code> group_of_one(Code magnitude, std::uint64_t number);

/// Calls with each case of a part: "tensor", "scale", "elements" or "blocks". False if a call returned false.
bool for_each_transformed_case(const QuantizeNvfp4& quantize, std::string_view part, Nvfp4Expected& expected,
                               const Nvfp4Effort& effort, const CallTileCase& call);

/// Rings, each group with values of its own, some binades apart.
[[nodiscard]] std::vector<TileCase> transformed_rings(const QuantizeNvfp4& quantize);

/// A matrix of such groups, drawn.
[[nodiscard]] TileCase draw_transformed(const QuantizeNvfp4& quantize, SplitMix64& random);

} // namespace mxcert::suites
