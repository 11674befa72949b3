// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "conformance/tensors/quantization.hpp"
#include "conformance/tensors/tensor_file.hpp"
#include "conformance/tensors/tensor_run.hpp"

// Whole tensors by the models, from files to files. Choices that the fast model does not offer go by the exact one.
namespace mxcert::tensors {

/// Quantizes a tensor into a folder or a safetensors file (TensorOutput). `how.source` and `how.shape` are those of the
/// tensor. `metadata`: what is written beside to_text(how). Throws what check() and TensorOutput throw, and
/// std::runtime_error if the tensor cannot be read.
void quantize_tensor(const TensorFile& tensor, const Quantization& how, const std::filesystem::path& to,
                     std::map<std::string, std::string> metadata, const TensorRun& run);

/// Quantizes pieces of one matrix in memory: what quantize_tensor() does with each. `values`, `elements` and `scales`
/// have the sizes of the piece; elements are a byte each.
void quantize_piece(const Quantization& how, const Extent& size, const void* values, std::uint8_t* elements,
                    std::uint8_t* scales);

} // namespace mxcert::tensors
