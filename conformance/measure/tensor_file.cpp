// SPDX-License-Identifier: Apache-2.0
#include "conformance/measure/tensor_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/frames/words.hpp"
#include "conformance/print/text.hpp"
#include "reference/base/near_names.hpp"

namespace mxcert::measure {
namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";

struct SafeType {
    std::string_view name;
    const Format* format;
};
constexpr SafeType safe_types[] = {{"F32", &formats::fp32}, {"F16", &formats::fp16}, {"BF16", &formats::bf16}};

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
                fmt::format("--shape '{}': sizes with commas are wanted, as in 4096,32", print::printable(text)));
        shape.push_back(size);
        start = end + 1;
    }
    (void)values_of(shape);
    return shape;
}

const Format& value_format(std::string_view name) {
    std::vector<std::string_view> names;
    for (const SafeType& type : safe_types) {
        if (type.format->name == name) return *type.format;
        names.push_back(type.format->name);
    }
    throw std::invalid_argument(unknown_name("dtype", name, names) +
                                fmt::format(" (of {} are the values that are taken)", fmt::join(names, ", ")));
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
    info_ = parse_npy(head, file_bytes_, choice.dtype.empty() ? nullptr : &value_format(choice.dtype));
}

void TensorFile::open_safetensors(const TensorChoice& choice) {
    const std::uint64_t length = safetensors_header_bytes(bytes_at(0, 8), file_bytes_);
    const std::uint64_t start = 8 + length;
    const std::vector<SafeTensor> tensors = parse_safetensors(bytes_at(8, length), file_bytes_ - start);
    const SafeTensor& tensor = chosen(tensors, choice.name);
    const auto* const type = std::find_if(std::begin(safe_types), std::end(safe_types),
                                          [&](const SafeType& row) { return row.name == tensor.dtype; });
    const std::string shown = print::printable(tensor.name);
    if (type == std::end(safe_types))
        throw std::runtime_error(
            fmt::format("tensor '{}' is of {}: F32, F16 and BF16 are taken", shown, print::printable(tensor.dtype)));
    if (!choice.dtype.empty() && &value_format(choice.dtype) != type->format)
        throw std::invalid_argument(
            fmt::format("tensor '{}' is of {}, not of --dtype {}", shown, tensor.dtype, choice.dtype));
    info_ = {type->format, tensor.shape, values_of(tensor.shape), start + tensor.begin};
}

void TensorFile::open_values(const TensorChoice& choice) {
    if (!choice.shape || choice.dtype.empty())
        throw std::invalid_argument("neither .npy nor .safetensors: values alone need --dtype and --shape");
    const Format& format = value_format(choice.dtype);
    info_ = {&format, *choice.shape, values_of(*choice.shape), 0};
    const std::uint64_t wanted = info_.values * frames::bytes_of(format);
    if (file_bytes_ != wanted)
        throw std::invalid_argument(fmt::format("the shape {} of {} takes {} bytes, the file has {}",
                                                shape_text(info_.shape), format.name, wanted, file_bytes_));
}

std::string TensorFile::bytes_at(std::uint64_t offset, std::uint64_t most) const {
    std::string bytes(static_cast<std::size_t>(std::min(most, file_bytes_ - std::min(file_bytes_, offset))), '\0');
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ::ssize_t size =
            ::pread(fd_, bytes.data() + done, bytes.size() - done, static_cast<::off_t>(offset + done));
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) throw std::runtime_error("cannot be read: " + std::generic_category().message(errno));
        if (size == 0) throw std::runtime_error("became shorter while it was read");
        done += static_cast<std::size_t>(size);
    }
    return bytes;
}

void TensorFile::read(std::uint64_t first, std::size_t values, void* to) const {
    const unsigned bytes = frames::bytes_of(*info_.format);
    std::string read;
    try {
        read = bytes_at(info_.offset + first * bytes, values * bytes);
        if (read.size() != values * bytes) throw std::runtime_error("became shorter while it was read");
    } catch (const std::exception& error) {
        throw std::runtime_error(fmt::format("{}: {}", print::printable(path_.string()), error.what()));
    }
    if (std::endian::native == std::endian::big)
        for (std::size_t i = 0; i < read.size(); i += bytes)
            std::reverse(read.begin() + static_cast<std::ptrdiff_t>(i),
                         read.begin() + static_cast<std::ptrdiff_t>(i + bytes));
    std::memcpy(to, read.data(), read.size());
}

} // namespace mxcert::measure
