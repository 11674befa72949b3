// SPDX-License-Identifier: Apache-2.0
#include "conformance/fuzz/fuzz_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/files/json_members.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"
#include "conformance/print/version.hpp"
#include "reference/clause.hpp"
#include "reference/code_text.hpp"

namespace mxcert::fuzz {
namespace {

constexpr std::size_t most_values_shown = 8;

Status color_of(FuzzKind kind) { return kind == FuzzKind::misbehaved ? Status::error : Status::fail; }

/// Kind, what is fuzzed, and why.
std::string first_line(FuzzKind kind, const std::string& name, const std::string& reason, bool color) {
    return fmt::format("{}  {}{}\n", print::colored(to_string(kind), color_of(kind), color), name,
                       reason.empty() ? "" : ": " + print::printable(reason));
}

std::string seen_line(std::uint64_t found) {
    return found > 1 ? fmt::format("    {:<9} {} times in all\n", "seen", print::grouped(found)) : "";
}

std::string last_words(std::string_view detail) {
    std::string text = detail.empty() ? "" : "    the backend's last words:\n";
    while (!detail.empty()) text += fmt::format("      | {}\n", print::printable(print::take_line(detail)));
    return text;
}

std::string code_line(std::string_view label, const Format& format, Code code) {
    return fmt::format("    {:<9} {:<18}  {}\n", label, code_text(format, code), print::value_text(format, code));
}

std::string expected_line(const verdict::ExpectedValue& expected, const Format& to) {
    const Clause* clause = find_clause(expected.clause);
    std::string values;
    for (const Code code : expected.permit.codes)
        values += (values.empty() ? "" : " or ") + print::value_text(to, code);
    if (expected.permit.any_nan) values += values.empty() ? "any NaN" : " or any NaN";
    return fmt::format("    {:<9} {:<18}  {}  by {}{}\n", "expected", shown(expected.permit, to), values,
                       expected.clause, clause != nullptr && clause->grade == Grade::memory ? " (from memory)" : "");
}

std::string batch_line(const FuzzFailure& failure) {
    const FuzzCase& c = failure.fuzz_case;
    if (c.values.size() == 1 && c.batch == 0 && c.shift == 0) return {};
    std::string inputs;
    for (std::size_t i = 0; i < std::min(c.values.size(), most_values_shown); ++i)
        inputs += (i == 0 ? "" : " ") + code_text(*c.conversion.from, c.values[i].input);
    if (c.values.size() > most_values_shown) inputs += " ...";
    std::string text = fmt::format("    {:<9} a batch of {}, at position {}: {}\n", "in",
                                   print::counted(c.values.size(), "value"), failure.at, inputs);
    if (c.batch != 0) text += fmt::format("    {:<9} {} a call\n", "cut", print::counted(c.batch, "value"));
    if (c.shift != 0)
        text += fmt::format("    {:<9} {} from an aligned place\n", "moved", print::counted(c.shift, "value"));
    return text;
}

std::string failure_text(const FuzzFailure& failure, const cases::Invocation& invocation, bool color) {
    const FuzzCase& c = failure.fuzz_case;
    std::string text = first_line(failure.kind, to_string(c.conversion), failure.reason, color);
    const FuzzValue& value = c.values[failure.at];
    text += code_line("input", *c.conversion.from, value.input);
    if (is_stochastic(c.conversion.rounding))
        text += fmt::format("    {:<9} {:<18}  of {}\n", "random", code_text(formats::fp32, value.random),
                            print::counted(static_cast<std::uint64_t>(c.conversion.random_bits), "bit"));
    if (!failure.expected.clause.empty()) text += expected_line(failure.expected, *c.conversion.to);
    if (failure.kind != FuzzKind::misbehaved) text += code_line("got", *c.conversion.to, failure.got);
    text += batch_line(failure);
    text += seen_line(failure.found);
    text += fmt::format("    {:<9} {}\n", "again:", again(failure, invocation));
    if (!failure.expected.clause.empty()) {
        const auto random = is_stochastic(c.conversion.rounding) ? std::optional(value.random) : std::nullopt;
        text +=
            fmt::format("    {:<9} {}\n",
                        "explain:", cases::explain_line(c.conversion, failure.expected.profile, value.input, random));
    }
    return text + last_words(failure.detail);
}

std::string failure_text(const OperationFailure& failure, const cases::Invocation& invocation, bool color) {
    const cases::SmallestCase& smallest = failure.smallest;
    std::string text = first_line(failure.kind, to_string(failure.operation), failure.reason, color);
    text += fmt::format("    {:<9} {}\n", "finding", print::printable(smallest.finding));
    text += fmt::format("    {:<9} a case of {}", "in", smallest.sizes);
    if (smallest.codes != 0)
        text += fmt::format(", {} {} zero or a scale of 1", print::counted(smallest.telling, "code"),
                            smallest.telling == 1 ? "is not" : "are not");
    return text + "\n" + seen_line(failure.found) +
           fmt::format("    {:<9} {}\n", "again:", again(failure, invocation)) + last_words(failure.detail);
}

std::string verdict(const FuzzReport& report, bool color) {
    const FuzzResult& result = report.result;
    const std::string of_operations = report.operations.targets.empty()
                                          ? ""
                                          : fmt::format(" ({} of operations)", print::grouped(result.operation_cases));
    const std::string how_much =
        fmt::format("{} in {}{}, {:.1f} s, seed {}", print::counted(result.values, "value"),
                    print::counted(result.cases, "case"), of_operations, result.seconds, report.seed);
    const std::string against =
        fmt::format("{} against {}", print::printable(report.info.name), fmt::join(report.invocation.profiles, " "));
    std::string what;
    if (result.count_failures() != 0)
        what = print::counted(result.count_failures(), "failure") + (result.more != 0 ? " and more: " : ": ");
    else if (result.stopped || !result.misbehaved.empty())
        what = "nothing was found in the cases: ";
    const FuzzVerdict verdict = verdict_of(result);
    return print::colored(fmt::format("{}: {}: {}{}\n", verdict.word, against, what, how_much), verdict.status, color);
}

/// Conversions or operations that never had their turn.
template <class Target> std::size_t without_case(const std::vector<Target>& targets) {
    return static_cast<std::size_t>(
        std::count_if(targets.begin(), targets.end(), [](const Target& target) { return target.cases == 0; }));
}

std::string without_case_text(const FuzzReport& report) {
    const std::size_t conversions = without_case(report.targets);
    const std::size_t operations = without_case(report.operations.targets);
    std::string what;
    if (conversions != 0) what = print::counted(conversions, "conversion");
    if (operations != 0) what += (what.empty() ? "" : " and ") + print::counted(operations, "operation");
    return what.empty() ? "" : what + " had no case: more --time or --cases reach them\n";
}

template <class Target>
std::string dropped_text(const std::vector<Target>& targets, std::string (*name_of)(const Target&)) {
    std::string text;
    for (const Target& target : targets)
        if (!target.dropped.empty())
            text += fmt::format("{} was not asked any more: {}\n", name_of(target), print::printable(target.dropped));
    return text;
}

files::Json json_of(const FuzzFailure& failure, const cases::Invocation& invocation) {
    const FuzzCase& c = failure.fuzz_case;
    files::Json json{{"kind", to_string(failure.kind)},
                     {"conversion", to_string(c.conversion)},
                     {"reason", print::printable(failure.reason)},
                     {"input", hex(c.values[failure.at].input, *c.conversion.from)}};
    if (!failure.expected.clause.empty()) {
        json["expected"] = to_string(failure.expected.permit, *c.conversion.to);
        json["clause"] = failure.expected.clause;
        json["profile"] = failure.expected.profile;
        json["first"] = hex(failure.expected.first, *c.conversion.from);
        json["last"] = hex(failure.expected.last, *c.conversion.from);
    }
    if (failure.kind != FuzzKind::misbehaved) json["got"] = hex(failure.got, *c.conversion.to);
    json["case"] = to_string(c);
    json["position"] = failure.at;
    json["number"] = failure.number;
    json["found"] = failure.found;
    json["again"] = again(failure, invocation);
    return json;
}

files::Json json_of(const OperationFailure& failure, const cases::Invocation& invocation) {
    return {{"kind", to_string(failure.kind)},
            {"operation", to_string(failure.operation)},
            {"reason", print::printable(failure.reason)},
            {"finding", print::printable(failure.smallest.finding)},
            {"profile", failure.profile},
            {"case", failure.row + '@' + failure.smallest.given},
            {"sizes", failure.smallest.sizes},
            {"arrays", failure.smallest.arrays},
            {"number", failure.number},
            {"found", failure.found},
            {"again", again(failure, invocation)}};
}

} // namespace

std::string again(const FuzzFailure& failure, const cases::Invocation& invocation) {
    cases::Invocation by_invocation = invocation;
    if (!failure.expected.profile.empty()) by_invocation.profiles = {std::string(failure.expected.profile)};
    const FuzzCase& c = failure.fuzz_case;
    const bool alone = c.values.size() == 1 && c.batch == 0 && c.shift == 0;
    if (alone) {
        cases::Reproduction reproduction{c.conversion, c.values.front().input};
        if (is_stochastic(c.conversion.rounding)) reproduction.random = c.values.front().random;
        return cases::reproduction_line(by_invocation, reproduction);
    }
    std::string line = "mxcert fuzz " + print::shell_word(by_invocation.backend);
    for (const std::string& profile : by_invocation.profiles) line += " --profile " + profile;
    if (!by_invocation.backend_options.empty())
        line += " --backend-option=" + print::shell_word(by_invocation.backend_options);
    return line + " --case " + shown(c);
}

std::string again(const OperationFailure& failure, const cases::Invocation& invocation) {
    cases::Invocation by_invocation = invocation;
    by_invocation.profiles = {failure.profile};
    return cases::given_line(by_invocation, failure.row, failure.smallest.given);
}

std::string fuzz_text(const FuzzReport& report, bool color) {
    std::string text;
    std::size_t shown = 0;
    const auto show = [&](const auto& failures) {
        for (const auto& failure : failures)
            if (shown++ < report.max_failures) text += failure_text(failure, report.invocation, color) + "\n";
    };
    show(report.result.failures);
    show(report.result.operation_failures);
    if (shown > report.max_failures)
        text += fmt::format("and {} more; --max-failures shows them, --json has them all\n",
                            print::counted(shown - report.max_failures, "failure"));
    if (report.result.more != 0)
        text += fmt::format("and {} beyond these, which were not looked into\n",
                            print::counted(report.result.more, "wrong value"));
    text += dropped_text<FuzzTarget>(report.targets, [](const auto& target) { return to_string(target.conversion); });
    text += dropped_text<OperationTarget>(report.operations.targets,
                                          [](const auto& target) { return to_string(target.operation); });
    if (!report.outside.empty()) {
        text += fmt::format("Offered, and outside the profile ({}):\n", report.outside.size());
        for (const std::string& id : report.outside) text += "  " + id + "\n";
    }
    if (!report.unfuzzed.empty())
        text += fmt::format("{} not fuzzed: mxcert certify asks them\n",
                            print::counted(report.unfuzzed.size(), "operation") +
                                (report.unfuzzed.size() == 1 ? " is" : " are"));
    text += without_case_text(report);
    if (!report.result.misbehaved.empty())
        text += fmt::format("{}  {}\n", print::colored(to_string(FuzzKind::misbehaved), Status::error, color),
                            print::printable(report.result.misbehaved));
    if (report.result.stopped) text += "Stopped by a signal: what stands here is all that was done.\n";
    return text + verdict(report, color);
}

std::string fuzz_json(const FuzzReport& report) {
    files::Json conversions = files::Json::array();
    for (const FuzzTarget& target : report.targets)
        conversions.push_back({{"conversion", to_string(target.conversion)},
                               {"cases", target.cases},
                               {"values", target.values},
                               {"dropped", print::printable(target.dropped)}});
    files::Json operations = files::Json::array();
    for (const OperationTarget& target : report.operations.targets)
        operations.push_back({{"operation", to_string(target.operation)},
                              {"cases", target.cases},
                              {"values", target.values},
                              {"refused", target.refused},
                              {"dropped", print::printable(target.dropped)}});
    files::Json failures = files::Json::array();
    for (const FuzzFailure& failure : report.result.failures) failures.push_back(json_of(failure, report.invocation));
    for (const OperationFailure& failure : report.result.operation_failures)
        failures.push_back(json_of(failure, report.invocation));
    const files::Json json{{"schema", "mxcert-fuzz-1"},
                           {"tool", {{"name", "mxcert"}, {"version", print::tool_version}}},
                           {"backend",
                            {{"name", report.info.name},
                             {"version", report.info.version},
                             {"description", report.info.description},
                             {"build_id", report.info.build_id},
                             {"options", report.invocation.backend_options}}},
                           {"profiles", report.invocation.profiles},
                           {"seed", report.seed},
                           {"seconds", report.result.seconds},
                           {"stopped", report.result.stopped},
                           {"misbehaved", print::printable(report.result.misbehaved)},
                           {"verdict", verdict_of(report.result).word},
                           {"exit_code", exit_code(report.result)},
                           {"cases", report.result.cases},
                           {"values", report.result.values},
                           {"operation_cases", report.result.operation_cases},
                           {"operation_values", report.result.operation_values},
                           {"without_case", without_case(report.targets) + without_case(report.operations.targets)},
                           {"conversions", conversions},
                           {"operations", operations},
                           {"not_fuzzed", report.unfuzzed},
                           {"outside", report.outside},
                           {"failures", failures},
                           {"more", report.result.more}};
    return files::json_text(json);
}

} // namespace mxcert::fuzz
