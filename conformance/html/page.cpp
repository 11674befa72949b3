// SPDX-License-Identifier: Apache-2.0
#include "conformance/html/page.hpp"

#include <fmt/format.h>

#include "conformance/html/markup.hpp"
#include "conformance/html/style.hpp"
#include "conformance/print/version.hpp"

namespace mxcert::html {
namespace {

std::string facts_html(const Page& page) {
    constexpr std::size_t longest = 48; // that fits beside others
    std::string text;
    for (const bool is_long : {false, true})
        for (const auto& [name, value] : page.facts)
            if (!value.empty() && (value.size() > longest) == is_long)
                text += fmt::format("<div{}><dt>{}</dt><dd>{}</dd></div>\n", is_long ? " class=\"long\"" : "",
                                    escaped(name), escaped(value));
    return text.empty() ? "" : "<dl class=\"facts\">\n" + text + "</dl>\n";
}

std::string contents_html(const Page& page) {
    std::string text = "<nav aria-label=\"Contents\"><ul>\n";
    for (const Section& section : page.sections)
        if (!section.body.empty())
            text += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, escaped(section.title));
    return text + "</ul></nav>\n";
}

// The first word says how it ended, and stands out.
std::string verdict_html(const Page& page) {
    const std::size_t colon = page.verdict.find(": ");
    const bool has_word = colon != std::string::npos && colon < page.verdict.find(' ', page.verdict.find(' ') + 1);
    const std::string word = has_word ? page.verdict.substr(0, colon) : "";
    return fmt::format("<div id=\"verdict\">\n{}{}</div>\n", word.empty() ? "" : badge(word, page.status) + "\n",
                       paragraphs(page.verdict.substr(word.empty() ? 0 : colon + 2)));
}

} // namespace

std::string page_html(const Page& page) {
    std::string text = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        // A browser refuses what this page does not hold itself, should a text ever get through as HTML.
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        "<title>mxcert {0}: {1}</title>\n<style>\n{2}</style>\n</head>\n<body>\n<header>\n"
        "<p class=\"kicker\">mxcert {0}</p>\n<h1>{1}</h1>\n",
        escaped(page.command), escaped(page.subject), style);
    text += verdict_html(page) + facts_html(page) + contents_html(page) + "</header>\n<main>\n";
    for (const Section& section : page.sections)
        if (!section.body.empty())
            text += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", section.id, escaped(section.title),
                                section.body);
    return text +
           fmt::format("</main>\n<footer><p>Written by mxcert {}{}.</p></footer>\n</body>\n</html>\n",
                       print::tool_version,
                       print::tool_revision().empty() ? "" : fmt::format(", {}", escaped(print::tool_revision())));
}

} // namespace mxcert::html
