// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/observe/sweep.hpp"
#include "reference/operation/operation.hpp"
#include "vectors/tables/step_table.hpp"

// What a block quantizer is asked so that its scales and its elements are known: all of 16-bit values, a sample of
// wider ones.
namespace mxcert::suites {

/// The size of the blocks that are asked, MX v1.0 5.1 where any is taken (0).
[[nodiscard]] constexpr unsigned asked_block(unsigned block) { return block == 0 ? 32 : block; }

/// Whether everything is asked: all amaxes and pairs of FP16 and BF16 are a few million.
[[nodiscard]] bool is_narrow(const Quantize& quantize);

/// How many inputs in each step are asked, beside those around its ends, and which.
struct Sampling {
    unsigned per_step = 0;
    std::uint64_t seed = 1;
};

/// Codes that ascend in both, each once.
[[nodiscard]] std::vector<Code> united(const std::vector<Code>& a, const std::vector<Code>& b);

/// The first inputs of the steps of every rounding of a conversion, or of every scale rule, ascending.
[[nodiscard]] std::vector<Code> firsts_of_all_rules(const Conversion& conversion);

/// The amaxes up to the largest, ascending. `firsts`: of a sample the first inputs of the steps of the scale,
/// ascending, starting with 0.
[[nodiscard]] std::vector<Code> amaxes_to_ask(const Quantize& quantize, Code largest, const std::vector<Code>& firsts,
                                              const Sampling& sampling);

/// The largest amax seen to give each scale, no_amax where none does: what observe_elements() and reachable_pairs()
/// take. `seen`: amaxes, ascending, and their scales.
[[nodiscard]] std::vector<Code> amax_of_each_scale(const Quantize& quantize, std::span<const Step> seen);

/// The codes of pairs of a scale and a value among `ranges`, those of reachable_pairs(). `firsts`: of a sample the
/// first inputs of the steps of the element.
[[nodiscard]] std::vector<Code> pairs_to_ask(const Quantize& quantize, const std::vector<inputs::CodeRange>& ranges,
                                             const std::vector<Code>& firsts, const Sampling& sampling);

/// Of a small suite: leaves five of the scales that some amax gives, evenly spread, the smallest and the largest among
/// them; the others have no_amax.
void keep_few_scales(const Format& scales, std::vector<Code>& amax_of_scale);

/// Of a small suite: the codes on either side of each boundary, and single-bit neighbours (SingleBits::some(), 8192 if
/// the sticky bits are no more), in `ranges`. `firsts` as above.
[[nodiscard]] std::vector<Code> few_pairs(const Quantize& quantize, std::vector<Code> firsts,
                                          const std::vector<inputs::CodeRange>& ranges, std::uint64_t seed);

} // namespace mxcert::suites
