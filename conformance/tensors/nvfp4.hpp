// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "conformance/tensors/pieces.hpp"
#include "conformance/tensors/quantization.hpp"
#include "conformance/tensors/tensor_file.hpp"
#include "conformance/tensors/tensor_run.hpp"

// Tensors in NVFP4: what differs from MX is the scale of a block, which needs that of the tensor.
namespace mxcert::tensors {

/// The amax of a tensor, as the recipe has it: a code of binary32. The tensor is read once.
[[nodiscard]] Code tensor_amax_of(const TensorFile& tensor, const Quantization& how, const TensorRun& run);
/// The same of a tensor whose pieces `read` gives, from several threads.
[[nodiscard]] Code tensor_amax_of(const Quantization& how,
                                  const std::function<std::vector<unsigned char>(const Piece&)>& read,
                                  const TensorRun& run);

/// As quantize_piece().
void quantize_nvfp4_piece(const Quantization& how, const Extent& size, const void* values, std::uint8_t* elements,
                          std::uint8_t* scales);

/// The value of each element under each scale: element x scale x tensor scale, exactly, and rounded once. Element e
/// under scale s is at s x 16 + e.
[[nodiscard]] std::vector<Code> nvfp4_values(const Quantization& how, const Format& to, const Choices& choices);
/// Dequantizes a piece by these values.
void dequantize_nvfp4_piece(const Quantization& how, const Extent& size, const Format& to,
                            const std::vector<Code>& products, const std::uint8_t* elements, const std::uint8_t* scales,
                            unsigned char* values);

} // namespace mxcert::tensors
