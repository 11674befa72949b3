// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/inputs/code_range.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// Pairs of a scale and a value that hold each finite value of a quantizer once: of the 2^16 values that share the
/// upper bits of an FP32 value, the sign among them, all under one scale. It is drawn among those that some amax no
/// smaller than the values gives: mostly among the first of them, under which the element is neither zero nor saturated
/// by far. A part of reachable_pairs(), by scale, and under a scale in an order that is drawn too. Values above every
/// amax in `amax_of_scale` have none. Precondition: the values have more than 16 bits.
[[nodiscard]] std::vector<inputs::CodeRange> drawn_pairs(const Quantize& quantize, std::span<const Code> amax_of_scale,
                                                         std::uint64_t seed);

/// Of some codes, ascending, those that none of the ranges has.
[[nodiscard]] std::vector<Code> codes_outside(std::span<const inputs::CodeRange> ranges, std::span<const Code> codes);

} // namespace mxcert::suites
