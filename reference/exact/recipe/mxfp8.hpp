// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/recipe/mxfp8.hpp"

namespace mxcert::exact {

/// Quantizes a tensor of fp32, bf16 or fp16 values for a product. The last block of a row or column may be shorter
/// where the recipe permits it. Throws as check_shape() does, and std::invalid_argument if the matrix has not rows x
/// columns values.
[[nodiscard]] recipe::MxQuantized quantize(const recipe::MxRecipe& recipe, const recipe::MxOperand& operand,
                                           const Format& value, const recipe::CodeMatrix& values);

} // namespace mxcert::exact
