// SPDX-License-Identifier: Apache-2.0
#include "conformance/print/columns.hpp"

#include <algorithm>

#include "conformance/print/text.hpp"
#include "conformance/print/wrap.hpp"

namespace mxcert::print {

std::string columns(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += row[i];
            line.append(widths[i] + 2 - row[i].size(), ' ');
        }
        const std::size_t end = line.find_last_not_of(' ');
        text += line.substr(0, end == std::string::npos ? 0 : end + 1) + "\n";
    }
    return text;
}

std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t width) {
    const std::string whole = columns(rows);
    std::size_t widest = 0;
    for (std::string_view rest = whole; !rest.empty();) widest = std::max(widest, take_line(rest).size());
    if (width == 0 || widest <= width) return whole;
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (const std::string& cell : row) line += (line.empty() || cell.empty() ? "" : "  ") + cell;
        text += wrapped(line, width, "    ") + "\n";
    }
    return text;
}

} // namespace mxcert::print
