// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "conformance/tensors/tensor_file.hpp"
#include "conformance/tensors/tensor_run.hpp"
#include "reference/choices.hpp"

namespace mxcert::tensors {

/// Random bits for stochastic roundings: a number of so many bits for each value.
struct RandomBits {
    const std::uint32_t* values = nullptr;
    unsigned bits = 0;
};

/// Converts `count` values, native-endian, format.bytes() each, by the fast model where it offers the choices. `first`:
/// the place of the first one in its tensor, for messages. Throws std::invalid_argument for a byte that is no code of a
/// narrower format and for random bits that do not fit.
void convert_values(const Format& from, const Format& to, const Choices& choices, const void* in,
                    const RandomBits& random, void* out, std::uint64_t first, std::size_t count);

/// Throws std::invalid_argument for a format that is not one of single values.
void check_single_values(const Format& format);

/// Converts every value of a tensor to another format, into a file of one tensor, named "values" in a safetensors file.
/// Throws std::invalid_argument for a conversion that needs random bits or a scale, or if a code is none of the format,
/// std::runtime_error if the file cannot be read or written.
void convert_tensor(const TensorFile& tensor, const Format& to, const Choices& choices,
                    const std::filesystem::path& path, const TensorRun& run);

} // namespace mxcert::tensors
