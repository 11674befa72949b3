// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/recipe/mxfp8.hpp"

#include <stdexcept>
#include <utility>

#include "reference/exact/recipe/linear.hpp"

namespace mxcert::exact {

recipe::MxQuantized quantize(const recipe::MxRecipe& recipe, const recipe::MxOperand& operand, const Format& value,
                             const recipe::CodeMatrix& values) {
    check_shape(recipe, values.rows, values.columns);
    if (values.codes.size() != values.rows * values.columns)
        throw std::invalid_argument("the matrix has not rows x columns values");
    const BlockShape shape =
        operand.along == Axis::row ? shapes::rowwise(recipe.block) : shapes::columnwise(recipe.block);
    const Extent scales = scales_of(values.extent(), shape);
    recipe::LayerQuantized quantized =
        quantize(recipe::LayerOperand{operand.tensor, operand.along, &value, operand.element, &formats::e8m0, shape,
                                      recipe.choices},
                 values);
    return {std::move(quantized.elements), {scales.rows, scales.columns, std::move(quantized.scales)}};
}

} // namespace mxcert::exact
