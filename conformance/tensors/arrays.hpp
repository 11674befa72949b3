// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "conformance/tensors/convert_tensor.hpp"
#include "conformance/tensors/quantization.hpp"
#include "reference/choices.hpp"
#include "reference/format.hpp"

// Whole tensors by the models, from memory to memory: the same bytes as those of files. Values are native-endian and
// lie in rows, each format's bytes() wide; buffers do not overlap. `threads`: 0 for one a core.
namespace mxcert::tensors {

/// Converts values of any shape. Throws as convert_values(), and std::invalid_argument for a format of blocks.
void convert_array(const Format& from, const Format& to, const Choices& choices, const void* in,
                   const RandomBits& random, void* out, std::uint64_t count, unsigned threads);

/// The amax of a tensor that is to become NVFP4, a code of binary32.
[[nodiscard]] Code tensor_amax_of(const Quantization& how, const void* values, unsigned threads);

/// Quantizes. `elements` has as many bytes as elements_shape(how), `scales` as scales_shape(how). Precondition:
/// check(how).
void quantize_array(const Quantization& how, const void* values, std::uint8_t* elements, std::uint8_t* scales,
                    unsigned threads);

/// The reverse. `choices` are those of the conversion to `to`: fp64, fp32, fp16 or bf16. Throws std::out_of_range for a
/// byte that is no code of the elements. Precondition: check(how).
void dequantize_array(const Quantization& how, const Format& to, const Choices& choices, const std::uint8_t* elements,
                      const std::uint8_t* scales, void* values, unsigned threads);

} // namespace mxcert::tensors
