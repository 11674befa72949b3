// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "reference/block.hpp"
#include "reference/block_shape.hpp"
#include "reference/clause.hpp"
#include "reference/recipe/code_matrix.hpp"

// MXFP8 recipes: what each of the three products of a linear layer takes. With tokens M, inputs K and outputs N: the
// activations X are M x K, the weights W are N x K, the gradients G of the output are M x N.
namespace mxcert::recipe {

enum class Product : std::uint8_t {
    fprop, ///< X W^T, M x N, the sum is over K
    dgrad, ///< G W, M x K, the sum is over N
    wgrad, ///< G^T X, N x K, the sum is over M
};

enum class Tensor : std::uint8_t { activations, weights, gradients };

/// A tensor as a product takes it. It is quantized from the values themselves, never from another quantized form.
struct MxOperand {
    Tensor tensor;
    Axis along; ///< blocks lie along the sum of the product
    const Format* element;
};

struct MxProduct {
    Product product;
    MxOperand left;
    MxOperand right;
};

struct MxRecipe {
    std::string_view name;
    std::array<MxProduct, 3> products; ///< fprop, dgrad, wgrad
    BlockChoices choices;
    std::size_t block = 32;
    std::string_view sizes = "any"; ///< the SizePolicy: which tensors it refuses
    Grade grade = Grade::memory;
    std::string_view source;
};

[[nodiscard]] std::span<const MxRecipe> mx_recipes();

/// Throws std::invalid_argument that lists the names there are.
[[nodiscard]] const MxRecipe& mx_recipe(std::string_view name);

/// Throws std::invalid_argument if the recipe refuses a tensor of this shape, in either direction.
void check_shape(const MxRecipe& recipe, std::size_t rows, std::size_t columns);

/// A quantized tensor: elements in the places of the values, and E8M0 scales.
struct MxQuantized {
    CodeMatrix elements;
    CodeMatrix scales;

    friend bool operator==(const MxQuantized&, const MxQuantized&) = default;
};

[[nodiscard]] std::string_view to_string(Product value);
[[nodiscard]] std::string_view to_string(Tensor value);

} // namespace mxcert::recipe
