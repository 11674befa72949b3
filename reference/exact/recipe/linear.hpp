// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/recipe/linear.hpp"

namespace mxcert::exact {

/// Quantizes a tensor of a layer. `scales`: those that are given; `random`: the words of values that are rounded at
/// random, as they lie. Throws as the functions of its recipe and random_at() do.
[[nodiscard]] recipe::LayerQuantized quantize(const recipe::LayerOperand& operand, const recipe::CodeMatrix& values,
                                              const recipe::Scales& scales = {}, std::span<const Code> random = {});

/// Back, to fp32, bf16 or fp16: element x scale rounded once where the recipe is one of MXFP8, as dequantize() of
/// FloatBlock has it where it has float scales, and as value_of() of Nvfp4 has it there.
[[nodiscard]] recipe::CodeMatrix dequantize(const recipe::LayerOperand& operand,
                                            const recipe::LayerQuantized& quantized, const Format& target);

} // namespace mxcert::exact
