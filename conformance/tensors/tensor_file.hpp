// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/format.hpp"

// Tensors in files: npy, safetensors, and values alone. Whatever a header says, no more memory is taken than the header
// itself has bytes, and values are read in pieces.
namespace mxcert::tensors {

/// Formats of values that are quantized or measured.
inline constexpr const Format* value_formats[] = {&formats::fp32, &formats::fp16, &formats::bf16};
/// Every format that a file may have, codes of eight bits and fewer among them: a byte each.
inline constexpr const Format* file_formats[] = {
    &formats::fp64, &formats::fp32,  &formats::fp16,  &formats::bf16,     &formats::e4m3,
    &formats::e5m2, &formats::e8m0,  &formats::e3m2,  &formats::e2m3,     &formats::e2m1,
    &formats::int8, &formats::ue4m3, &formats::ue5m3, &formats::e4m3fnuz, &formats::e5m2fnuz};
using Taken = std::span<const Format* const>;

/// A tensor in a file: what its values are and where they lie, in rows, little-endian.
struct TensorInfo {
    const Format* format = nullptr;   ///< one of those that are taken
    std::vector<std::uint64_t> shape; ///< empty: one value
    std::uint64_t values = 0;         ///< product of the shape, at least 1
    std::uint64_t offset = 0;         ///< of the first value, in bytes from the start of the file
};

/// A tensor of a safetensors file as its header has it.
struct SafeTensor {
    std::string name;
    std::string dtype; ///< "F32", "BF16", "I64", ...
    std::vector<std::uint64_t> shape;
    std::uint64_t begin = 0; ///< of its bytes, from the first one behind the header
    std::uint64_t end = 0;
};

/// More values than this a tensor must not have: 2^50, so that all sums of bytes fit 64 bits.
inline constexpr std::uint64_t max_tensor_values = std::uint64_t{1} << 50;
/// What a npy file begins with.
inline constexpr std::string_view npy_magic = "\x93NUMPY";
/// The longest headers that are read, in bytes.
inline constexpr std::uint64_t max_npy_header = 64 * 1024;
inline constexpr std::uint64_t max_safetensors_header = 4 * 1024 * 1024;

/// The number of values of a shape. Throws std::invalid_argument if a size is zero, or if there are more values than
/// max_tensor_values.
[[nodiscard]] std::uint64_t values_of(const std::vector<std::uint64_t>& shape);

/// "[4, 32]".
[[nodiscard]] std::string shape_text(const std::vector<std::uint64_t>& shape);

/// The sizes of "4,32". Throws std::invalid_argument.
[[nodiscard]] std::vector<std::uint64_t> parse_shape(std::string_view text);

/// The format of that name if it is taken. Throws std::invalid_argument that lists those that are.
[[nodiscard]] const Format& taken_format(std::string_view name, Taken taken);

/// Reads the header of a npy file (NumPy's NEP 1, versions 1.0, 2.0 and 3.0). `head`: the first bytes of the file, at
/// least 12 + max_npy_header of them if there are so many. Of '<f8', '<f4', '<f2', and with `dtype`, for formats that
/// NumPy does not have, '<u2' and '|V2' (bf16), '|u1' and '|V1' (codes a byte wide). Throws std::runtime_error: the
/// magic, the version, the dictionary, a key or a value is wrong; a format that is not taken, another order of bytes or
/// of axes; no values or too many; the file has fewer or more bytes than the shape.
[[nodiscard]] TensorInfo parse_npy(std::string_view head, std::uint64_t file_bytes, const Format* dtype,
                                   Taken taken = value_formats);

/// The type of a format's values in a npy file, "<f4", and in a safetensors file, "F32". Null: bytes.
[[nodiscard]] std::string_view npy_type_of(const Format* format);
[[nodiscard]] std::string_view safetensors_type_of(const Format* format);

/// The length of the header of a safetensors file from its first eight bytes. Throws std::runtime_error if the file has
/// no room for it, or if it is longer than max_safetensors_header.
[[nodiscard]] std::uint64_t safetensors_header_bytes(std::string_view first, std::uint64_t file_bytes);

/// The tensors of a safetensors file in the order of their bytes. `header`: its JSON; `data_bytes`: what follows.
/// Throws std::runtime_error: no valid JSON, a member is missing or wrong, a name stands twice, tensors overlap, leave
/// a hole or end beyond the file, or a tensor's bytes are not those of its shape.
[[nodiscard]] std::vector<SafeTensor> parse_safetensors(std::string_view header, std::uint64_t data_bytes);

/// The texts that a header has under "__metadata__", by their names; none if there is no such member. Throws
/// std::runtime_error if it is no object of texts.
[[nodiscard]] std::map<std::string, std::string> parse_safetensors_metadata(std::string_view header);
/// The same of a file. Throws std::runtime_error that names it.
[[nodiscard]] std::map<std::string, std::string> safetensors_metadata(const std::filesystem::path& path);

/// The tensors of a file, as parse_safetensors(). Throws std::runtime_error that names it.
[[nodiscard]] std::vector<SafeTensor> safetensors_tensors(const std::filesystem::path& path);
/// Whether the file says that a tensor's values are of one of these formats.
[[nodiscard]] bool is_taken(const SafeTensor& tensor, Taken taken = value_formats);

/// What to take of a file.
struct TensorChoice {
    std::string dtype;                               ///< "": as the file says
    std::optional<std::vector<std::uint64_t>> shape; ///< of values alone, without a header
    std::string name;                                ///< of a tensor of a safetensors file; "": the only one
    Taken taken = value_formats;
};

/// A tensor whose values are read where they lie.
class TensorFile {
  public:
    /// Opens a file and reads its header: npy by its first bytes, safetensors by the ending of its name, values alone
    /// if the choice has a shape. Throws std::invalid_argument or std::runtime_error that names the file and what is
    /// wrong: what the parsers refuse; no regular file; a dtype is missing or differs; no tensor of that name, with
    /// those there are.
    TensorFile(const std::filesystem::path& path, const TensorChoice& choice);
    ~TensorFile();
    TensorFile(const TensorFile&) = delete;
    TensorFile& operator=(const TensorFile&) = delete;
    TensorFile(TensorFile&&) = delete;
    TensorFile& operator=(TensorFile&&) = delete;

    [[nodiscard]] const TensorInfo& info() const { return info_; }

    /// Reads values from the place `first` on, native-endian, format->bytes() each. Throws std::runtime_error if the
    /// file cannot be read, or has become shorter.
    void read(std::uint64_t first, std::size_t values, void* to) const;

  private:
    void open(const TensorChoice& choice);
    void open_npy(const std::string& head, const TensorChoice& choice);
    void open_safetensors(const TensorChoice& choice);
    void open_values(const TensorChoice& choice);
    [[nodiscard]] std::string bytes_at(std::uint64_t offset, std::uint64_t most) const;
    void read_bytes(std::uint64_t offset, std::size_t bytes, char* to) const;

    std::filesystem::path path_;
    int fd_ = -1;
    std::uint64_t file_bytes_ = 0;
    TensorInfo info_;
};

} // namespace mxcert::tensors
