// SPDX-License-Identifier: Apache-2.0
#include "fuzz/mutate.hpp"

#include <algorithm>

#include "fuzz/little_endian.hpp"

namespace mxcert::fuzz {
namespace {

// 8 bytes with the length of a JSON text, the text, and what it describes.
std::string mutate_length_and_json(std::string_view input, std::string_view other, const Mutation& mutation) {
    const auto length_of = [](std::string_view file) {
        return file.size() < 8 ? 0 : std::min<std::uint64_t>(little_endian(file, 0, 8), file.size() - 8);
    };
    const std::uint64_t length = length_of(input);
    if (length == 0) return {};
    const std::string json =
        mutate_json(input.substr(8, length), length_of(other) == 0 ? "" : other.substr(8, length_of(other)), mutation);
    if (json.empty()) return {};
    return little_endian_bytes(json.size(), 8) + json + std::string(input.substr(8 + length));
}

std::string mutate_line_and_frames(std::string_view input, std::string_view other, const Mutation& mutation) {
    const std::string_view line = take_line(input);
    const std::string_view other_line = take_line(other);
    if (mutation.below(4) == 0) {
        const std::string json = mutate_json(line, other_line, mutation);
        return json.empty() ? json : json + '\n' + std::string(input);
    }
    return std::string(line) + '\n' + mutate_frames(input, other, mutation);
}

std::string mutate_structure(Form form, std::string_view input, std::string_view other, const Mutation& mutation) {
    switch (form) {
    case Form::bytes: return {};
    case Form::json: return mutate_json(input, other, mutation);
    case Form::length_and_json: return mutate_length_and_json(input, other, mutation);
    case Form::lines: return mutate_lines(input, other, mutation);
    case Form::frames: return mutate_frames(input, other, mutation);
    case Form::line_and_frames: return mutate_line_and_frames(input, other, mutation);
    }
    return {};
}

} // namespace

std::string Mutation::bytes(std::string_view before) const {
    std::string changed(std::max(before.size() + 64, std::size_t{64}), '\0');
    std::copy(before.begin(), before.end(), changed.begin());
    changed.resize(mutate_bytes(reinterpret_cast<std::uint8_t*>(changed.data()), before.size(), changed.size()));
    return changed;
}

std::string mutate(Form form, std::string_view input, std::string_view other, const Mutation& mutation) {
    // A structure that is broken is an input too.
    const bool keeps_structure = mutation.below(4) != 0;
    if (keeps_structure) {
        std::string changed = mutate_structure(form, input, other, mutation);
        if (!changed.empty() && changed.size() <= mutation.most) return changed;
    }
    std::string changed = mutation.bytes(input);
    changed.resize(std::min(changed.size(), mutation.most));
    return changed;
}

} // namespace mxcert::fuzz
