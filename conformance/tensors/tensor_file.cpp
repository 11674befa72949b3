// SPDX-License-Identifier: Apache-2.0
#include "conformance/tensors/tensor_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/frames/words.hpp"
#include "conformance/print/text.hpp"
#include "reference/base/near_names.hpp"

namespace mxcert::tensors {
namespace {

/// A type of a safetensors file; without a format: bytes, of which the dtype says what they are.
struct SafeType {
    std::string_view name;
    const Format* format;
};
constexpr SafeType safe_types[] = {
    {"F64", &formats::fp64},     {"F32", &formats::fp32},     {"F16", &formats::fp16},     {"BF16", &formats::bf16},
    {"F8_E4M3", &formats::e4m3}, {"F8_E5M2", &formats::e5m2}, {"F8_E8M0", &formats::e8m0}, {"U8", nullptr}};

bool is_taken(const SafeType& type, Taken taken) {
    return std::any_of(taken.begin(), taken.end(), [&](const Format* format) {
        return type.format == nullptr ? format->bytes() == 1 : format == type.format;
    });
}

/// The format of a tensor of that type. Throws std::invalid_argument or std::runtime_error without the tensor's name.
const Format& format_of(const std::string& name, const TensorChoice& choice) {
    const auto* const type = std::find_if(std::begin(safe_types), std::end(safe_types), [&](const SafeType& row) {
        return row.name == name && is_taken(row, choice.taken);
    });
    if (type == std::end(safe_types)) {
        std::vector<std::string_view> names;
        for (const SafeType& row : safe_types)
            if (is_taken(row, choice.taken)) names.push_back(row.name);
        throw std::runtime_error(fmt::format("is of {}: {} are taken", print::printable(name), fmt::join(names, ", ")));
    }
    if (choice.dtype.empty()) {
        if (type->format != nullptr) return *type->format;
        throw std::invalid_argument("is of U8, bytes: --dtype must say of which format they are codes");
    }
    const Format& format = taken_format(choice.dtype, choice.taken);
    if (type->format == nullptr ? format.bytes() != 1 : &format != type->format)
        throw std::invalid_argument(fmt::format("is of {}, not of --dtype {}", name, choice.dtype));
    return format;
}

/// Names, the first of them if there are many.
std::string listed(const std::vector<std::string_view>& names) {
    constexpr std::size_t most = 20;
    const std::size_t n = std::min(names.size(), most);
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += (i == 0 ? "" : ", ") + print::printable(names[i]);
    return n < names.size() ? fmt::format("{} and {} more", text, names.size() - n) : text;
}

const SafeTensor& chosen(const std::vector<SafeTensor>& tensors, const std::string& name) {
    std::vector<std::string_view> names;
    for (const SafeTensor& tensor : tensors) names.emplace_back(tensor.name);
    if (names.empty()) throw std::runtime_error("there is no tensor in it");
    if (name.empty() && names.size() == 1) return tensors.front();
    if (name.empty()) throw std::invalid_argument("--tensor must say which: " + listed(names));
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return tensors[static_cast<std::size_t>(found - names.begin())];
    const std::vector<std::string_view> near = near_names(name, names);
    throw std::invalid_argument(fmt::format("no tensor '{}': {}{}", print::printable(name),
                                            near.empty() ? "there are " : "did you mean ",
                                            listed(near.empty() ? names : near)));
}

} // namespace

std::string_view safetensors_type_of(const Format* format) {
    const auto* const type = std::find_if(std::begin(safe_types), std::end(safe_types),
                                          [&](const SafeType& row) { return row.format == format; });
    return type == std::end(safe_types) ? safetensors_type_of(nullptr) : type->name;
}

std::uint64_t values_of(const std::vector<std::uint64_t>& shape) {
    std::uint64_t values = 1;
    for (const std::uint64_t size : shape) {
        if (size == 0) throw std::invalid_argument(fmt::format("the shape {} has no values", shape_text(shape)));
        // What follows may be zero, but then there is no value at all.
        if (size > max_tensor_values / values)
            throw std::invalid_argument(fmt::format("the shape {} has more than 2^50 values", shape_text(shape)));
        values *= size;
    }
    return values;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::vector<std::uint64_t> parse_shape(std::string_view text) {
    std::vector<std::uint64_t> shape;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(',', start), text.size());
        std::uint64_t size = 0;
        const auto [stop, error] = std::from_chars(text.data() + start, text.data() + end, size);
        if (error == std::errc::result_out_of_range)
            throw std::invalid_argument(
                fmt::format("--shape '{}': a size does not fit 64 bits", print::printable(text)));
        if (error != std::errc{} || stop != text.data() + end)
            throw std::invalid_argument(
                fmt::format("--shape '{}': expected sizes with commas, as in 4096,32", print::printable(text)));
        shape.push_back(size);
        start = end + 1;
    }
    (void)values_of(shape);
    return shape;
}

const Format& taken_format(std::string_view name, Taken taken) {
    std::vector<std::string_view> names;
    for (const Format* format : taken) {
        if (format->name == name) return *format;
        names.push_back(format->name);
    }
    throw std::invalid_argument(unknown_name("dtype", name, names) +
                                fmt::format(" (taken: {})", fmt::join(names, ", ")));
}

TensorFile::TensorFile(const std::filesystem::path& path, const TensorChoice& choice) : path_(path) {
    const std::string shown = print::printable(path.string());
    fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd_ < 0)
        throw std::runtime_error(fmt::format("cannot open '{}': {}", shown, std::generic_category().message(errno)));
    try {
        open(choice);
    } catch (const std::exception& error) {
        ::close(fd_);
        throw std::runtime_error(fmt::format("{}: {}", shown, error.what()));
    }
}

TensorFile::~TensorFile() { ::close(fd_); }

void TensorFile::open(const TensorChoice& choice) {
    struct ::stat status {};
    if (::fstat(fd_, &status) != 0) throw std::runtime_error(std::generic_category().message(errno));
    if (!S_ISREG(status.st_mode)) throw std::runtime_error("no regular file: it is read more than once");
    file_bytes_ = static_cast<std::uint64_t>(status.st_size);
    const std::string head = bytes_at(0, max_npy_header + 12);
    const bool npy = head.starts_with(npy_magic) || path_.extension() == ".npy";
    const bool safetensors = !npy && path_.extension() == ".safetensors";
    if ((npy || safetensors) && choice.shape)
        throw std::invalid_argument("--shape is for values alone: this file says its own");
    if (!safetensors && !choice.name.empty())
        throw std::invalid_argument("--tensor is for files whose name ends in .safetensors");
    if (npy) return open_npy(head, choice);
    if (safetensors) return open_safetensors(choice);
    open_values(choice);
}

void TensorFile::open_npy(const std::string& head, const TensorChoice& choice) {
    info_ = parse_npy(head, file_bytes_, choice.dtype.empty() ? nullptr : &taken_format(choice.dtype, choice.taken),
                      choice.taken);
}

void TensorFile::open_safetensors(const TensorChoice& choice) {
    const std::uint64_t length = safetensors_header_bytes(bytes_at(0, 8), file_bytes_);
    const std::uint64_t start = 8 + length;
    const std::vector<SafeTensor> tensors = parse_safetensors(bytes_at(8, length), file_bytes_ - start);
    const SafeTensor& tensor = chosen(tensors, choice.name);
    const Format* format = nullptr;
    try {
        format = &format_of(tensor.dtype, choice);
    } catch (const std::exception& error) {
        throw std::runtime_error(fmt::format("tensor '{}' {}", print::printable(tensor.name), error.what()));
    }
    info_ = {format, tensor.shape, values_of(tensor.shape), start + tensor.begin};
}

void TensorFile::open_values(const TensorChoice& choice) {
    if (!choice.shape || choice.dtype.empty())
        throw std::invalid_argument("neither .npy nor .safetensors: values alone need --dtype and --shape");
    const Format& format = taken_format(choice.dtype, choice.taken);
    info_ = {&format, *choice.shape, values_of(*choice.shape), 0};
    const std::uint64_t wanted = info_.values * frames::bytes_of(format);
    if (file_bytes_ != wanted)
        throw std::invalid_argument(fmt::format("the shape {} of {} takes {} bytes, the file has {}",
                                                shape_text(info_.shape), format.name, wanted, file_bytes_));
}

std::string TensorFile::bytes_at(std::uint64_t offset, std::uint64_t most) const {
    std::string bytes(static_cast<std::size_t>(std::min(most, file_bytes_ - std::min(file_bytes_, offset))), '\0');
    read_bytes(offset, bytes.size(), bytes.data());
    return bytes;
}

void TensorFile::read_bytes(std::uint64_t offset, std::size_t bytes, char* to) const {
    std::size_t done = 0;
    while (done < bytes) {
        const ::ssize_t size = ::pread(fd_, to + done, bytes - done, static_cast<::off_t>(offset + done));
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) throw std::runtime_error("cannot be read: " + std::generic_category().message(errno));
        if (size == 0) throw std::runtime_error("became shorter while it was read");
        done += static_cast<std::size_t>(size);
    }
}

void TensorFile::read(std::uint64_t first, std::size_t values, void* to) const {
    const unsigned bytes = frames::bytes_of(*info_.format);
    auto* const start = static_cast<char*>(to);
    try {
        read_bytes(info_.offset + first * bytes, values * bytes, start);
    } catch (const std::exception& error) {
        throw std::runtime_error(fmt::format("{}: {}", print::printable(path_.string()), error.what()));
    }
    if (std::endian::native == std::endian::big)
        for (std::size_t i = 0; i < values * bytes; i += bytes) std::reverse(start + i, start + i + bytes);
}

namespace {

/// The header of a safetensors file, and how many bytes follow it.
std::pair<std::string, std::uint64_t> safetensors_header(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string first(8, '\0');
    if (!file.read(first.data(), 8)) throw std::runtime_error("cannot be read");
    const std::uint64_t bytes = std::filesystem::file_size(path);
    std::string header(static_cast<std::size_t>(safetensors_header_bytes(first, bytes)), '\0');
    if (!file.read(header.data(), static_cast<std::streamsize>(header.size())))
        throw std::runtime_error("cannot be read");
    const std::uint64_t data_bytes = bytes - first.size() - header.size();
    return {std::move(header), data_bytes};
}

} // namespace

std::vector<SafeTensor> safetensors_tensors(const std::filesystem::path& path) try {
    const auto [header, data_bytes] = safetensors_header(path);
    return parse_safetensors(header, data_bytes);
} catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", print::printable(path.string()), error.what()));
}

bool is_taken(const SafeTensor& tensor, Taken taken) {
    return std::any_of(std::begin(safe_types), std::end(safe_types), [&](const SafeType& type) {
        return type.name == tensor.dtype && type.format != nullptr && is_taken(type, taken);
    });
}

std::map<std::string, std::string> safetensors_metadata(const std::filesystem::path& path) try {
    return parse_safetensors_metadata(safetensors_header(path).first);
} catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", print::printable(path.string()), error.what()));
}

} // namespace mxcert::tensors
