// SPDX-License-Identifier: Apache-2.0
// Rows of a run against those of a baseline: the same is the same, and anything else is different.
#include "conformance/gate/gate.hpp"

#include <fmt/format.h>

#include "catch.hpp"
#include "conformance/certify/certify.hpp"
#include "conformance/test/fake_subject.hpp"

using namespace mxcert;
using namespace mxcert::gate;
using namespace mxcert::test;

namespace {

constexpr const char* id = "fp16-e4m3-nearest_even-sat";

StepTable rounded(Rounding rounding) {
    const Conversion conversion = parse_conversion(id);
    Choices choices = choices_of(conversion);
    choices.rounding = rounding;
    return tabulate(*conversion.from, *conversion.to, choices);
}

/// The report of a run in which the conversion has this table.
report::Report report_of(const StepTable& table) {
    FakeSubject subject;
    subject.offer(id) = table;
    subject.offer("fp16-e5m2-nearest_even-sat");
    verdict::CertifyOptions options;
    options.profiles = {"ocp-sat"};
    options.max_failures = most_ranges;
    verdict::GoldenSource golden;
    const certify::Plan plan = certify::make_plan(subject, options, golden);
    report::Report report;
    report.info = subject.info();
    report.invocation.profiles = options.profiles;
    report.invocation.backend = "fake";
    report.rows = certify::certify(subject, plan, options, {});
    return report;
}

const GateQuestion question{{}, files::parse_date("2026-06-01")};
const Acknowledgement word{"reason", "owner", files::parse_date("2026-06-30")};

Baseline acknowledged_run(const report::Report& report) {
    Baseline baseline;
    baseline.backend = report.info.name;
    baseline.profiles = report.invocation.profiles;
    return acknowledged(baseline, compare(baseline, report, question), word);
}

Standing standing(const Baseline& baseline, const report::Report& report,
                  const GateQuestion& answered_question = question) {
    for (const GateRow& row : compare(baseline, report, answered_question))
        if (row.name.second == id) return row.standing;
    FAIL("no such row");
    return Standing::same;
}

verdict::Row row_of(Status status) {
    verdict::Row row;
    row.id = "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32/blocks";
    row.operation = "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32";
    row.profile = "ocp-sat";
    row.status = status;
    return row;
}

report::Report report_of_row(const verdict::Row& row) {
    report::Report report;
    report.invocation.profiles = {"ocp-sat"};
    report.rows = {row};
    return report;
}

} // namespace

TEST_CASE("a run is held against its baseline", "[gate]") {
    const report::Report right = report_of(rounded(Rounding::nearest_even));
    const report::Report ties = report_of(rounded(Rounding::nearest_away));
    const report::Report truncated = report_of(rounded(Rounding::toward_zero));
    const Baseline of_right = acknowledged_run(right);
    const Baseline of_ties = acknowledged_run(ties);

    CHECK(standing(of_right, right) == Standing::same);
    CHECK(standing(of_right, ties) == Standing::fresh);
    CHECK(standing(of_ties, ties) == Standing::acknowledged);
    CHECK(standing(of_ties, right) == Standing::mended);
    CHECK(standing(of_ties, truncated) == Standing::changed);
    CHECK(standing(Baseline{}, right) == Standing::added);
    CHECK(standing(Baseline{}, ties) == Standing::fresh);

    // The last day is one of those on which it holds.
    CHECK(standing(of_ties, ties, {{}, files::parse_date("2026-06-30")}) == Standing::acknowledged);
    CHECK(standing(of_ties, ties, {{}, files::parse_date("2026-07-01")}) == Standing::expired);

    CHECK(exit_code(compare(of_right, right, question), false) == 0);
    CHECK(exit_code(compare(of_ties, ties, question), false) == 0);
    CHECK(exit_code(compare(of_ties, right, question), false) == 1);
    CHECK(exit_code(compare(of_ties, ties, question), true) == 3);
    CHECK(exit_code({}, false) == 4);
}

TEST_CASE("a row that is gone is seen", "[gate]") {
    const report::Report report = report_of(rounded(Rounding::nearest_even));
    const Baseline baseline = acknowledged_run(report);
    report::Report less = report;
    less.rows.pop_back();
    const std::vector<GateRow> rows = compare(baseline, less, question);
    REQUIRE(rows.size() == 2);
    CHECK(rows.back().standing == Standing::gone);
    CHECK(exit_code(rows, false) == 1);
    CHECK(acknowledged(baseline, rows, word).rows.size() == 1);
    // Not where it was not asked for, or the run was stopped.
    CHECK(compare(baseline, less, {{"fp16-e4m3-*"}, question.today}).size() == 1);
    less.interrupted = true;
    CHECK(compare(baseline, less, question).size() == 1);
}

TEST_CASE("a changed range is shown with the bug that explains it", "[gate][values]") {
    const report::Report ties = report_of(rounded(Rounding::nearest_away));
    StepTable two = rounded(Rounding::nearest_away);
    two.steps.back().code = 0x10; // a NaN becomes a number
    const report::Report both = report_of(two);
    const std::vector<GateRow> rows = compare(acknowledged_run(ties), both, question);
    REQUIRE(rows.front().standing == Standing::changed);
    REQUIRE(rows.front().changes.size() == 1);
    CHECK_FALSE(rows.front().changes.front().was);
    CHECK(rows.front().changes.front().now == Code{0x10});
    const std::string text = gate_row_text(rows.front(), ties.invocation, 5, false);
    CAPTURE(text);
    CHECK(text.find("was permitted, is 0x10") != std::string::npos);
    // The bugs of the other ranges are not those of this one.
    CHECK(text.find("is 0x10  TIES_AWAY") == std::string::npos);
    const std::string all = gate_row_text(compare(Baseline{}, ties, question).front(), ties.invocation, 5, false);
    CAPTURE(all);
    CHECK(all.find("0x1400: was permitted, is 0x01  TIES_AWAY: rounding=nearest_away") != std::string::npos);
    CHECK(all.find("and 121 changed ranges more") != std::string::npos);
    CHECK(all.find("again: mxcert certify fake --profile ocp-sat --reproduce fp16-e4m3-nearest_even-sat:0x1400") !=
          std::string::npos);
}

TEST_CASE("the ranges that changed are those whose answer is another", "[gate]") {
    using Steps = std::vector<Step>;
    const auto text = [](const Steps& was, const Steps& now) {
        std::string all;
        for (const ChangedRange& range : changed_ranges(was, now))
            all += fmt::format("{}-{} {}>{};", range.first, range.last, range.was ? static_cast<int>(*range.was) : -1,
                               range.now ? static_cast<int>(*range.now) : -1);
        return all;
    };
    CHECK(text({}, {}) == "");
    CHECK(text({{1, 5, 7}}, {{1, 5, 7}}) == "");
    CHECK(text({{1, 5, 7}}, {}) == "1-5 7>-1;");
    CHECK(text({}, {{0, 0, 7}, {9, 9, 7}}) == "0-0 -1>7;9-9 -1>7;");
    CHECK(text({{1, 5, 7}}, {{1, 5, 8}}) == "1-5 7>8;");
    CHECK(text({{1, 5, 7}}, {{3, 9, 7}}) == "1-2 7>-1;6-9 -1>7;");
    CHECK(text({{1, 9, 7}}, {{3, 4, 8}}) == "1-2 7>-1;3-4 7>8;5-9 7>-1;");
    CHECK(text({{1, 3, 7}, {4, 6, 7}}, {}) == "1-6 7>-1;");
    const Code last = ~Code{0};
    CHECK(changed_ranges({{1, last, 7}}, {{1, last, 8}}).size() == 1);
    CHECK(changed_ranges({{last, last, 7}}, {{1, last, 8}}).size() == 2);
}

TEST_CASE("what cannot be recognised cannot be acknowledged", "[gate]") {
    verdict::Row failed = row_of(Status::fail);
    failed.differing = 3;
    failed.observed_sha256 = std::string(64, 'a');
    const report::Report known = report_of_row(failed);
    CHECK(unwritable(compare({}, known, question)).empty());
    const Baseline baseline = acknowledged_run(known);
    CHECK(compare(baseline, known, question).front().standing == Standing::acknowledged);
    // Other answers that are as many faults are another deviation.
    verdict::Row other_row = failed;
    other_row.observed_sha256.back() = 'b';
    CHECK(compare(baseline, report_of_row(other_row), question).front().standing == Standing::changed);
    verdict::Row more = failed;
    more.differing = 4;
    CHECK(compare(baseline, report_of_row(more), question).front().standing == Standing::changed);

    const auto refused = [&](const verdict::Row& row, Standing standing) {
        const std::vector<GateRow> rows = compare(baseline, report_of_row(row), question);
        CHECK(unwritable(rows).size() == 1);
        CHECK(rows.front().standing == standing);
    };
    verdict::Row nameless = failed;
    nameless.observed_sha256.clear();
    refused(nameless, Standing::unrecognisable);
    refused(row_of(Status::untested), Standing::unrecognisable);
    refused(row_of(Status::mistrusted), Standing::unrecognisable);
    refused(row_of(Status::incomplete), Standing::unfinished);
    refused(row_of(Status::error), Standing::unfinished);

    verdict::Row ended = row_of(Status::error);
    ended.found.emplace<verdict::CaseFindings>().ended_by = 3;
    ended.reason = "a tail: timeout after 10 s";
    const Baseline of_ended = acknowledged_run(report_of_row(ended));
    ended.reason = "a tail: timeout after 11 s"; // as long as somebody waited
    CHECK(compare(of_ended, report_of_row(ended), question).front().standing == Standing::acknowledged);
    ended.reason = "a tail: signal 11 (SIGSEGV)";
    CHECK(compare(of_ended, report_of_row(ended), question).front().standing == Standing::unfinished);
}

TEST_CASE("a word stands for what it was given for", "[gate]") {
    const report::Report ties = report_of(rounded(Rounding::nearest_away));
    const report::Report truncated = report_of(rounded(Rounding::toward_zero));
    const Baseline baseline = acknowledged_run(ties);
    const Acknowledgement other_acknowledgement{"other", "another", files::parse_date("2027-01-01")};
    const auto word_after = [&](const report::Report& report, const GateQuestion& gate_question) {
        const Baseline after = acknowledged(baseline, compare(baseline, report, gate_question), other_acknowledgement);
        return after.rows.at({"ocp-sat", id}).by.reason;
    };
    CHECK(word_after(ties, question) == "reason");
    CHECK(word_after(truncated, question) == "other");
    CHECK(word_after(ties, {{}, files::parse_date("2026-12-01")}) == "other");
}
