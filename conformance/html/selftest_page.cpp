// SPDX-License-Identifier: Apache-2.0
#include "conformance/html/selftest_page.hpp"

#include <fmt/format.h>

#include "conformance/html/markup.hpp"
#include "conformance/html/page.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::html {
namespace {

using selftest::PlantOutcome;

Status tone_of_outcome(PlantOutcome outcome) {
    if (selftest::is_bad(outcome)) return Status::fail;
    return outcome == PlantOutcome::equivalent ? Status::unsupported : Status::pass;
}

std::string fault_matrix(const selftest::Tally& tally) {
    std::vector<std::string> heading{"bug class", "planted"};
    for (const PlantOutcome outcome : selftest::outcome_columns) heading.emplace_back(to_string(outcome));
    std::vector<std::vector<std::string>> lines;
    for (const selftest::MatrixRow& row : selftest::matrix_rows(tally)) {
        lines.push_back({code(row.name), std::to_string(row.counts.all)});
        for (const PlantOutcome outcome : selftest::outcome_columns) {
            const std::size_t number = row.counts[outcome];
            lines.back().push_back(number == 0 ? "-" : badge(std::to_string(number), tone_of_outcome(outcome)));
        }
    }
    return table("matrix", heading, lines);
}

std::string names_html(const std::vector<std::string_view>& names) {
    std::string text;
    for (const std::string_view name : names) text += (text.empty() ? "" : " ") + code(name);
    return text.empty() ? "-" : text;
}

// The bugs of one class, a line each; nullptr: of none.
std::string bugs_of_class(const selftest::Outcomes& outcomes, const BugClass* bug_class) {
    std::vector<std::vector<std::string>> lines;
    const auto outcome_html = [](PlantOutcome outcome) { return badge(to_string(outcome), tone_of_outcome(outcome)); };
    for (const selftest::SelftestResult& result : outcomes.tables)
        if (result.planted.bug_class == bug_class)
            lines.push_back({outcome_html(result.outcome), code(to_string(result.planted.conversion)),
                             escaped(result.planted.profile->name), escaped(result.planted.how),
                             print::grouped(result.differing), names_html(result.named)});
    for (const selftest::PlantedBackendResult& result : outcomes.backends)
        if (selftest::class_of(result) == bug_class)
            lines.push_back({outcome_html(result.outcome), code(result.planted->row), escaped(result.planted->profile),
                             escaped(fmt::format("{}: {}", result.planted->plugin, result.planted->option)), "-",
                             names_html(result.named)});
    return table("planted", {"outcome", "in", "profile", "bug", "wrong inputs", "named"}, lines);
}

std::string all_bugs(const selftest::Outcomes& outcomes, const selftest::Tally& tally) {
    std::string text;
    const auto add = [&](const BugClass* bug_class, const std::string& heading, const std::string& says) {
        const auto at = tally.classes.find(bug_class);
        if (at == tally.classes.end()) return;
        text += details("row", fmt::format("{}: {}", heading, print::counted(at->second.all, "bug")),
                        says + bugs_of_class(outcomes, bug_class));
    };
    for (const BugClass& bug_class : all_bug_classes())
        add(&bug_class, code(bug_class.id),
            fmt::format("<p>{}; usually {}.</p>\n", escaped(bug_class.says), escaped(bug_class.cause)));
    add(nullptr, "no class", "");
    return text;
}

} // namespace

std::string selftest_page(const selftest::Outcomes& outcomes, const std::string& not_run) {
    const selftest::Tally tally(outcomes);
    const bool is_bad = selftest::is_any_bad(outcomes);
    Page page{"selftest",
              "Planted bugs",
              (is_bad ? "FAIL: " : "PASS: ") + selftest::verdict_text(tally),
              is_bad ? Status::fail : Status::pass,
              {},
              {}};
    page.sections = {
        {"matrix", "Fault matrix",
         fault_matrix(tally) +
             "<p class=\"note\">equivalent: every answer is permitted, so no test can detect the bug; "
             "named: caught and explained by its class; alike: explained by a class with the same "
             "wrong answers; unnamed: caught, but the bug has no class; misnamed: caught, but some "
             "answers are not explained; escaped: not caught.</p>\n"},
        {"escaped", "Escaped or misnamed", paragraphs(selftest::bad_text(outcomes))},
        {"bugs", "Every planted bug", all_bugs(outcomes, tally)},
        {"notes", "Notes", paragraphs(not_run)},
    };
    return page_html(page);
}

} // namespace mxcert::html
