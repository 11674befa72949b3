// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "vectors/export/entries.hpp"

// What the exports as source code have in common.
namespace mxcert::source_text {

/// A comment must not end early.
[[nodiscard]] inline std::string comment(std::string text) {
    for (std::size_t at = 0; (at = text.find("*/", at)) != std::string::npos;) text.replace(at, 2, "* /");
    return text;
}

/// The pattern with every mark replaced.
[[nodiscard]] inline std::string replaced(std::string_view pattern, char mark, std::string_view replacement) {
    std::string text;
    for (const char c : pattern) {
        if (c == mark)
            text += replacement;
        else
            text += c;
    }
    return text;
}

/// A literal of C and of Rust.
[[nodiscard]] inline std::string literal_of(std::string_view text) {
    std::string literal = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') literal += '\\';
        literal += c;
    }
    return literal + "\"";
}

/// The table of one code an input: of each row the last input. Neighbours that differ only in their clause are one row.
[[nodiscard]] inline std::vector<Entry> steps_of(const PermitTable& table) {
    std::vector<Entry> rows;
    for (const PermitStep& step : table.steps) {
        const Entry entry = entry_of(step.last, step.permit, *table.to);
        if (!rows.empty() && rows.back().code == entry.code && rows.back().flags == entry.flags)
            rows.back().input = entry.input;
        else
            rows.push_back(entry);
    }
    return rows;
}

} // namespace mxcert::source_text
