// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reference/recipe/float_block.hpp"
#include "reference/recipe/hadamard.hpp"
#include "reference/recipe/mxfp8.hpp"
#include "reference/recipe/nvfp4.hpp"

// One product of a linear layer from tensors of high precision. Each operand is quantized along the sum of the product,
// from the values themselves.
namespace mxcert::recipe {

/// Tokens M, inputs K and outputs N of a layer.
struct LayerSizes {
    std::size_t tokens = 0;
    std::size_t inputs = 0;
    std::size_t outputs = 0;

    /// Of a tensor: activations M x K, weights N x K, gradients M x N.
    [[nodiscard]] Extent of(Tensor tensor) const;
};

/// "1x2x3": tokens, inputs, outputs.
[[nodiscard]] std::string text(const LayerSizes& sizes);

/// The values as they are.
struct NotQuantized {
    friend bool operator==(const NotQuantized&, const NotQuantized&) = default;
};

/// How a tensor becomes an operand of a product.
struct LayerOperand {
    Tensor tensor = Tensor::activations;
    Axis along = Axis::row; ///< of the sum, in the tensor as it lies
    const Format* source = nullptr;
    const Format* element = nullptr;
    const Format* scale = nullptr; ///< that the scales are given out in
    BlockShape block;              ///< in the tensor as it lies
    std::variant<NotQuantized, BlockChoices, FloatBlock, Nvfp4> choices;
    bool given = false; ///< a float scale and its inverse are given: no amax is looked for
    /// Groups of 16 values along the sum are transformed first, and rounded to BF16. Both operands of a product have
    /// the same transform, or none.
    std::optional<Hadamard> transform{};
    /// With random bits the elements, of NVFP4, are rounded by this stochastic rounding; the scales are not.
    Rounding rounding = Rounding::nearest_even;
    unsigned random_bits = 0; ///< given with each value; 0: elements are rounded as the choices say
};

/// The random bits of a value: a word of 32 bits, read as a whole number.
inline constexpr Format random_word{"u32", "random bits", 1, 31, -30, false, true, Specials::none, "this project"};

/// The random word of the value at a place, of words that are as many as the values, or are taken again and again.
/// Throws std::invalid_argument if there are none.
[[nodiscard]] std::uint32_t random_at(std::span<const Code> words, std::size_t place);

/// An operand: elements in the places of the values, and a scale a block, in rows of blocks.
struct LayerQuantized {
    CodeMatrix elements;
    std::vector<Code> scales;
    TensorScales tensor{}; ///< of NVFP4

    friend bool operator==(const LayerQuantized&, const LayerQuantized&) = default;
};

/// The two operands of a product.
struct LayerProduct {
    Product product = Product::fprop;
    LayerOperand left;
    LayerOperand right;
};

/// What quantizes the tensors of a layer, by its name: an MX recipe, one with float scales, one of NVFP4, or "given", a
/// float scale a tensor that comes with it, as delayed scaling has.
inline constexpr std::string_view given_scales = "given";

/// The operands of a product under a recipe. Throws std::invalid_argument for an unknown recipe (that names the near
/// ones), for elements that it does not have, and for scales that cannot be kept so.
[[nodiscard]] LayerProduct layer_product(std::string_view recipe, Product product, const Format& source,
                                         const Format& left, const Format& right, const Format& scale);

/// The epilogue by which the amaxes of both tensors come to the sums of elements and block scales, or "" where that is
/// not said: a recipe of NVFP4 of another library multiplies dequantized values.
[[nodiscard]] std::string_view epilogue_of(std::string_view recipe);

/// The formats that operands have unless others are named: the recipe's own, of float scales E4M3 and binary32. Throws
/// std::invalid_argument for an unknown recipe, that names the near ones.
struct LayerFormats {
    const Format* left = nullptr;
    const Format* right = nullptr;
    const Format* scale = nullptr;
};
[[nodiscard]] LayerFormats usual_formats(std::string_view recipe, Product product);

/// Every recipe that a layer may have.
[[nodiscard]] std::vector<std::string_view> layer_recipes();

/// Why a recipe refuses a tensor of this size, or nothing if it does not.
[[nodiscard]] std::optional<std::string> refused_by(std::string_view recipe, const Extent& tensor);

/// The operand that takes what its transform gives: BF16, which is not transformed again.
[[nodiscard]] LayerOperand after_transform(LayerOperand operand);

/// The values after the transform of the operand, in BF16; where the order of the sums decides, one of the answers.
/// `sums_of` gives the HadamardValues of the codes of a group, by one model or the other.
template <class Sums>
[[nodiscard]] CodeMatrix transformed(const LayerOperand& operand, const CodeMatrix& values, Sums sums_of) {
    CodeMatrix result = values;
    const BlockShape group =
        operand.along == Axis::row ? shapes::rowwise(hadamard_size) : shapes::columnwise(hadamard_size);
    for_each_block(values.extent(), group, [&](std::size_t, const std::vector<std::size_t>& places) {
        std::vector<Code> codes;
        for (const std::size_t place : places) codes.push_back(values.codes[place]);
        const std::vector<HadamardValue> sums = sums_of(codes);
        for (std::size_t i = 0; i < places.size(); ++i) result.codes[places[i]] = sums[i].one_of(formats::bf16);
    });
    return result;
}

/// The same blocks, along the other axis.
[[nodiscard]] LayerOperand turned(LayerOperand operand);

} // namespace mxcert::recipe
