// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/gate/baseline.hpp"
#include "conformance/report/report.hpp"

// A run held against the deviations that somebody acknowledged: the same is the same, and anything else fails.
namespace mxcert::gate {

/// What a row is against the baseline.
enum class Standing : std::uint8_t {
    same,           ///< settled, as before
    acknowledged,   ///< the very deviation somebody's word stands for
    expired,        ///< the same, and the word no longer holds
    fresh,          ///< a deviation where none was
    changed,        ///< another deviation, or settled otherwise
    mended,         ///< a deviation was acknowledged, and the row passes
    added,          ///< settled, and the baseline does not know the row
    gone,           ///< the baseline has it, and the run has not
    unrecognisable, ///< nobody can acknowledge it: nothing was compared, or nothing tells it from another deviation
    unfinished,     ///< ERROR or INCOMPLETE: what it does is not known
};
/// As the lines of the gate begin: "CHANGED", "UNEXPECTED PASS".
[[nodiscard]] std::string_view to_string(Standing standing);
/// True where the gate is shut, whatever other rows are.
[[nodiscard]] bool is_different(Standing standing);

/// One row of the run, of the baseline, or of both.
struct GateRow {
    RowName name;
    Standing standing = Standing::same;
    verdict::Row now;           ///< id is "" if it is gone
    Deviation deviation;        ///< of a row that is not settled
    BaselineRow was;            ///< if is_known
    bool is_known = false;      ///< the baseline has it
    std::string unrecognisable; ///< why nobody can acknowledge it
    /// The ranges that are new or gone, of a deviation that is new or changed, or of one that no longer occurs, if both
    /// sides list their ranges.
    std::vector<ChangedRange> changes;
};

/// What was asked for, and on which day.
struct GateQuestion {
    std::vector<std::string> filters;
    files::Date today;
};

/// Throws std::runtime_error that names the file if the two are not the same text: what the baseline is of, and what
/// this run is of. `remedy`: what the user can do, if anything.
void check_same(const std::string& file, std::string_view what, const std::string& was, const std::string& is,
                std::string_view remedy = "");
/// As a baseline names a vector set in messages: its version, and the first digits of its digest.
[[nodiscard]] std::string text_of(const VectorSet& vectors);

/// Rows in the order of the run, then those that are gone, unless the run was stopped or did not start.
[[nodiscard]] std::vector<GateRow> compare(const Baseline& baseline, const report::Report& report,
                                           const GateQuestion& question);

/// 1 if a row is different; else 3 if one is unfinished or the run was stopped; else 4 if there is none; else 0.
[[nodiscard]] int exit_code(const std::vector<GateRow>& rows, bool interrupted);

/// Rows that keep a baseline from being written: those that nobody can acknowledge.
[[nodiscard]] std::vector<const GateRow*> unwritable(const std::vector<GateRow>& rows);
/// True for a row whose deviation is not acknowledged yet.
[[nodiscard]] bool needs_word(const GateRow& row);
/// The baseline as it is after the word: rows are as they came, those that are gone go, a deviation that is the same
/// keeps the word it had unless that has expired. Precondition: unwritable() is empty.
[[nodiscard]] Baseline acknowledged(Baseline baseline, const std::vector<GateRow>& rows, const Acknowledgement& word);

/// A row for people, with at most so many ranges; "" for one that is the same.
[[nodiscard]] std::string gate_row_text(const GateRow& row, const cases::Invocation& invocation, std::size_t most,
                                        bool color);
/// The run for continuous integration. What is acknowledged passes, with its reason.
[[nodiscard]] report::Results gate_results(const std::vector<GateRow>& rows, const report::Report& report,
                                           const std::string& verdict);

/// What a gate's JSON says beside its rows.
struct GateHeading {
    std::string baseline; ///< the file, as it was given
    files::Date today;
    int exit_code = 0;
};
/// The comparison as JSON (conformance/schema/gate-1.json), LF at the end: each row, how it stands to the baseline, its
/// deviation and who acknowledged it.
[[nodiscard]] std::string gate_json(const std::vector<GateRow>& rows, const report::Report& report,
                                    const GateHeading& heading);

} // namespace mxcert::gate
