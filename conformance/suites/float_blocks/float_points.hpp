// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "reference/operation/operation.hpp"

// Which amaxes and values tell float scales apart. They are found on the fast model; the answers are those of both.
namespace mxcert::suites {

/// Amaxes that a quantizer is asked for, ascending codes of the source without sign, from zero to Inf: the ends of each
/// binade +-2 ulp, the first amax +-2 ulp that gives a scale of each binade, each E8M0 scale and 16 x `samples` seeded
/// ones, and an inverse scale of each binade, the least amax +-2 ulp, 8192 single-bit neighbours of all of these
/// (SingleBits::some()), and 64 x `samples` seeded amaxes.
[[nodiscard]] std::vector<Code> amaxes_of(const QuantizeFloat& quantize, unsigned samples, std::uint64_t seed);

/// Every one, of FP16 or BF16.
[[nodiscard]] std::vector<Code> all_amaxes(const Format& source);

/// Some of them under whose scales elements are asked: the ends of the range, of the subnormals, 1, the largest
/// element, the least amax and `samples` seeded ones.
[[nodiscard]] std::vector<Code> amaxes_of_elements(const QuantizeFloat& quantize, unsigned samples, std::uint64_t seed);

/// Values of either sign that are not above this amax: the first of each element +-2 ulp (an element is a monotone
/// step function of the value under one scale), 1536 single-bit neighbours of these (SingleBits::some()), zero and
/// `samples` seeded ones.
[[nodiscard]] std::vector<Code> values_under(const QuantizeFloat& quantize, Code amax, unsigned samples,
                                             std::uint64_t seed);

/// Scales of the binade that begins with this code which are, as values, next to a tie of the target: each sticky bit
/// alone is set. None where fewer than two bits are cut.
[[nodiscard]] std::vector<Code> scales_beside_ties(const DequantizeFloat& dequantize, Code binade, std::uint64_t seed);

/// Scales that a dequantizer is asked for: all of E8M0; zero, Inf, NaN, the ends of each binade and `samples` seeded
/// ones of each binade of the others, and four of scales_beside_ties(), all of the binade of 1; of binary32 those next
/// to 1 under which rounding a product twice, first to binary32, is not rounding it once. No scale has a sign.
[[nodiscard]] std::vector<Code> scales_asked(const DequantizeFloat& dequantize, unsigned samples, std::uint64_t seed);

} // namespace mxcert::suites
