// SPDX-License-Identifier: Apache-2.0
#include "conformance/evidence/verification.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/print/text.hpp"

namespace mxcert::evidence {
namespace {

/// The probability at most that a share of wrong inputs of a row was missed, or of wrong runs.
double missed_inputs(const RowSlices& row) { return missed(shown_share, row.inputs, row.of); }
double missed_runs(const RowSlices& row, std::uint64_t slices) {
    return missed(shown_share_of_runs, std::min(row.runs, slices), row.of_runs);
}

/// Sums over rows, and the worst of them.
struct Totals {
    std::uint64_t inputs = 0, input_rows = 0, runs = 0, run_rows = 0, random = 0, large = 0, simplified = 0;
    double worst_inputs = 0, worst_runs = 0;
};

Totals totals_of(const Verification& verification) {
    Totals totals;
    for (const auto& [name, row] : verification.asked_again) {
        totals.inputs += row.inputs;
        totals.runs += row.runs;
        totals.random += row.random;
        totals.large += row.large;
        totals.simplified += row.simplified ? 1 : 0;
        if (row.of != 0 && !row.simplified) {
            ++totals.input_rows;
            totals.worst_inputs = std::max(totals.worst_inputs, missed_inputs(row));
        }
        if (row.of_runs != 0) {
            ++totals.run_rows;
            totals.worst_runs = std::max(totals.worst_runs, missed_runs(row, verification.slices));
        }
    }
    return totals;
}

std::string asked_again_text(const Verification& verification) {
    const Totals totals = totals_of(verification);
    std::string text =
        fmt::format("{} of {}", print::counted(totals.inputs, "input"), print::counted(totals.input_rows, "table"));
    if (totals.run_rows != 0)
        text += fmt::format(", {} of {}", print::counted(totals.runs, "run"),
                            print::counted(totals.run_rows, "list") + " of cases");
    text += fmt::format("; --slices {} --seed {}", verification.slices, verification.seed);
    if (totals.input_rows != 0)
        text +=
            fmt::format("\n             if 1 in 1,000 inputs of a table were answered otherwise than recorded, this "
                        "would be missed with a probability of at most {:.2g}",
                        totals.worst_inputs);
    if (totals.run_rows != 0)
        text +=
            fmt::format("\n             if 1 in 10 runs of a list of cases were: of at most {:.2g}", totals.worst_runs);
    return text;
}

std::vector<std::string> not_checked(const Verification& verification) {
    std::vector<std::string> all = verification.not_checked;
    const Totals totals = totals_of(verification);
    if (totals.random != 0)
        all.push_back(fmt::format("{} whose answers are drawn at random: they cannot be compared",
                                  print::counted(totals.random, "run")));
    if (totals.simplified != 0)
        all.push_back(fmt::format("{} whose answers alternate among permitted codes: one code is recorded for all",
                                  print::counted(totals.simplified, "table")));
    if (totals.large != 0)
        all.push_back(fmt::format("{}: the record says only that they passed; --all repeats them",
                                  print::counted(totals.large, "large run")));
    return all;
}

} // namespace

std::string text_of(const Verification& verification) {
    std::string text;
    for (const Verification::Check& check : verification.checks)
        text += fmt::format("{:<13}{}\n", check.name, print::printable(check.text, true));
    if (!verification.asked_again.empty())
        text += fmt::format("{:<13}{}\n", "Asked again", asked_again_text(verification));
    for (const std::string& what : not_checked(verification))
        text += fmt::format("{:<13}{}\n", "Not checked", print::printable(what, true));
    const std::string claim = print::printable(verification.claim);
    if (!verification.refused.empty())
        return text + fmt::format("REFUSED: {}\n", print::printable(verification.refused, true));
    if (!verification.unfinished.empty())
        return text + fmt::format("NOT VERIFIED: {}\n", print::printable(verification.unfinished, true));
    return text + fmt::format("VERIFIED: {}\n", claim);
}

files::Json json_of(const Verification& verification) {
    files::Json rows = files::Json::array();
    for (const auto& [name, row] : verification.asked_again)
        rows.push_back({{"row", name},
                        {"inputs", row.inputs},
                        {"of", row.of},
                        {"runs", row.runs},
                        {"of_runs", row.of_runs},
                        {"random_runs", row.random},
                        {"large_runs", row.large}});
    files::Json checks = files::Json::array();
    for (const Verification::Check& check : verification.checks)
        checks.push_back({{"name", check.name}, {"text", check.text}});
    const Totals totals = totals_of(verification);
    return {{"schema", "mxcert-verify-1"},
            {"certificate", verification.file},
            {"claim", verification.claim},
            {"verified", verification.exit_code() == 0},
            {"refused", verification.refused},
            {"unfinished", verification.unfinished},
            {"exit_code", verification.exit_code()},
            {"checks", checks},
            {"not_checked", not_checked(verification)},
            {"asked_again",
             {{"seed", verification.seed},
              {"slices", verification.slices},
              {"share", shown_share},
              {"share_of_runs", shown_share_of_runs},
              {"missed_inputs", totals.worst_inputs},
              {"missed_runs", totals.worst_runs},
              {"rows", rows}}}};
}

} // namespace mxcert::evidence
