// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "conformance/tensors/quantization.hpp"
#include "conformance/tensors/tensor_file.hpp"
#include "conformance/tensors/tensor_run.hpp"

namespace mxcert::tensors {

/// What is written beside a quantized tensor: the metadata of a safetensors file, or of a folder. Throws
/// std::runtime_error that names the file.
[[nodiscard]] std::map<std::string, std::string> read_metadata(const std::filesystem::path& quantized);

/// The elements and scales of a quantized tensor: a folder or a safetensors file, or one file of each.
struct QuantizedFiles {
    std::filesystem::path elements;
    std::filesystem::path scales;
};
[[nodiscard]] QuantizedFiles files_of(const std::filesystem::path& quantized);

/// What to open of them.
[[nodiscard]] TensorChoice elements_choice(const QuantizedFiles& files, const Quantization& how);
[[nodiscard]] TensorChoice scales_choice(const QuantizedFiles& files, const Quantization& how);

/// All elements, a byte each, and all scales, row by row. Throw std::runtime_error if the shape is not that of the
/// quantization, or a code is none.
[[nodiscard]] std::vector<std::uint8_t> read_codes(const TensorFile& file, const Quantization& how);
[[nodiscard]] std::vector<std::uint8_t> read_scales(const TensorFile& file, const Quantization& how);

/// The value of every element of NVFP4 under every scale, for dequantize_piece(); of MX nothing.
[[nodiscard]] std::vector<Code> products_of(const Quantization& how, const Format& to, const Choices& choices);
/// Dequantizes pieces of one matrix in memory: what dequantize_tensor() does with each. Elements are a byte each;
/// values are native-endian, to.bytes() each. Precondition: every byte is a code of the elements.
void dequantize_piece(const Quantization& how, const Extent& size, const Format& to, const Choices& choices,
                      const std::vector<Code>& products, const std::uint8_t* elements, const std::uint8_t* scales,
                      unsigned char* values);

/// Dequantizes to a file of one tensor, named "values" in a safetensors file. `to`: fp64, fp32, fp16 or bf16; `choices`
/// of that conversion. Throws std::runtime_error if a shape is not that of the quantization, or a code is none.
void dequantize_tensor(const TensorFile& elements, const TensorFile& scales, const Quantization& how, const Format& to,
                       const Choices& choices, const std::filesystem::path& path, const TensorRun& run);

} // namespace mxcert::tensors
