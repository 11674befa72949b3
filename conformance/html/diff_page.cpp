// SPDX-License-Identifier: Apache-2.0
#include "conformance/html/diff_page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/cases/reproduce.hpp"
#include "conformance/html/bits.hpp"
#include "conformance/html/heat_map.hpp"
#include "conformance/html/markup.hpp"
#include "conformance/html/page.hpp"
#include "conformance/print/text.hpp"
#include "reference/code_text.hpp"

namespace mxcert::html {
namespace {

std::string result_word(Status status) {
    if (status == Status::pass) return "same";
    return status == Status::fail ? "different" : std::string(to_string(status));
}

/// The names of both sides in commands.
struct Names {
    const DiffSide& a;
    const DiffSide& b;

    [[nodiscard]] std::string again(const std::string& id) const {
        return fmt::format("mxcert diff {} {} --filter {}", print::shell_word(a.argument),
                           print::shell_word(b.argument), print::shell_word(id));
    }
};

std::string range_html(const Difference& difference, const diff::DiffRow& row) {
    const Format& from = *row.conversion.from;
    std::string text =
        fmt::format("<div class=\"difference\">\n<dl>\n<dt>input</dt><dd>{}</dd>\n<dt>A</dt><dd>{}</dd>\n"
                    "<dt>B</dt><dd>{}</dd>\n",
                    bits(from, difference.first), bits(*row.conversion.to, difference.got),
                    bits(*row.conversion.to, difference.expected));
    if (difference.first != difference.last)
        text +=
            fmt::format("<dt>the same on</dt><dd>{} to {}, {}</dd>\n", code(code_text(from, difference.first)),
                        code(code_text(from, difference.last)), print::counted(count_inputs({difference}), "input"));
    return text + "</dl>\n" + command("explain", cases::explain_line(row.conversion, "", difference.first)) +
           "</div>\n";
}

std::string left_out_note(std::size_t shown, std::size_t all, const char* noun) {
    if (shown >= all) return {};
    return fmt::format("<p class=\"note\">and {}</p>\n", print::counted(all - shown, std::string("further ") + noun));
}

std::string body_of(const diff::DiffRow& row, const std::string& id, const Names& names, std::size_t most) {
    std::string text = command("again", names.again(id));
    // Where a value has a given scale, a column of the map is what is permitted: here nobody says that.
    if (row.conversion.from->scale == nullptr)
        text += map_figure(verdict::map_of(*row.conversion.from, *row.conversion.to, row.differences, !row.sample),
                           "Map of the inputs of " + id);
    const std::size_t shown = std::min(most, row.differences.size());
    for (std::size_t i = 0; i < shown; ++i) text += range_html(row.differences[i], row);
    return text + left_out_note(shown, row.differences.size(), "range");
}

std::string body_of(const diff::OperationDiff& row, const std::string& id, const Names& names, std::size_t most) {
    std::string text = command("again", names.again(id));
    const std::size_t shown = std::min(most, row.runs.size());
    for (std::size_t i = 0; i < shown; ++i) {
        const diff::DifferingRun& run = row.runs[i];
        text +=
            fmt::format("<p class=\"finding\">run {}, {}: {}{}</p>\n", run.number, escaped(run.name),
                        run.values == 0 ? "" : print::counted(run.values, "value") + ", first ", escaped(run.first));
    }
    return text + left_out_note(shown, row.runs.size(), "run");
}

template <class Row> std::string differing_html(const Row& row, const std::string& id, std::uint64_t differing,
                                                const char* noun, const Names& names, std::size_t most) {
    if (row.status != Status::fail) return {};
    return details("row",
                   fmt::format("{} {} on {}", badge(result_word(row.status), row.status), code(id),
                               print::counted(differing, noun)),
                   body_of(row, id, names, most));
}

std::string differences_section(const diff::Diff& result, const Names& names, std::size_t most) {
    std::string text;
    for (const diff::DiffRow& row : result.rows)
        text += differing_html(row, to_string(row.conversion), row.differing, "input", names, most);
    for (const diff::OperationDiff& row : result.operations)
        text += differing_html(row, row.id, row.runs.size(), "run", names, most);
    return text;
}

std::string coverage_section(const diff::Diff& result) {
    std::vector<std::vector<std::string>> lines;
    const auto add = [&](const std::string& id, const auto& row, std::uint64_t differing, const char* what) {
        lines.push_back({code(id), badge(result_word(row.status), row.status), print::grouped(row.compared), what,
                         print::grouped(differing), escaped(row.reason)});
    };
    for (const diff::DiffRow& row : result.rows)
        add(to_string(row.conversion), row, row.differing, row.sample ? "inputs, a sample" : "inputs");
    for (const diff::OperationDiff& row : result.operations) add(row.id, row, row.runs.size(), "runs");
    return lines.empty() ? "" : table("rows", {"row", "result", "compared", "of", "differing", "reason"}, lines);
}

std::string names_list(const std::vector<std::string>& ids) {
    std::string text;
    for (const std::string& id : ids) text += "<li>" + code(id) + "</li>\n";
    return text.empty() ? "" : "<ul>\n" + text + "</ul>\n";
}

std::string described(const DiffSide& side) {
    return fmt::format("{}: {} {}, {}", side.argument, side.info.name, side.info.version, side.info.description);
}

} // namespace

std::vector<std::pair<std::string, std::string>> facts_of(const DiffSide& a, const DiffSide& b, const LevelOf& level,
                                                          std::uint64_t seed) {
    return {{"A", described(a)},
            {"B", described(b)},
            {"Build id of A", a.info.build_id},
            {"Build id of B", b.info.build_id},
            {"Level", to_string(level)},
            {"Seed", std::to_string(seed)}};
}

std::string diff_page(const diff::Diff& result, const DiffSide& a, const DiffSide& b, const diff::DiffOptions& options,
                      const std::string& verdict, std::size_t most) {
    const int code = diff::exit_code(result);
    Page page{"diff",
              fmt::format("{} and {}", a.info.name, b.info.name),
              fmt::format("{}: {}",
                          code == 0   ? "SAME"
                          : code == 1 ? "DIFFERENT"
                          : code == 3 ? "NOT FINISHED"
                                      : "NOTHING COMPARED",
                          verdict),
              code == 0   ? Status::pass
              : code == 1 ? Status::fail
                          : Status::incomplete,
              facts_of(a, b, options.level, options.seed),
              {}};
    page.sections = {
        {"differences", "Differences", differences_section(result, {a, b}, most)},
        {"coverage", "Coverage", coverage_section(result)},
        {"only-a", "Only A offers", names_list(result.only_a)},
        {"only-b", "Only B offers", names_list(result.only_b)},
    };
    return page_html(page);
}

} // namespace mxcert::html
