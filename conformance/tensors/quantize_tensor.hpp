// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "conformance/print/progress.hpp"
#include "conformance/tensors/quantization.hpp"
#include "conformance/tensors/tensor_file.hpp"

// Whole tensors by the models, from files to files. Choices that the fast model does not offer go by the exact one.
namespace mxcert::tensors {

/// How a run is done.
struct TensorRun {
    unsigned threads = 0; ///< 0: one a core
    print::Progress* progress = nullptr;
    std::uint64_t most_values = std::uint64_t{1} << 20; ///< of a piece in memory
};

/// The names of the tensors of a quantized one.
inline constexpr const char* elements_name = "elements";
inline constexpr const char* scales_name = "scales";
inline constexpr const char* tensor_scale_name = "tensor_scale"; ///< of NVFP4: the decode scale

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
