// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "reference/block.hpp"
#include "reference/clause.hpp"
#include "reference/recipe/code_matrix.hpp"
#include "reference/recipe/scale.hpp"

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

/// The element of a value under given scales, in exact rational arithmetic rounded operation by operation.
/// Precondition: the value is a code of fp32, bf16 or fp16.
[[nodiscard]] Code element_of(const FloatBlock& choices, const Format& value, const Scales& scales, Code code);

/// Quantizes a matrix of fp32, bf16 or fp16 values, in exact rational arithmetic rounded operation by operation. A NaN
/// scale is 0x7FC00000. Throws as check() and scales_of() do.
[[nodiscard]] FloatQuantized quantize(const FloatBlock& choices, const Format& value, const BlockShape& shape,
                                      const CodeMatrix& values);

/// The reverse: element x scale as a kernel computes it, the product rounded to binary32, and from there to fp16 or
/// bf16; or exactly, in fp64. A NaN is the quiet one without sign. Throws as check() does. Precondition: the target is
/// fp32, fp16, bf16 or fp64.
[[nodiscard]] CodeMatrix dequantize(const FloatBlock& choices, const BlockShape& shape, const FloatQuantized& quantized,
                                    const Format& target = formats::fp32);

/// A scale as a code of the format it is given out in, fp32, fp16, bf16 or e8m0, and back. E8M0 is the exponent field
/// of binary32: 0 is 2^-127, and an Inf becomes its NaN. Precondition: the scale, a bit pattern of binary32, is a value
/// of that format.
[[nodiscard]] Code scale_to(const Format& format, Code scale);
[[nodiscard]] Code scale_from(const Format& format, Code code);

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

/// The same by the binary32 of the machine: + - * / of float, and the fast conversions. It shares no arithmetic with
/// the above, and needs the default floating-point environment: to nearest, subnormals not flushed. A quotient by a
/// least amax that is no binary32 is computed in binary64 and rounded to binary32. Overflow is sat or nosat.
namespace mxcert::fast {

/// Where recipe::scales_of() has nullopt it throws std::invalid_argument.
[[nodiscard]] recipe::Scales scales_of(const recipe::FloatScale& scaling, Code amax);
[[nodiscard]] Code element_of(const recipe::FloatBlock& choices, const Format& value, const recipe::Scales& scales,
                              Code code);
[[nodiscard]] Code scale_to(const Format& format, Code scale);
[[nodiscard]] Code scale_from(const Format& format, Code code);
[[nodiscard]] recipe::FloatQuantized quantize(const recipe::FloatBlock& choices, const Format& value,
                                              const BlockShape& shape, const recipe::CodeMatrix& values);
[[nodiscard]] recipe::CodeMatrix dequantize(const recipe::FloatBlock& choices, const BlockShape& shape,
                                            const recipe::FloatQuantized& quantized,
                                            const Format& target = formats::fp32);

} // namespace mxcert::fast
