// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "conformance/tensors/tensor_file.hpp"
#include "conformance/tensors/tensor_run.hpp"
#include "reference/choices.hpp"

namespace mxcert::tensors {

/// Converts every value of a tensor to another format, into a file of one tensor, named "values" in a safetensors file.
/// Throws std::invalid_argument for a conversion that needs random bits or a scale, std::runtime_error if the file
/// cannot be read or written, or if a code is none of the format.
void convert_tensor(const TensorFile& tensor, const Format& to, const Choices& choices,
                    const std::filesystem::path& path, const TensorRun& run);

} // namespace mxcert::tensors
