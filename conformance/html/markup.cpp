// SPDX-License-Identifier: Apache-2.0
#include "conformance/html/markup.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "conformance/print/text.hpp"

namespace mxcert::html {
namespace {

const char* tone_of(Status status) {
    switch (status) {
    case Status::pass: return "good";
    case Status::unsupported:
    case Status::incomplete: return "open";
    default: return "bad";
    }
}

bool is_number(std::string_view cell) {
    return !cell.empty() && cell.find_first_not_of("0123456789,.^-+e% ") == std::string_view::npos;
}

std::vector<bool> number_columns(std::size_t columns, const std::vector<std::vector<std::string>>& rows) {
    std::vector<bool> numbers(columns, !rows.empty());
    for (const std::vector<std::string>& row : rows)
        for (std::size_t i = 0; i < std::min(columns, row.size()); ++i)
            numbers[i] = numbers[i] && (row[i].empty() || is_number(row[i]));
    return numbers;
}

// "2^64" and "65536" as a number; 0 of nothing.
double number_of(std::string_view total) {
    const bool is_power = total.starts_with("2^");
    if (is_power) total.remove_prefix(2);
    int exponent = 0;
    if (is_power) {
        std::from_chars(total.data(), total.data() + total.size(), exponent);
        return std::ldexp(1.0, exponent);
    }
    double number = 0;
    std::from_chars(total.data(), total.data() + total.size(), number);
    return number;
}

} // namespace

std::string escaped(std::string_view text, bool lines) {
    std::string out;
    for (const char c : print::printable(text, lines)) {
        switch (c) {
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '&': out += "&amp;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&#39;"; break;
        default: out += c;
        }
    }
    return out;
}

std::string code(std::string_view text) { return fmt::format("<code>{}</code>", escaped(text)); }

std::string command(std::string_view what, std::string_view line) {
    return fmt::format("<p class=\"command\"><span class=\"label\">{}</span> <code class=\"{}\">{}</code></p>\n", what,
                       what, escaped(line));
}

std::string badge(std::string_view word, Status status) {
    return fmt::format("<span class=\"badge {}\">{}</span>", tone_of(status), escaped(word));
}

std::string scrolling(std::string_view label, const std::string& body, std::string_view name) {
    return fmt::format("<div class=\"{}\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n{}</div>\n", name,
                       escaped(label), body);
}

std::string table(std::string_view name, const std::vector<std::string>& heading,
                  const std::vector<std::vector<std::string>>& rows) {
    const std::vector<bool> numbers = number_columns(heading.size(), rows);
    const auto mark = [&](std::size_t column) { return numbers[column] ? " class=\"number\"" : ""; };
    std::string text = fmt::format("<table class=\"{}\">\n<thead><tr>", name);
    for (std::size_t i = 0; i < heading.size(); ++i)
        text += fmt::format("<th scope=\"col\"{}>{}</th>", mark(i), heading[i]);
    text += "</tr></thead>\n<tbody>\n";
    for (const std::vector<std::string>& row : rows) {
        text += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i) text += fmt::format("<td{}>{}</td>", mark(i), row[i]);
        text += "</tr>\n";
    }
    return scrolling(name, text + "</tbody>\n</table>\n");
}

std::string details(std::string_view name, const std::string& summary, const std::string& body, bool is_open) {
    return fmt::format("<details class=\"{}\"{}>\n<summary>{}</summary>\n{}</details>\n", name, is_open ? " open" : "",
                       summary, body);
}

std::string coverage_bar(std::uint64_t asked, std::string_view total) {
    const double all = number_of(total);
    if (all <= 0) return {};
    const double percent = std::min(100.0, 100 * static_cast<double>(asked) / all);
    return fmt::format("<span class=\"bar\"><i style=\"width:{:.1f}%\"></i></span>", percent);
}

std::string paragraphs(std::string_view text) {
    constexpr std::size_t most = 5; // lines that stay in sight below another
    std::string out;
    while (!text.empty()) {
        const std::string head = escaped(print::take_line(text));
        std::string below;
        std::size_t lines = 0;
        for (; text.starts_with(' '); ++lines)
            below += fmt::format("<p class=\"below\">{}</p>\n", escaped(print::take_line(text)));
        if (lines > most)
            out += details("list", head, below);
        else if (!head.empty())
            out += fmt::format("<p>{}</p>\n{}", head, below);
    }
    return out;
}

} // namespace mxcert::html
