// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "conformance/suites/nvfp4/cases.hpp"

// Quantizing to NVFP4 as somebody may do it, right or wrong.
namespace mxcert::suites {

/// What a quantizer does that transforms its values first.
enum class FirstTransform : std::uint8_t {
    as_declared,
    left_out,
    without_signs,
    signs_after,       ///< the sum, not before it
    other_axis,        ///< groups across the blocks
    without_factor,    ///< sums are not multiplied by 1/4
    not_rounded,       ///< sums stay in FP32
    after_tensor_amax, ///< the amax of the tensor is that of the values before the transform
};

/// What a quantizer does: the choices of a recipe, and slips that no recipe has.
struct Nvfp4Way {
    recipe::Nvfp4 choices;
    bool by_unrounded = false;  ///< elements by the scale of the block before it was rounded
    bool one_amax = false;      ///< the amax of the tensor in every block
    bool signed_amax = false;   ///< amaxes without magnitudes: negative values are left out
    bool last_left_out = false; ///< the last value of a block is not seen by its amax
    bool in_columns = false;    ///< the scales of blocks lie in columns, not in rows
    bool gives_inverse = false; ///< the reciprocal of the tensor's scale is given out
    bool always_to_4 = false;   ///< of four_over_six: whatever the errors are
    bool in_one_sum = false;    ///< of four_over_six: errors are added one after the other, in tiles too
    bool ties_to_4 = false;     ///< of four_over_six: where the errors are equal
    FirstTransform transform = FirstTransform::as_declared; ///< where there is one
    bool scales_at_random = false;  ///< the scale of a block is one of the two beside its quotient
    bool unsigned_elements = false; ///< elements are without their signs

    friend bool operator==(const Nvfp4Way&, const Nvfp4Way&) = default;
};

/// The amax and the scales of a tensor, in binary32.
struct Nvfp4Tensor {
    Code amax = 0;
    recipe::TensorScales scales;
};

/// What becomes of a block.
struct Nvfp4Block {
    Code scale = 0;
    std::vector<Code> elements; ///< as element_of() gives them
};

/// A matrix that is quantized in ways, by the machine's arithmetic.
class Nvfp4Matrix {
  public:
    Nvfp4Matrix(const QuantizeNvfp4& quantize, TileCase tile_case);

    [[nodiscard]] Nvfp4Tensor tensor_of(const Nvfp4Way& way) const;
    [[nodiscard]] Nvfp4Block block_of(const Nvfp4Way& way, const Nvfp4Tensor& tensor, std::uint64_t block) const;
    /// What is given out of the scales of a tensor; 0 if nothing is.
    [[nodiscard]] Code given_out(const Nvfp4Way& way, const Nvfp4Tensor& tensor) const;
    /// Where the scale of a block lies.
    [[nodiscard]] std::uint64_t scale_place(const Nvfp4Way& way, std::uint64_t block) const {
        return way.in_columns ? matrix().place_in_columns(block) : block;
    }
    [[nodiscard]] const FloatMatrix& matrix() const { return tile_case_.matrix; }
    /// The values of a block that are quantized, codes of binary32.
    [[nodiscard]] const std::vector<Code>& values_of(const Nvfp4Way& way, std::uint64_t block) const {
        return blocks_of(way)[block];
    }
    /// Whether a value is zero after a transform: its sign may be open.
    [[nodiscard]] bool is_transformed_zero(const Nvfp4Way& way, std::uint64_t block, std::uint64_t lane) const;

  private:
    using Blocks = std::vector<std::vector<Code>>; ///< their values as binary32
    [[nodiscard]] const Blocks& blocks_of(FirstTransform transform) const;
    /// What is quantized.
    [[nodiscard]] const Blocks& blocks_of(const Nvfp4Way& way) const {
        const bool is_right = way.transform == FirstTransform::after_tensor_amax;
        return blocks_of(is_right ? FirstTransform::as_declared : way.transform);
    }

    QuantizeNvfp4 quantize_;
    TileCase tile_case_;
    mutable std::map<FirstTransform, Blocks> blocks_; ///< those that were asked for
};

/// A matrix that was asked and what came back.
class Nvfp4Seen {
  public:
    Nvfp4Seen(const QuantizeNvfp4& quantize, const TileCase& tile_case, std::vector<frames::Values> outputs)
        : random_(quantize.random), of_recipe_(quantize.recipe->choices.rounding), matrix_(quantize, tile_case),
          outputs_(std::move(outputs)) {}

    [[nodiscard]] Nvfp4Tensor tensor_of(const Nvfp4Way& way) const { return matrix_.tensor_of(way); }
    [[nodiscard]] bool gives_tensor(const Nvfp4Way& way, const Nvfp4Tensor& tensor) const;
    /// Where the quantizer rounds at random and the way rounds as the recipe, each element may be either neighbour.
    [[nodiscard]] bool gives_block(const Nvfp4Way& way, const Nvfp4Tensor& tensor, std::uint64_t block) const;
    [[nodiscard]] bool gives_all(const Nvfp4Way& way) const;
    [[nodiscard]] std::uint64_t blocks() const { return matrix_.matrix().blocks(); }

  private:
    /// Whether the block has the scale and, each in its place, elements of one of these.
    [[nodiscard]] bool has(const Nvfp4Way& way, std::uint64_t block, const std::vector<Nvfp4Block>& made) const;

    bool random_ = false;
    Rounding of_recipe_ = Rounding::nearest_even;
    Nvfp4Matrix matrix_;
    std::vector<frames::Values> outputs_;
};

} // namespace mxcert::suites
