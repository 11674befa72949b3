// SPDX-License-Identifier: Apache-2.0
#include "conformance/print/wrap.hpp"

#include <algorithm>

#include "conformance/print/text.hpp"

namespace mxcert::print {
namespace {

constexpr std::size_t none = std::string_view::npos;

/// Where a line of more than `room` bytes is broken: the bytes that stay, without the spaces after them. npos: nowhere.
std::size_t break_of(std::string_view line, std::size_t room) {
    // The spaces that a line begins with are no place to break it.
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t space = line.rfind(' ', room);
    if (space != none && space > first) return line.find_last_not_of(' ', space) + 1;
    const std::size_t sign = room == 0 ? none : line.find_last_of(",/|", room - 1);
    if (sign != none && sign > first) return sign + 1;
    const std::size_t next = line.find(' ', std::max(room, first));
    return next == none ? none : line.find_last_not_of(' ', next) + 1;
}

} // namespace

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent) {
    if (width == 0) return std::string(text);
    std::string out;
    while (!text.empty()) {
        const bool ended = text.find('\n') != none;
        std::string_view line = take_line(text);
        std::string_view margin;
        while (margin.size() + line.size() > width) {
            const std::size_t at = break_of(line, width > margin.size() ? width - margin.size() : 0);
            if (at == none) break;
            out.append(margin).append(line.substr(0, at)).append("\n");
            line.remove_prefix(std::min(line.find_first_not_of(' ', at), line.size()));
            margin = indent;
        }
        out.append(line.empty() ? "" : margin).append(line);
        if (ended) out += '\n';
    }
    return out;
}

std::string wrapped_command(std::string_view line, std::size_t start, std::size_t width, std::string_view indent) {
    if (width == 0) return std::string(line);
    constexpr std::string_view more = " \\";
    std::string out;
    std::string_view margin;
    while (margin.size() + line.size() > width) {
        const std::size_t room = width - std::min(width, margin.size() + more.size());
        std::size_t at = none;
        bool quoted = false;
        for (std::size_t i = start; i < line.size(); ++i) {
            if (line[i] == '\'') quoted = !quoted;
            if (line[i] != ' ' || quoted) continue;
            if (i > room && at != none) break;
            at = i;
            if (i > room) break;
        }
        if (at == none) break;
        out.append(margin).append(line.substr(0, at)).append(more).append("\n");
        line.remove_prefix(at + 1);
        margin = indent;
        start = 0;
    }
    return out.append(margin).append(line);
}

} // namespace mxcert::print
