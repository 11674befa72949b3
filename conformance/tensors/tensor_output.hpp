// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/files/output_file.hpp"
#include "reference/format.hpp"

// Tensors written to files in pieces: npy, safetensors, and values alone.
namespace mxcert::tensors {

/// A tensor that is to be written.
struct OutputTensor {
    std::string name;                 ///< of the file in a folder, and in a safetensors file
    const Format* format = nullptr;   ///< of its values; null: bytes
    std::vector<std::uint64_t> shape; ///< no size is zero
};

/// What a place for output is, by its name.
enum class OutputKind : std::uint8_t {
    npy,         ///< "x.npy": one tensor
    safetensors, ///< "x.safetensors": any number of tensors
    values,      ///< "x.bin": the values of one tensor, little-endian
    folder,      ///< anything else: a folder with NAME.npy of each
};
[[nodiscard]] OutputKind output_kind(const std::filesystem::path& path);

/// Tensors that appear whole or not at all, written in pieces in any order and from any thread.
class TensorOutput {
  public:
    /// `metadata`: what a safetensors file says of them, and a folder in its own file, MXCERT.json. Throws
    /// std::invalid_argument if there are several tensors for a file of one, std::runtime_error if the files cannot be
    /// made.
    TensorOutput(const std::filesystem::path& path, std::vector<OutputTensor> tensors,
                 const std::map<std::string, std::string>& metadata = {});

    /// Values from the place `first` on, native-endian, format->bytes() each. Throws std::runtime_error.
    void write(std::size_t tensor, std::uint64_t first, std::size_t values, const void* from);
    /// Moves the files into place. Once.
    void finish();

    [[nodiscard]] const std::vector<OutputTensor>& tensors() const { return tensors_; }

  private:
    struct Place {
        std::size_t file;
        std::uint64_t offset; ///< of the first value
    };
    std::vector<OutputTensor> tensors_;
    std::vector<Place> places_;
    std::vector<files::OutputFile> files_;
};

/// The name of the file in a folder that says what its tensors are.
inline constexpr std::string_view metadata_file = "MXCERT.json";

} // namespace mxcert::tensors
