// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "conformance/gate/gate.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"
#include "reference/code_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::gate {
namespace {

Status color_of_standing(Standing standing) {
    switch (standing) {
    case Standing::same:
    case Standing::acknowledged: return Status::pass;
    case Standing::unfinished: return Status::incomplete;
    default: return Status::fail;
    }
}

std::string word_text(const Acknowledgement& acknowledgement) {
    return fmt::format("until {} by {}: {}", files::date_text(acknowledgement.expires),
                       print::printable(acknowledgement.owner), print::printable(acknowledgement.reason));
}

// "permitted" where there is no code: the answer was right.
std::string answer(const std::optional<Code>& code, const Format& to) {
    return code ? code_text(to, *code) : std::string("permitted");
}

std::string change_text(const ChangedRange& range, const GateRow& row) {
    const verdict::TableFindings& table = *verdict::table_of(row.now);
    const Format& from = *table.conversion.from;
    const Format& to = *table.conversion.to;
    const std::string inputs = range.first == range.last
                                   ? code_text(from, range.first)
                                   : code_text(from, range.first) + " to " + code_text(from, range.last);
    std::string text = fmt::format("    {}: was {}, is {}", inputs, answer(range.was, to), answer(range.now, to));
    if (!range.now) return text + "\n";
    const std::string bugs = explained_by(table.diagnosis, range.first, range.last);
    return text + fmt::format("  {}\n", bugs.empty() ? "no known bug explains it" : bugs);
}

std::string bugs_text(const Deviation& deviation) {
    return deviation.bugs.empty() ? "" : fmt::format(", {}", fmt::join(deviation.bugs, " "));
}

// What a deviation is, in a few words.
std::string summary(const Deviation& deviation, bool is_table) {
    std::string text(to_string(deviation.status));
    if (deviation.differing != 0)
        text += fmt::format(" on {}", print::counted(deviation.differing, is_table ? "input" : "case"));
    text += bugs_text(deviation);
    if (!deviation.ends.empty()) text += fmt::format(", {}", print::printable(deviation.ends.front()));
    if (!deviation.says.empty()) text += fmt::format(", {}", print::printable(deviation.says));
    return text;
}

std::string changes_text(const GateRow& row, const cases::Invocation& invocation, std::size_t most) {
    std::string text;
    const std::size_t shown = std::min(most, row.changes.size());
    for (std::size_t i = 0; i < shown; ++i) text += change_text(row.changes[i], row);
    if (shown < row.changes.size())
        text += fmt::format("    and {} more\n", print::counted(row.changes.size() - shown, "changed range"));
    // The first that is wrong now, or what stands for it in a row without inputs.
    const auto wrong = std::find_if(row.changes.begin(), row.changes.end(),
                                    [](const ChangedRange& range) { return range.now.has_value(); });
    if (wrong != row.changes.end())
        return text + "    again: " + report::again(row.now, wrong->first, invocation) + "\n";
    const std::span<const std::string> wrongs = verdict::wrong_of(row.now);
    for (const std::string& this_text : wrongs.first(std::min(most, wrongs.size())))
        text += "    " + print::printable(this_text) + "\n";
    const std::vector<std::string> commands = report::commands_of_findings(row.now, invocation);
    if (!commands.empty()) text += "    again: " + commands.front() + "\n";
    return text;
}

// What was, and what is, where it is not what was.
std::string comparison_text(const GateRow& row) {
    const bool is_table = verdict::conversion_of(row.now) != nullptr;
    std::string text;
    if (row.is_known && row.was.deviation)
        text += fmt::format("    was    {}\n           acknowledged {}\n", summary(*row.was.deviation, is_table),
                            word_text(row.was.by));
    else if (row.is_known)
        text += fmt::format("    was    {}\n", to_string(row.was.status));
    if (row.standing == Standing::gone) return text;
    text += fmt::format("    is     {}\n", is_settled(row.now) ? std::string(to_string(row.now.status))
                                                               : summary(row.deviation, is_table));
    if (!row.unrecognisable.empty()) text += fmt::format("    cannot be acknowledged: {}\n", row.unrecognisable);
    return text;
}

} // namespace

std::string gate_row_text(const GateRow& row, const cases::Invocation& invocation, std::size_t most, bool color) {
    if (row.standing == Standing::same) return {};
    const std::string head =
        fmt::format("{}  {}{}", print::colored(to_string(row.standing), color_of_standing(row.standing), color),
                    print::printable(row.name.second), row.name.first.empty() ? "" : "  " + row.name.first);
    const bool is_table = verdict::conversion_of(row.now) != nullptr;
    switch (row.standing) {
    case Standing::acknowledged:
    case Standing::expired:
        return fmt::format("{}: {}\n    acknowledged {}\n", head, summary(row.deviation, is_table),
                           word_text(row.was.by));
    case Standing::added:
        return fmt::format("{}: {}, and the baseline has no such row\n", head, to_string(row.now.status));
    case Standing::gone: return fmt::format("{}: the run has no such row\n{}", head, comparison_text(row));
    default: break;
    }
    const std::string reason = row.now.reason.empty() ? "" : ": " + print::printable(row.now.reason);
    return head + reason + "\n" + comparison_text(row) + changes_text(row, invocation, most);
}

} // namespace mxcert::gate
