// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "reference/block.hpp"
#include "reference/clause.hpp"
#include "reference/recipe/scale.hpp"
#include "reference/recipe/tile.hpp"

// Blocks with a float scale: a tile of a matrix shares a scale that is no power of two, or need not be one.
namespace mxcert::recipe {

/// How a value is scaled. Both are one operation of binary32; the element is that quotient or product, converted.
enum class Apply : std::uint8_t {
    multiply, ///< x times inverse scale. Transformer Engine, DeepGEMM
    divide,   ///< x / scale. DeepSeek-V3's inference kernels, Nexus
};

/// All choices of quantizing a tile.
struct FloatBlock {
    FloatScale scaling; ///< nothing is kept from block to block: Unusable::keep is refused
    Apply apply = Apply::multiply;
    AmaxNan amax_nan = AmaxNan::ignored;
    Overflow overflow = Overflow::sat; ///< of the conversion to the element

    friend bool operator==(const FloatBlock&, const FloatBlock&) = default;
};

/// A quantized matrix. `scales` has an entry a tile, in rows of tiles.
struct FloatQuantized {
    CodeMatrix elements;
    std::vector<Scales> scales;

    friend bool operator==(const FloatQuantized&, const FloatQuantized&) = default;
};

/// What quantize() and dequantize() of both arithmetics refuse by std::invalid_argument: choices out of their range, a
/// matrix without rows x columns values, an empty tile, another format of values than fp32, bf16 and fp16, and scales
/// that are not one a tile.
void check(const FloatBlock& choices, const Format& value, const Tile& tile, const CodeMatrix& values);
void check(const FloatBlock& choices, const Tile& tile, const FloatQuantized& quantized);

/// Quantizes a matrix of fp32, bf16 or fp16 values, in exact rational arithmetic rounded operation by operation. A NaN
/// scale is 0x7FC00000. Throws std::invalid_argument if the values are not rows x columns, a tile is empty or the
/// format of the values is another, and as scales_of() does.
[[nodiscard]] FloatQuantized quantize(const FloatBlock& choices, const Format& value, const Tile& tile,
                                      const CodeMatrix& values);

/// The reverse: element x scale, rounded to binary32; a NaN is 0x7FC00000. Throws as quantize() does.
[[nodiscard]] CodeMatrix dequantize(const FloatBlock& choices, const Tile& tile, const FloatQuantized& quantized);

/// A recipe with float scales that somebody uses: the tiles of activations and gradients, and of weights.
struct FloatBlockPreset {
    std::string_view name;
    FloatBlock choices;
    Tile activations;
    Tile weights;
    Grade grade;
    std::string_view source;
};

[[nodiscard]] std::span<const FloatBlockPreset> float_block_presets();

/// Throws std::invalid_argument that lists the names there are.
[[nodiscard]] const FloatBlockPreset& float_block_preset(std::string_view name);

[[nodiscard]] std::string_view to_string(Apply value);

} // namespace mxcert::recipe

/// The same by the binary32 of the machine: + - * / of float, and the fast conversions. It shares no arithmetic with
/// the above, and needs the default floating-point environment: to nearest, subnormals not flushed. A quotient by a
/// least amax that is no binary32 is computed in binary64 and rounded to binary32. Overflow is sat or nosat.
namespace mxcert::fast {

[[nodiscard]] recipe::FloatQuantized quantize(const recipe::FloatBlock& choices, const Format& value,
                                              const recipe::Tile& tile, const recipe::CodeMatrix& values);
[[nodiscard]] recipe::CodeMatrix dequantize(const recipe::FloatBlock& choices, const recipe::Tile& tile,
                                            const recipe::FloatQuantized& quantized);

} // namespace mxcert::fast
