// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reference/block.hpp"
#include "reference/clause.hpp"
#include "reference/recipe/code_matrix.hpp"

// NVFP4: elements in E2M1, a scale in E4M3, or UE5M3, for each block of 16, or tile of 16x16, and one in binary32 for
// the tensor. Everybody computes the three in an order of their own. All numbers are bit patterns of binary32, and each
// operation is rounded to nearest, ties to even. The *decode scale* of the tensor is what a value is: element x scale x
// decode scale; the *encode scale* is its reciprocal, or the reverse.
namespace mxcert::recipe {

/// What the tensor's amax gives.
enum class TensorScale : std::uint8_t {
    encode, ///< range / amax, and its reciprocal. Transformer Engine, compressed-tensors
    decode, ///< amax / range, and its reciprocal. torchao, ModelOpt
    none,   ///< both are 1: blocks have their own scale alone. torchao without a scale of the tensor
};

/// The scale of a block from its amax, before it is rounded to its format: the order of three numbers.
enum class BlockQuotient : std::uint8_t {
    by_product,  ///< amax x (encode x (1 / 6)). Transformer Engine
    then_encode, ///< encode x (amax / 6). compressed-tensors
    then_decode, ///< (amax / 6) / decode. torchao
    at_once,     ///< amax / (6 x decode). ModelOpt
};

/// What makes a value its element, before it is rounded to E2M1; s is the scale of the block.
enum class ElementScale : std::uint8_t {
    times_inverse,  ///< x times the reciprocal of s x decode. Transformer Engine
    times_quotient, ///< x times (1 / decode) / s. torchao
    over_product,   ///< x / (s x decode). ModelOpt
    over_quotient,  ///< x / (s / encode). compressed-tensors
};

/// Whether a block is mapped to 4 where that is better than to 6: both are tried, and the one with the smaller sum of
/// errors is taken, that to 6 where they are equal. Transformer Engine's 4over6.
enum class FourOverSix : std::uint8_t {
    off,
    absolute, ///< by absolute errors
    square,   ///< by squared ones
};

/// What an element stands for: element x factor, rounded to binary32 and then to the target. The factor follows from
/// the scale s of the block and one number of the tensor.
enum class Nvfp4Factor : std::uint8_t {
    times_amax,   ///< (s x amax) x (1 / range). Transformer Engine
    times_decode, ///< s x decode. torchao, ModelOpt
    over_encode,  ///< s / encode. compressed-tensors
    scale,        ///< s: there is no number of the tensor
};

/// All choices of quantizing to NVFP4, and of the way back.
struct Nvfp4 {
    TensorScale tensor = TensorScale::encode;
    Code range = 0x45280000; ///< 448 x 6 = 2688: the tensor's amax over its decode scale
    /// The encode scale is range x (1 / amax), two roundings: PyTorch's `number / tensor`.
    bool reciprocal = false;
    /// The reciprocal of an amax, the range times or over that, and a sixth of an amax are rounded to this format as
    /// well: PyTorch on a tensor of BF16.
    const Format* scales_in = &formats::fp32;
    Code least_tensor_amax = 0;   ///< a smaller amax of the tensor is raised to it
    bool unusable_is_one = false; ///< an encode scale that is zero, or of an amax of zero, is 1
    bool special_is_one = false;  ///< an encode scale that is Inf or NaN is 1
    /// Quotients beyond binary32 become its largest value, and so does NaN: the minimum of C++.
    bool limited = false;
    const Format* scale = &formats::e4m3; ///< of blocks: e4m3 or ue5m3
    BlockQuotient quotient = BlockQuotient::by_product;
    bool zero_is_one = false;                         ///< a quotient of zero becomes 1
    Code least_quotient = 0;                          ///< a smaller one is raised to it
    Rounding scale_rounding = Rounding::nearest_even; ///< of the quotient to the scale
    Overflow scale_overflow = Overflow::sat;          ///< the same
    Code zero_scale = 0;                              ///< the code that takes the place of 0x00
    /// A quotient that rounds up to the next binade gives the largest scale of its own. AutoRound
    bool scale_carry_lost = false;
    bool positive_scale_is_least = false; ///< a quotient above zero never gives 0x00, but 0x01. AutoRound
    bool nan_scale_is_zero = false;       ///< the quotient NaN gives 0x00. AutoRound
    /// Under the scale 0x00 zero gives the element of a NaN, and any other value any element: blocks with a NaN and
    /// blocks of the smallest values differ, and the scale does not tell them apart. AutoRound
    bool zero_scale_is_open = false;
    ElementScale element = ElementScale::times_inverse;
    Rounding rounding = Rounding::nearest_even; ///< of the scaled value to E2M1
    AmaxNan amax_nan = AmaxNan::ignored;
    Code nan = 0x7; ///< the element where what is rounded is NaN
    /// Bits of that element which the source leaves to the machine: 8, its sign; 15, all, as they come from the bits of
    /// a NaN.
    Code nan_open = 0;
    ZeroSign zero_sign = ZeroSign::kept; ///< of an element
    FourOverSix four_over_six = FourOverSix::off;
    Nvfp4Factor factor = Nvfp4Factor::times_amax;
    bool minus_zero_is_zero = false; ///< the element -0 is read as +0

    friend bool operator==(const Nvfp4&, const Nvfp4&) = default;
};

/// Values that share a scale: along the sum, and of a tile each way.
inline constexpr std::size_t nvfp4_block = 16;

/// What element_of() gives: the code of an element, and this far above it the bits of it that are open.
inline constexpr unsigned nvfp4_open_shift = 4;

/// Whether an answer is the element that is expected, as element_of() gives it.
[[nodiscard]] constexpr bool is_nvfp4_element(Code expected, Code answer) {
    return answer <= formats::e2m1.last_code() &&
           ((answer ^ expected) & ~(expected >> nvfp4_open_shift) & formats::e2m1.last_code()) == 0;
}

/// The two scales of a tensor, and the amax that they follow from.
struct TensorScales {
    Code encode = formats::fp32.one_code();
    Code decode = formats::fp32.one_code();
    Code amax = 0;

    friend bool operator==(const TensorScales&, const TensorScales&) = default;
};

/// A quantized matrix: elements of E2M1, and a scale a block, in rows of blocks.
struct Nvfp4Quantized {
    CodeMatrix elements;
    std::vector<Code> scales;
    TensorScales tensor;

    friend bool operator==(const Nvfp4Quantized&, const Nvfp4Quantized&) = default;
};

/// A quantizer that somebody uses.
struct Nvfp4Preset {
    std::string_view name;
    Nvfp4 choices;
    Grade grade;
    std::string_view source;
};

[[nodiscard]] std::span<const Nvfp4Preset> nvfp4_presets();

/// Throws std::invalid_argument that names the near ones.
[[nodiscard]] const Nvfp4Preset& nvfp4_preset(std::string_view name);

/// The number of a tensor that the way back asks for (Nvfp4::factor).
[[nodiscard]] Code number_for(const Nvfp4& choices, const TensorScales& tensor);

/// Throws std::invalid_argument for a matrix that is empty or has not rows x columns values, another format of values
/// than fp32, bf16 and fp16, or a tensor's amax with a sign.
void check_nvfp4(const Format& value, const CodeMatrix& values, Code tensor_amax);

[[nodiscard]] std::string_view to_string(TensorScale value);
[[nodiscard]] std::string_view to_string(BlockQuotient value);
[[nodiscard]] std::string_view to_string(ElementScale value);
[[nodiscard]] std::string_view to_string(Nvfp4Factor value);
[[nodiscard]] std::string_view to_string(FourOverSix value);

} // namespace mxcert::recipe
