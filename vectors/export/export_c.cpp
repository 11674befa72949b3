// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "vectors/export/entries.hpp"

namespace mxcert {
namespace {

std::string c_type(const Format& format) { return "uint" + std::to_string(8 * format.bytes()) + "_t"; }

std::string c_constant(Code code, const Format& format) {
    std::string digits = "0x" + hex(code, format);
    if (format.bytes() < 4) return digits;
    return "UINT" + std::to_string(8 * format.bytes()) + "_C(" + digits + ")";
}

/// A comment must not end early.
std::string comment(std::string text) {
    for (std::size_t at = 0; (at = text.find("*/", at)) != std::string::npos;) text.replace(at, 2, "* /");
    return text;
}

std::string replaced(std::string_view pattern, char mark, std::string_view replacement) {
    std::string text;
    for (const char c : pattern) {
        if (c == mark)
            text += replacement;
        else
            text += c;
    }
    return text;
}

} // namespace

std::string export_c(const PermitTable& table, const ExportOptions& options) {
    std::string name = "mxcert_" + options.name;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');

    // Neighbours that differ only in their clause are one row here.
    std::vector<Entry> rows; // input: the last of the row
    for (const PermitStep& step : table.steps) {
        const Entry entry = entry_of(step.last, step.permit, *table.to);
        if (!rows.empty() && rows.back().code == entry.code && rows.back().flags == entry.flags)
            rows.back().input = entry.input;
        else
            rows.push_back(entry);
    }

    std::string text =
        "/* " + comment(options.name + ", " + options.note) +
        "\n * Every input up to `last`, from the row before it, gives `code`. flags: 1 any NaN code is permitted as"
        "\n * well, 2 further codes are. */\n";
    text += replaced(
        "#ifndef @_h\n#define @_h\n\n#include <stddef.h>\n#include <stdint.h>\n\ntypedef struct @_step {\n", '@', name);
    text += "    " + c_type(*table.from) + " last;\n    " + c_type(*table.to) + " code;\n    uint8_t flags;\n";
    text += replaced("} @_step;\n\nstatic const @_step @_steps[", '@', name) + std::to_string(rows.size()) + "] = {\n";
    for (const Entry& row : rows)
        text += "    {" + c_constant(row.input, *table.from) + ", " + c_constant(row.code, *table.to) + ", " +
                std::to_string(row.flags) + "},\n";
    text += replaced("};\n\n/* The row that holds an input. */\nstatic inline const @_step *@_find(", '@', name) +
            c_type(*table.from) +
            " input) {\n    size_t low = 0;\n    size_t high = " + std::to_string(rows.size() - 1) + ";\n";
    text += replaced("    while (low < high) {\n"
                     "        const size_t middle = low + (high - low) / 2;\n"
                     "        if (@_steps[middle].last < input)\n"
                     "            low = middle + 1;\n"
                     "        else\n"
                     "            high = middle;\n"
                     "    }\n"
                     "    return &@_steps[low];\n"
                     "}\n\n#endif\n",
                     '@', name);
    return text;
}

} // namespace mxcert
