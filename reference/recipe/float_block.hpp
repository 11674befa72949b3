// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "reference/block.hpp"
#include "reference/clause.hpp"
#include "reference/recipe/code_matrix.hpp"
#include "reference/recipe/float_scale.hpp"

// Blocks with a float scale: the values of a block share a scale that is no power of two, or need not be one.
namespace mxcert::recipe {

/// How a value is scaled. Both are one operation of binary32; the element is that quotient or product, converted.
enum class Apply : std::uint8_t {
    multiply, ///< x times inverse scale. Transformer Engine, DeepGEMM
    divide,   ///< x / scale. DeepSeek-V3's inference kernels, Nexus
};

/// All choices of quantizing a block.
struct FloatBlock {
    FloatScale scaling; ///< nothing is kept from block to block: Unusable::keep is refused
    Apply apply = Apply::multiply;
    AmaxNan amax_nan = AmaxNan::ignored;
    Overflow overflow = Overflow::sat; ///< of the conversion to the element

    friend bool operator==(const FloatBlock&, const FloatBlock&) = default;
};

/// A quantized matrix. `scales` has an entry a block, in rows of blocks.
struct FloatQuantized {
    CodeMatrix elements;
    std::vector<Scales> scales;

    friend bool operator==(const FloatQuantized&, const FloatQuantized&) = default;
};

/// What quantize() and dequantize() of both arithmetics refuse by std::invalid_argument: choices out of their range, a
/// matrix that is empty or has not rows x columns values, another format of values than fp32, bf16 and fp16, and scales
/// that are not one a block.
void check(const FloatBlock& choices, const Format& value, const CodeMatrix& values);
void check(const FloatBlock& choices, const BlockShape& shape, const FloatQuantized& quantized);

/// A recipe with float scales that somebody uses: the blocks of activations and gradients, and of weights.
struct FloatBlockPreset {
    std::string_view name;
    FloatBlock choices;
    BlockShape activations;
    BlockShape weights;
    Grade grade;
    std::string_view source;
};

[[nodiscard]] std::span<const FloatBlockPreset> float_block_presets();

/// Throws std::invalid_argument that names the near ones.
[[nodiscard]] const FloatBlockPreset& float_block_preset(std::string_view name);

[[nodiscard]] std::string_view to_string(Apply value);

} // namespace mxcert::recipe
