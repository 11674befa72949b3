// SPDX-License-Identifier: Apache-2.0
// Inputs that are parts one behind the other: lines, cells of a line, frames.
#include <algorithm>
#include <utility>
#include <vector>

#include "conformance/frames/frames.hpp"
#include "fuzz/little_endian.hpp"
#include "fuzz/mutate.hpp"

namespace mxcert::fuzz {
namespace {

using Parts = std::vector<std::string_view>;

std::string join(const Parts& parts) {
    std::string text;
    for (const std::string_view part : parts) text += part;
    return text;
}

/// The parts again, with one of them changed. `others`: parts of which one may be taken. Precondition: there is a part.
std::string mutate_parts(Parts parts, const Parts& others, const Mutation& mutation,
                         std::string (*change)(std::string_view part, const Mutation& mutation)) {
    const std::size_t at = mutation.below(parts.size());
    const auto place = parts.begin() + static_cast<std::ptrdiff_t>(at);
    std::string changed;
    switch (mutation.below(8)) {
    case 0: parts.erase(place); break;
    case 1: parts.insert(place, std::string_view(*place)); break;
    case 2: std::swap(*place, parts[mutation.below(parts.size())]); break;
    case 3:
        if (!others.empty()) {
            parts.insert(place, others[mutation.below(others.size())]);
            break;
        }
        [[fallthrough]];
    default: changed = change(*place, mutation); *place = changed;
    }
    return join(parts);
}

/// Each with its end, if it has one.
Parts cut_behind(char end, std::string_view text) {
    Parts parts;
    while (!text.empty()) {
        const std::size_t size = std::min(text.find(end), text.size() - 1) + 1;
        parts.push_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return parts;
}

std::string mutate_cell(std::string_view cell, const Mutation& mutation) { return mutation.bytes(cell); }

std::string mutate_line(std::string_view line, const Mutation& mutation) {
    const Parts cells = cut_behind(',', line);
    return mutate_parts(cells, cells, mutation, mutate_cell);
}

using frames::header_bytes;
constexpr std::size_t length_at = header_bytes - 8; ///< of the payload

/// Whole frames, and what remains.
Parts frames_of(std::string_view stream) {
    Parts frames;
    while (stream.size() >= header_bytes &&
           little_endian(stream, length_at, 8) <= static_cast<std::uint64_t>(stream.size() - header_bytes)) {
        const std::size_t size = header_bytes + little_endian(stream, length_at, 8);
        frames.push_back(stream.substr(0, size));
        stream.remove_prefix(size);
    }
    if (!stream.empty()) frames.push_back(stream);
    return frames;
}

std::string mutate_frame(std::string_view frame, const Mutation& mutation) {
    if (frame.size() < header_bytes || mutation.below(4) == 0) return mutation.bytes(frame);
    const std::string_view payload = frame.substr(header_bytes);
    std::string changed = mutate_json(payload, "", mutation);
    if (changed.empty()) changed = mutation.bytes(payload);
    return std::string(frame.substr(0, length_at)) + little_endian_bytes(changed.size(), 8) + changed;
}

} // namespace

std::string mutate_lines(std::string_view input, std::string_view other, const Mutation& mutation) {
    const Parts lines = cut_behind('\n', input);
    if (lines.empty()) return {};
    return mutate_parts(lines, cut_behind('\n', other), mutation, mutate_line);
}

std::string mutate_frames(std::string_view input, std::string_view other, const Mutation& mutation) {
    const Parts frames = frames_of(input);
    if (frames.empty()) return {};
    return mutate_parts(frames, frames_of(other), mutation, mutate_frame);
}

} // namespace mxcert::fuzz
