// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/tensors/multiply_tensors.hpp"
#include "reference/dot/epilogue.hpp"
#include "reference/recipe/linear.hpp"

// A product of a linear layer from two tensors of high precision, in memory as a whole.
namespace mxcert::tensors {

/// Which product, how its operands are quantized, and how they are multiplied.
struct LayerChoices {
    recipe::LayerProduct operands;
    /// The operands are multiplied as values of this format, dequantized. Null: as elements with their scales, which
    /// are E8M0 then, or those of NVFP4.
    const Format* dequantized = nullptr;
    /// How the amaxes of both tensors come to the sums, in FP32: of elements and scales in NVFP4. Null: they do not.
    const Epilogue* epilogue = nullptr;
    const Accumulator* accumulator = nullptr; ///< points into accumulators()
    const Format* to = nullptr;               ///< of D, as in Product
};

/// The product with its operands quantized as the recipe says. `left` and `right` are matrices of the source's
/// format as they lie: of fprop activations and weights, of dgrad gradients and weights, of wgrad gradients and
/// activations. Throws std::invalid_argument for tensors of other formats, sizes that do not fit or that the recipe
/// refuses, and for float scales that are not dequantized.
[[nodiscard]] Product product_of(std::string_view recipe, const LayerChoices& choices, const MatrixOperand& left,
                                 const MatrixOperand& right);

} // namespace mxcert::tensors
