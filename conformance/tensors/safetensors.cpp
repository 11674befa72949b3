// SPDX-License-Identifier: Apache-2.0
// The header of a safetensors file: its length in eight bytes, then JSON that says where each tensor lies.
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/print/text.hpp"
#include "conformance/tensors/tensor_file.hpp"
#include "vectors/base/json_depth.hpp"

namespace mxcert::tensors {
namespace {

using nlohmann::json;

[[noreturn]] void refuse_file(const std::string& what) { throw std::runtime_error("safetensors: " + what); }

std::uint64_t whole(const json& value, const std::string& tensor, const char* what) {
    if (!value.is_number_unsigned()) refuse_file(fmt::format("tensor '{}': {} is no whole number", tensor, what));
    return value.get<std::uint64_t>();
}

const json& member(const json& object, const std::string& tensor, const char* name) {
    const auto found = object.find(name);
    if (found == object.end()) refuse_file(fmt::format("tensor '{}': '{}' is missing", tensor, name));
    return *found;
}

/// Bits of a value of the types whose size is known for certain; 0 of others.
std::uint64_t bits_of(std::string_view dtype) {
    for (const std::string_view one : {"BOOL", "I8", "U8", "F8_E4M3", "F8_E5M2", "F8_E8M0"})
        if (dtype == one) return 8;
    for (const std::string_view two : {"F16", "BF16", "I16", "U16"})
        if (dtype == two) return 16;
    for (const std::string_view four : {"F32", "I32", "U32"})
        if (dtype == four) return 32;
    for (const std::string_view eight : {"F64", "I64", "U64"})
        if (dtype == eight) return 64;
    return 0;
}

/// The shape, its product checked against the bytes. A size may be zero.
void check_bytes(const SafeTensor& tensor, const std::string& shown) {
    const std::uint64_t bits = bits_of(tensor.dtype);
    if (bits == 0) return;
    const std::uint64_t found = tensor.end - tensor.begin;
    std::uint64_t wanted = bits / 8;
    for (const std::uint64_t size : tensor.shape) {
        if (size != 0 && wanted > UINT64_MAX / size)
            refuse_file(fmt::format("tensor '{}': the shape {} overflows 64 bits", shown, shape_text(tensor.shape)));
        wanted *= size;
    }
    if (wanted != found)
        refuse_file(fmt::format("tensor '{}': the shape {} of {} takes {} bytes, its data_offsets {}", shown,
                                shape_text(tensor.shape), tensor.dtype, wanted, found));
}

SafeTensor tensor_of(const std::string& name, const json& entry) {
    const std::string shown = print::printable(name);
    if (!entry.is_object()) refuse_file(fmt::format("tensor '{}' is no object", shown));
    SafeTensor tensor;
    tensor.name = name;
    const json& dtype = member(entry, shown, "dtype");
    if (!dtype.is_string()) refuse_file(fmt::format("tensor '{}': 'dtype' is no text", shown));
    tensor.dtype = dtype.get<std::string>();
    const json& shape = member(entry, shown, "shape");
    if (!shape.is_array()) refuse_file(fmt::format("tensor '{}': 'shape' is no list", shown));
    for (const json& size : shape) tensor.shape.push_back(whole(size, shown, "a size of 'shape'"));
    const json& offsets = member(entry, shown, "data_offsets");
    if (!offsets.is_array() || offsets.size() != 2)
        refuse_file(fmt::format("tensor '{}': 'data_offsets' is no list of two", shown));
    tensor.begin = whole(offsets[0], shown, "the first of 'data_offsets'");
    tensor.end = whole(offsets[1], shown, "the second of 'data_offsets'");
    if (tensor.begin > tensor.end) refuse_file(fmt::format("tensor '{}': its data_offsets run backwards", shown));
    check_bytes(tensor, shown);
    return tensor;
}

/// They lie one behind the other, from the first byte to the last.
void check_places(const std::vector<SafeTensor>& tensors, std::uint64_t data_bytes) {
    std::uint64_t at = 0;
    for (const SafeTensor& tensor : tensors) {
        const std::string shown = print::printable(tensor.name);
        if (tensor.begin < at)
            refuse_file(fmt::format("tensor '{}' begins at byte {}, and the one before it ends at {}: they overlap",
                                    shown, tensor.begin, at));
        if (tensor.begin > at)
            refuse_file(fmt::format("tensor '{}' begins at byte {}, and nothing lies from {} on: a hole", shown,
                                    tensor.begin, at));
        if (tensor.end > data_bytes)
            refuse_file(fmt::format("cut off: tensor '{}' ends at byte {}, and {} follow the header", shown, tensor.end,
                                    data_bytes));
        at = tensor.end;
    }
    if (at != data_bytes)
        refuse_file(
            fmt::format("more than the tensors: they end at byte {}, and {} follow the header", at, data_bytes));
}

/// Members of all objects of a valid JSON: a colon outside of texts is one.
std::size_t members_written(std::string_view text) {
    std::size_t members = 0;
    bool in_text = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') in_text = !in_text;
        if (text[i] == '\\') ++i; // only texts have them
        if (text[i] == ':' && !in_text) ++members;
    }
    return members;
}

/// Members of all objects as they were read: of those with the same name one.
std::size_t members_kept(const json& value) {
    std::size_t members = value.is_object() ? value.size() : 0;
    if (value.is_structured())
        for (const json& inner : value) members += members_kept(inner);
    return members;
}

} // namespace

std::uint64_t safetensors_header_bytes(std::string_view first, std::uint64_t file_bytes) {
    constexpr std::size_t length_bytes = 8;
    if (first.size() < length_bytes || file_bytes < length_bytes)
        refuse_file("the file is shorter than the eight bytes of the header's length");
    std::uint64_t length = 0;
    for (std::size_t i = length_bytes; i-- != 0;) length = length << 8 | static_cast<unsigned char>(first[i]);
    if (length > file_bytes - length_bytes)
        refuse_file(fmt::format("the header's length is {} bytes, and the file has {} behind it", length,
                                file_bytes - length_bytes));
    if (length > max_safetensors_header)
        refuse_file(fmt::format("a header of {} bytes: no more than {} are read", length, max_safetensors_header));
    return length;
}

std::vector<SafeTensor> parse_safetensors(std::string_view header, std::uint64_t data_bytes) {
    if (!header.starts_with('{')) refuse_file("the header does not begin with '{'");
    if (!is_shallow_json(header))
        refuse_file(fmt::format("the header is nested deeper than {} levels", max_json_depth));
    const json all = json::parse(header, nullptr, false);
    if (all.is_discarded() || !all.is_object()) refuse_file("the header is no valid JSON");
    if (members_written(header) != members_kept(all)) refuse_file("a name stands twice in the header");
    std::vector<SafeTensor> tensors;
    for (const auto& [name, entry] : all.items())
        if (name != "__metadata__") tensors.push_back(tensor_of(name, entry));
    std::sort(tensors.begin(), tensors.end(), [](const SafeTensor& a, const SafeTensor& b) {
        return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
    });
    check_places(tensors, data_bytes);
    return tensors;
}

std::map<std::string, std::string> parse_safetensors_metadata(std::string_view header) {
    if (!is_shallow_json(header)) refuse_file("the header is nested too deeply");
    const json all = json::parse(header, nullptr, false);
    if (all.is_discarded() || !all.is_object()) refuse_file("the header is no valid JSON");
    std::map<std::string, std::string> metadata;
    const auto found = all.find("__metadata__");
    if (found == all.end()) return metadata;
    if (!found->is_object()) refuse_file("'__metadata__' is no object");
    for (const auto& [name, value] : found->items()) {
        if (!value.is_string()) refuse_file(fmt::format("'{}' of '__metadata__' is no text", print::printable(name)));
        metadata[name] = value.get<std::string>();
    }
    return metadata;
}

} // namespace mxcert::tensors
