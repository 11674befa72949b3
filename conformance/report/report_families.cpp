// SPDX-License-Identifier: Apache-2.0
#include "conformance/report/report_families.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/print/progress.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"
#include "conformance/print/wrap.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::report {
namespace {

constexpr std::size_t least_name_width = 12;
constexpr std::size_t slowest_width = 40; ///< a name of which less would fit tells nothing

/// A cell of a family's line: its text and the width of its column, to the right where it is a number.
struct Cell {
    std::string text;
    std::size_t width = 0;
    bool is_number = false;
};

// The cells whose columns fit: of a number no digit is cut.
std::string line_of(const std::vector<Cell>& cells, std::size_t width) {
    std::string line;
    std::size_t taken = 0;
    for (const Cell& cell : cells) {
        taken += cell.width + (line.empty() ? 0 : 2);
        if (width != 0 && taken > width) break;
        line += line.empty() ? "" : "  ";
        line += cell.is_number ? fmt::format("{:>{}}", cell.text, cell.width)
                               : fmt::format("{:<{}}", cell.text, cell.width);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

} // namespace

std::string family_of(const Conversion& conversion) { return fmt::format("to {}", conversion.to->name); }
std::string family_of(const Operation& operation) { return std::string(operation.info->name); }
std::string family_of(const verdict::Row& row) {
    if (!row.operation.empty()) return row.operation.substr(0, row.operation.find('-'));
    if (const Conversion* conversion = verdict::conversion_of(row)) return family_of(*conversion);
    return row.id.substr(0, row.id.find(' ')); // "provision"
}

RowLines::RowLines(const RowColumns& columns, const std::vector<std::string>& planned, View view)
    : columns_(columns), view_(view), families_are_lines_(!view.all_rows && planned.size() >= large),
      name_width_(least_name_width) {
    for (const std::string& name : planned) ++family(name).planned;
    for (const Family& family : families_) name_width_ = std::max(name_width_, family.name.size());
}

RowLines::Family& RowLines::family(const std::string& name) {
    auto at = std::find_if(families_.begin(), families_.end(), [&](const Family& known) { return known.name == name; });
    if (at == families_.end()) {
        at = families_.emplace(families_.end());
        at->name = name;
    }
    return *at;
}

std::string RowLines::heading() const {
    if (families_are_lines_) return cells("family", "rows passed", "values", "asked", "time", "slowest") + '\n';
    return print::wrapped(row_heading(columns_), view_.width, "    ");
}

std::string RowLines::cells(const std::string& name, const std::string& passed, const std::string& values,
                            const std::string& asked, const std::string& time, const std::string& slowest) const {
    return line_of(
        {{name, name_width_}, {passed, 15}, {values, 15, true}, {asked, 6}, {time, 7, true}, {slowest, slowest_width}},
        view_.width);
}

std::string RowLines::line(const Family& family) const {
    const bool all = family.passed == family.rows;
    const std::string passed = fmt::format("{} {} of {}", all ? to_string(Status::pass) : "    ",
                                           print::grouped(family.passed), print::grouped(family.rows));
    std::string text = cells(print::printable(family.name), passed, print::grouped(family.compared),
                             family.open     ? "cases"
                             : family.sample ? "sample"
                                             : "all",
                             print::duration_text(family.seconds), print::printable(family.slowest));
    // Colours take no columns.
    if (const std::size_t at = text.find(passed); at != std::string::npos)
        text.replace(at, passed.size(), print::colored(passed, all ? Status::pass : Status::fail, view_.color));
    return text + '\n';
}

std::string RowLines::add(const std::vector<verdict::Row>& rows, double seconds) {
    if (rows.empty()) return {};
    std::string text;
    for (const verdict::Row& row : rows)
        if (row.status != Status::pass || !(families_are_lines_ || view_.quiet)) text += row_text(row, columns_, view_);
    if (!families_are_lines_) return text;
    for (const verdict::Row& row : rows) {
        Family& counted = family(family_of(row));
        ++counted.rows;
        counted.passed += row.status == Status::pass ? 1 : 0;
        counted.compared += row.compared;
        counted.sample = counted.sample || row.sample;
        counted.open = counted.open || row.open;
    }
    const verdict::Row& first = rows.front();
    Family& judged = family(family_of(first));
    judged.seconds += seconds;
    if (seconds > judged.slowest_seconds) {
        judged.slowest_seconds = seconds;
        judged.slowest = first.operation.empty() ? first.id : first.operation;
    }
    if (judged.planned == 0) return text; // not planned: finish() has it
    if (--judged.planned != 0) return text;
    if (!view_.quiet) text += line(judged);
    const std::string name = judged.name;
    std::erase_if(families_, [&](const Family& known) { return known.name == name; });
    return text;
}

std::string RowLines::finish() {
    std::string text;
    for (const Family& family : families_)
        if (families_are_lines_ && !view_.quiet && family.rows != 0) text += line(family);
    families_.clear();
    return text;
}

} // namespace mxcert::report
