// SPDX-License-Identifier: Apache-2.0
#include "conformance/print/wrap.hpp"

#include <algorithm>

#include "conformance/print/text.hpp"

namespace mxcert::print {

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent) {
    if (width == 0) return std::string(text);
    std::string out;
    while (!text.empty()) {
        const bool ended = text.find('\n') != std::string_view::npos;
        std::string_view line = take_line(text);
        std::string_view margin;
        while (margin.size() + line.size() > width) {
            const std::size_t room = width > margin.size() ? width - margin.size() : 0;
            // The spaces that a line begins with are no place to break it.
            const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
            std::size_t at = line.rfind(' ', room);
            if (at == std::string_view::npos || at <= first) at = line.find(' ', std::max(room, first));
            if (at == std::string_view::npos) break;
            out.append(margin).append(line.substr(0, line.find_last_not_of(' ', at) + 1)).append("\n");
            line.remove_prefix(std::min(line.find_first_not_of(' ', at), line.size()));
            margin = indent;
        }
        out.append(line.empty() ? "" : margin).append(line);
        if (ended) out += '\n';
    }
    return out;
}

} // namespace mxcert::print
