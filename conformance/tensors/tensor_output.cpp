// SPDX-License-Identifier: Apache-2.0
#include "conformance/tensors/tensor_output.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "conformance/files/json_members.hpp"
#include "conformance/tensors/tensor_file.hpp"

namespace mxcert::tensors {
namespace {

using Json = nlohmann::ordered_json;

std::uint64_t bytes_of(const OutputTensor& tensor) {
    return tensor.format == nullptr ? 1 : static_cast<std::uint64_t>(tensor.format->bytes());
}

/// The length of a header in so many bytes.
std::string little_endian(std::uint64_t number, unsigned bytes) {
    std::string text;
    for (unsigned i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 0xFF);
    return text;
}

/// The header of version 1.0, filled up so that the values begin at a multiple of 64 (NumPy's NEP 1).
std::string npy_header(const OutputTensor& tensor) {
    constexpr std::size_t before = 10;
    constexpr std::size_t aligned = 64;
    std::string text =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", npy_type_of(tensor.format),
                    fmt::join(tensor.shape, ", "), tensor.shape.size() == 1 ? "," : "");
    text.append(aligned - 1 - (before + text.size()) % aligned, ' ');
    text += '\n';
    return std::string(npy_magic) + std::string("\x01\x00", 2) + little_endian(text.size(), 2) + text;
}

} // namespace

OutputKind output_kind(const std::filesystem::path& path) {
    const std::filesystem::path ending = path.extension();
    if (ending == ".npy") return OutputKind::npy;
    if (ending == ".safetensors") return OutputKind::safetensors;
    return ending == ".bin" ? OutputKind::values : OutputKind::folder;
}

TensorOutput::TensorOutput(const std::filesystem::path& path, std::vector<OutputTensor> tensors,
                           const std::map<std::string, std::string>& metadata)
    : tensors_(std::move(tensors)) {
    const OutputKind kind = output_kind(path);
    if ((kind == OutputKind::npy || kind == OutputKind::values) && tensors_.size() != 1)
        throw std::invalid_argument(
            fmt::format("'{}' holds one tensor, and there are {}: name a folder or a .safetensors file", path.string(),
                        tensors_.size()));
    if (kind == OutputKind::safetensors) {
        Json header;
        if (!metadata.empty()) header["__metadata__"] = metadata;
        std::uint64_t at = 0;
        for (const OutputTensor& tensor : tensors_) {
            const std::uint64_t end = at + values_of(tensor.shape) * bytes_of(tensor);
            header[tensor.name] = {
                {"dtype", safetensors_type_of(tensor.format)}, {"shape", tensor.shape}, {"data_offsets", {at, end}}};
            places_.push_back({0, at});
            at = end;
        }
        std::string text = header.dump();
        text.append((8 - text.size() % 8) % 8, ' ');
        for (Place& place : places_) place.offset += 8 + text.size();
        files_.emplace_back(path);
        files_.back().put(0, little_endian(text.size(), 8) + text);
        return;
    }
    if (kind == OutputKind::folder) {
        files::make_folder(path);
        // Whoever reads a folder reads this first: it appears last, and of an earlier run nothing is left.
        std::filesystem::remove(path / metadata_file);
    }
    for (const OutputTensor& tensor : tensors_) {
        const std::string header = kind == OutputKind::values ? "" : npy_header(tensor);
        places_.push_back({files_.size(), header.size()});
        files_.emplace_back(kind == OutputKind::folder ? path / (tensor.name + ".npy") : path);
        files_.back().put(0, header);
    }
    if (kind == OutputKind::folder && !metadata.empty()) {
        files_.emplace_back(path / metadata_file);
        files_.back().put(0, files::json_text(Json(metadata)));
    }
}

void TensorOutput::write(std::size_t tensor, std::uint64_t first, std::size_t values, const void* from) {
    const std::uint64_t bytes = bytes_of(tensors_.at(tensor));
    const Place& place = places_[tensor];
    std::string_view data(static_cast<const char*>(from), values * bytes);
    std::string turned;
    if (std::endian::native == std::endian::big && bytes > 1) {
        turned = data;
        for (std::size_t i = 0; i < turned.size(); i += bytes)
            std::reverse(turned.begin() + static_cast<std::ptrdiff_t>(i),
                         turned.begin() + static_cast<std::ptrdiff_t>(i + bytes));
        data = turned;
    }
    files_[place.file].put(place.offset + first * bytes, data);
}

void TensorOutput::finish() {
    for (files::OutputFile& file : files_) file.finish();
}

} // namespace mxcert::tensors
