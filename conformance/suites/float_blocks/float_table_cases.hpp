// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "conformance/suites/float_blocks/float_cases.hpp"

// Matrices that ask a quantizer with float scales, or the way back, for chosen amaxes, values and scales.
namespace mxcert::suites {

/// Values of a block of the operation.
[[nodiscard]] std::uint64_t lanes_of(const QuantizeFloat& quantize);
/// Whether all amaxes are asked, and not a sample: those of FP16 and BF16, unless a block is large.
[[nodiscard]] bool asks_every_amax(const QuantizeFloat& quantize);

/// What is called with a matrix and with how many of its inputs it is about, until a call returns false.
template <class Case> using TableCall = std::function<bool(const Case&, std::uint64_t judged)>;

/// Asks for the scale of each amax of `ascending`, in a lane and of a sign that change from block to block, among
/// smaller values. Neighbouring blocks have amaxes of other binades. Every matrix has its amaxes.
void for_each_scale_case(const QuantizeFloat& quantize, std::span<const Code> ascending, std::uint64_t seed,
                         const TableCall<FloatCase>& call);

/// Asks for the elements of `values_under(amax)` for each amax, which is in a lane of each of their blocks.
/// Neighbouring blocks have other amaxes, and neighbouring lanes values that are far apart.
void for_each_element_case(const QuantizeFloat& quantize, std::span<const Code> amaxes,
                           const std::function<std::vector<Code>(Code amax)>& values_under,
                           const TableCall<FloatCase>& call);

/// Asks for every element under each scale, in lanes that turn from block to block; neighbouring blocks have the same
/// elements under scales that are far apart.
void for_each_value_case(const DequantizeFloat& dequantize, std::span<const Code> scales,
                         const TableCall<FloatDequantizeCase>& call);

} // namespace mxcert::suites
