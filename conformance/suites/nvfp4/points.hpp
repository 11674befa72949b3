// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/level.hpp"
#include "conformance/suites/nvfp4/cases.hpp"
#include "conformance/suites/nvfp4/expected.hpp"

// Which amaxes and values tell quantizers to NVFP4 apart. All are codes of the source, amaxes without sign.
namespace mxcert::suites {

/// How much is asked.
struct Nvfp4Effort {
    Level level = Level::standard;
    unsigned samples = 0; ///< of each step
    std::uint64_t seed = 0;
};

/// Whether all finite amaxes of a tensor are asked, and all of a block, and not a sample: those of FP16 and BF16 from
/// `standard` on.
[[nodiscard]] bool asks_every_amax(const QuantizeNvfp4& quantize, Level level);
/// Whether all values are, under each scale: those of FP16 and BF16 at `complete`.
[[nodiscard]] bool asks_every_value(const QuantizeNvfp4& quantize, Level level);

/// Amaxes that the scale of a tensor is asked for: all, or the ends of each binade +-2 ulp and seeded ones.
[[nodiscard]] std::vector<Code> amaxes_of_tensors(const QuantizeNvfp4& quantize, const Nvfp4Effort& effort);

/// Amaxes of blocks that show which scale a tensor was quantized by: on both sides of a few places at which the scale
/// of a block changes, others from tensor to tensor.
[[nodiscard]] std::vector<Code> telling_amaxes(const QuantizeNvfp4& quantize, Code tensor_amax);

/// Those of tensors in which blocks are asked: 1; 2688, by which the decode scale is 1; the largest value; and from
/// `standard` on fractions in three binades, the smallest normal value, the largest subnormal and the smallest.
[[nodiscard]] std::vector<Code> amaxes_of_few_tensors(const QuantizeNvfp4& quantize, Level level);

/// Amaxes of blocks in a tensor: all up to its amax, or those +-2 ulp at which the scale changes, their single-bit
/// neighbours and seeded ones.
[[nodiscard]] std::vector<Code> amaxes_in_tensor(const QuantizeNvfp4& quantize, Nvfp4Expected& expected,
                                                 Code tensor_amax, const Nvfp4Effort& effort);

/// For each scale that a block of such a tensor has, the largest amax that gives it, and values of either sign up to
/// that: all, or those +-2 ulp at which the element changes, their single-bit neighbours and seeded ones.
[[nodiscard]] std::vector<ValuesUnder> values_in_tensor(const QuantizeNvfp4& quantize, Nvfp4Expected& expected,
                                                        Code tensor_amax, const Nvfp4Effort& effort);

} // namespace mxcert::suites
