// SPDX-License-Identifier: Apache-2.0
#include "conformance/print/columns.hpp"

#include <algorithm>

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

} // namespace mxcert::print
