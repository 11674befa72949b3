// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reference/block.hpp"
#include "reference/block_shape.hpp"
#include "reference/layout.hpp"
#include "reference/packing.hpp"
#include "reference/profile/profile.hpp"
#include "reference/recipe/nvfp4.hpp"
#include "reference/scaled_format.hpp"

// How a tensor is quantized: what a file of one says beside its bytes.
namespace mxcert::tensors {

/// How a tensor is quantized in blocks.
struct Quantization {
    const ScaledFormat* format = nullptr;
    const Format* source = nullptr;              ///< of the values: fp32, fp16 or bf16
    std::vector<std::uint64_t> shape;            ///< of the values
    BlockChoices choices;                        ///< of quantizing; dequantizing does not read them
    Axis axis = Axis::row;                       ///< blocks lie along the last axis, or along the one before it
    unsigned block = 32;                         ///< elements; a tail may be shorter
    const Packing* packing = nullptr;            ///< of the elements
    const ScaleLayout* layout = nullptr;         ///< of the scales of each matrix; null: row by row
    const recipe::Nvfp4Preset* recipe = nullptr; ///< of NVFP4: whose quantizer; null: an MX format
    recipe::TensorScales tensor;                 ///< of NVFP4

    /// Of the scales of blocks.
    [[nodiscard]] const Format& scale() const { return recipe == nullptr ? *format->scale : *recipe->choices.scale; }
    [[nodiscard]] BlockFormat block_format() const { return {source, format->element}; }
    [[nodiscard]] BlockShape block_shape() const {
        return axis == Axis::row ? shapes::rowwise(block) : shapes::columnwise(block);
    }
    [[nodiscard]] bool is_packed() const { return packing->order != PackingOrder::byte; }
    /// Of an element in its file.
    [[nodiscard]] unsigned element_bits() const {
        return is_packed() ? static_cast<unsigned>(format->element->width()) : 8;
    }
};

/// A tensor as matrices of its last two axes.
struct Matrices {
    std::uint64_t count = 1;
    Extent matrix{1, 1};
};
[[nodiscard]] Matrices matrices_of(const std::vector<std::uint64_t>& shape);

/// The scales of one matrix, and of the tensor where they are kept.
[[nodiscard]] Extent scales_of_matrix(const Quantization& how);
[[nodiscard]] std::vector<std::uint64_t> scales_shape(const Quantization& how);
/// The shape of the bytes of the elements.
[[nodiscard]] std::vector<std::uint64_t> elements_shape(const Quantization& how);

/// Throws std::invalid_argument if the format, the choices, the packing or the layout do not go with the shape.
void check(const Quantization& how);

/// The choices of a conversion that a profile permits, of each the default or else the first. Throws
/// std::invalid_argument if the profile does not judge the conversion.
[[nodiscard]] Choices choices_of(const Profile& profile, const Conversion& conversion);

/// The same of blocks, by the first scale rule, rounding and overflow mode that the profile judges. Throws
/// std::invalid_argument if it does not judge blocks of this format.
[[nodiscard]] BlockChoices choices_of(const Profile& profile, const BlockFormat& format);

/// What is written beside the tensors, and read again: "format", "source", "shape", "axis", "block", "packing",
/// "layout", and of the choices what they are, for people.
[[nodiscard]] std::map<std::string, std::string> to_text(const Quantization& how);
/// Throws std::runtime_error for what is missing, unknown or impossible. The choices are left at their defaults.
[[nodiscard]] Quantization read_quantization(const std::map<std::string, std::string>& text);

/// Names of AmaxNan and AmaxInf in the order of their enumerations.
inline constexpr std::string_view amax_nan_names[] = {"ignored", "if_alone", "propagated"};
inline constexpr std::string_view amax_inf_names[] = {"counted", "left_out"};

} // namespace mxcert::tensors
