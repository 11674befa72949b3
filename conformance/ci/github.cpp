// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "conformance/ci/ci.hpp"
#include "conformance/ci/parts.hpp"
#include "conformance/print/progress.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::ci {
namespace {

using Outcome = report::ResultRow::Outcome;

constexpr std::size_t most_annotations = 10; ///< that GitHub shows of a step
constexpr std::size_t most_rows = 200;
constexpr std::size_t most_details = 20;
constexpr std::size_t longest_detail = 4000; ///< characters

// Text in a cell of a table: nothing in it is markup.
std::string cell(std::string_view text) {
    std::string escaped;
    for (const char c : print::printable(text)) {
        if (std::string_view("\\`*_{}[]<>#|~$&@").find(c) != std::string_view::npos) escaped += '\\';
        escaped += c;
    }
    return escaped;
}

// A name as code. None of ours has a backtick; a backend's might.
std::string code(std::string_view text) {
    return text.find_first_of("`|") == std::string_view::npos ? fmt::format("`{}`", print::printable(text))
                                                              : cell(text);
}

// Lines as code: indented, which no line can end.
std::string code_lines(std::string_view text) {
    std::string lines;
    text = text.substr(0, longest_detail);
    while (!text.empty()) {
        const std::string_view line = print::take_line(text);
        lines += line.empty() ? "\n" : fmt::format("    {}\n", print::printable(line));
    }
    return lines;
}

std::string table_of_bad_rows(const report::Results& results) {
    std::string text;
    std::size_t shown = 0;
    std::size_t bad = 0;
    for (const report::ResultRow& row : results.rows) {
        if (!is_bad(row) || ++bad > most_rows) continue;
        ++shown;
        text += fmt::format("| {} | {} | {} | {} | {} |\n", code(row.name), cell(row.profile), cell(row.type),
                            row.compared == 0
                                ? ""
                                : fmt::format("{} of {}", print::grouped(row.differing), print::grouped(row.compared)),
                            cell(row.bugs.empty() ? row.message : fmt::format("{}", fmt::join(row.bugs, ", "))));
    }
    if (bad == 0) return {};
    text = "| row | profile | result | wrong | cause |\n| --- | --- | --- | ---: | --- |\n" + text;
    return text + (shown < bad ? fmt::format("\nand {} more rows\n", bad - shown) : "") + "\n";
}

std::string details(const report::Results& results) {
    std::string text;
    std::size_t shown = 0;
    for (const report::ResultRow& row : results.rows) {
        if (!is_bad(row) || row.text.empty() || ++shown > most_details) continue;
        text += fmt::format("<details><summary>{} {}</summary>\n\n{}\n</details>\n\n", cell(row.type), cell(row.name),
                            code_lines(row.text));
    }
    return text;
}

std::string acknowledged(const report::Results& results) {
    std::string text;
    for (const report::ResultRow& row : results.rows)
        if (!row.acknowledged.empty())
            text += fmt::format("- {} {}: {}\n", code(row.name), cell(row.profile), cell(row.acknowledged));
    return text.empty() ? "" : "Acknowledged:\n\n" + text + "\n";
}

std::string counts(const report::Results& results) {
    std::string text = print::counted(results.rows.size(), "row");
    for (const auto& [outcome, word] :
         {std::pair(Outcome::passed, "passed"), std::pair(Outcome::failed, "failed"),
          std::pair(Outcome::error, "not finished"), std::pair(Outcome::skipped, "not offered")})
        if (const std::size_t n = report::count(results, outcome); n != 0)
            text += fmt::format(", {} {}", print::grouped(n), word);
    return text + fmt::format(" in {}", print::duration_text(results.seconds));
}

// Of a workflow command: what would end the line, and in a property what would end that.
std::string escaped(std::string_view text, bool is_property) {
    std::string out;
    for (const char c : text) switch (c) {
        case '%': out += "%25"; break;
        case '\r': out += "%0D"; break;
        case '\n': out += "%0A"; break;
        case ':': out += is_property ? "%3A" : ":"; break;
        case ',': out += is_property ? "%2C" : ","; break;
        default: out += c;
        }
    return out;
}

} // namespace

std::string summary_markdown(const report::Results& results) {
    std::string text = fmt::format("### {}\n\n", cell(results.name));
    for (std::string_view rest = results.verdict; !rest.empty();) {
        const std::string_view line = print::take_line(rest);
        if (!line.empty()) text += fmt::format("{}\n\n", cell(line));
    }
    text += table_of_bad_rows(results) + acknowledged(results) + details(results) + counts(results) + ".";
    for (const auto& [name, value] : results.properties)
        if (std::string_view(name) == "level" || std::string_view(name) == "vectors")
            text += fmt::format(" {} {}.", std::string_view(name) == "level" ? "Level" : "Vectors", cell(value));
    return text + "\n";
}

std::string github_annotations(const report::Results& results) {
    std::string lines;
    std::size_t shown = 0;
    for (const report::ResultRow& row : results.rows) {
        if (!is_bad(row) || ++shown > most_annotations) continue;
        const std::string place =
            results.source.empty() ? "" : fmt::format("file={},line=1,", escaped(file_of(results), true));
        std::string message = sentence(row);
        if (!row.command.empty()) message += "\nagain: " + print::printable(row.command);
        lines += fmt::format("::error {}title={}::{}\n", place,
                             escaped(print::printable(row.type + ' ' + row.name), true), escaped(message, false));
    }
    return lines;
}

} // namespace mxcert::ci
