// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/resume.hpp"

#include <fstream>

#include "catch.hpp"
#include "conformance/record/record.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/test/program.hpp"
#include "conformance/verdict/canary.hpp"

using namespace mxcert;
using namespace mxcert::record;
using Catch::Matchers::Contains;
using mxcert::test::contains;
using mxcert::test::FakeSubject;
using mxcert::test::Result;
using mxcert::test::shell;
namespace fs = std::filesystem;

namespace {

const Conversion first = parse_conversion("fp16-e4m3-nearest_even-sat");
const Conversion second = parse_conversion("bf16-e4m3-nearest_even-sat");

} // namespace

TEST_CASE("answers that were kept are not asked again") {
    const TemporaryFolder folder;
    const fs::path kept = folder.path() / "kept";
    FakeSubject subject;
    const StepTable right = subject.offer("fp16-e4m3-nearest_even-sat");
    subject.offer("bf16-e4m3-nearest_even-sat");
    {
        const auto keeper = resume_answers(subject, kept, "", 1, Level::standard);
        const observe::Observation seen = keeper->observe(first, nullptr);
        CHECK_FALSE(seen.kept);
        CHECK(seen.table.steps == right.steps);
    }
    // Whoever asks again gets another answer: what comes is what was kept.
    StepTable& table = subject.offer("fp16-e4m3-nearest_even-sat");
    table.steps = verdict::plant(table.steps, 0x3C00, 0x39);
    const auto keeper = resume_answers(subject, kept, "", 1, Level::standard);
    const observe::Observation seen = keeper->observe(first, nullptr);
    CHECK(seen.kept);
    CHECK(seen.status == Status::pass);
    CHECK(seen.table.steps == right.steps);
    CHECK(seen.inputs == 65'536);
    CHECK_FALSE(keeper->observe(second, nullptr).kept);
    CHECK(read_record(kept).conversions.size() == 2);
}

TEST_CASE("only what is whole and trusted is kept") {
    const TemporaryFolder folder;
    FakeSubject subject;
    subject.offer("fp16-e4m3-nearest_even-sat");
    subject.status = GENERATE(Status::error, Status::mistrusted, Status::incomplete);
    const auto keeper = resume_answers(subject, folder.path() / "kept", "", 1, Level::standard);
    CHECK(keeper->observe(first, nullptr).status == subject.status);
    CHECK(read_record(folder.path() / "kept").conversions.empty());
}

TEST_CASE("answers of another run are refused") {
    const TemporaryFolder folder;
    const fs::path kept = folder.path() / "kept";
    FakeSubject subject;
    subject.offer("fp16-e4m3-nearest_even-sat");
    (void)resume_answers(subject, kept, "fast", 1, Level::standard)->observe(first, nullptr);
    CHECK_THROWS_WITH(resume_answers(subject, kept, "slow", 1, Level::standard),
                      Contains("backend option 'fast', not 'slow'"));
    CHECK_THROWS_WITH(resume_answers(subject, kept, "fast", 2, Level::standard), Contains("seed '1', not '2'"));
    CHECK_NOTHROW(resume_answers(subject, kept, "fast", 1, Level::standard));
    CHECK_NOTHROW(resume_answers(subject, kept, "fast", 1, Level::quick));
    CHECK_THROWS_WITH(resume_answers(subject, kept, "fast", 1, Level::complete),
                      Contains("level 'standard', not 'complete'"));
    subject.info().build_id = "another";
    CHECK_THROWS_WITH(resume_answers(subject, kept, "fast", 1, Level::standard), Contains("build"));
    (void)folder.file("not_empty", "");
    CHECK_THROWS_WITH(resume_answers(subject, folder.path(), "", 1, Level::standard), Contains("not empty"));
}

TEST_CASE("a run that was stopped goes on where it was") {
    const TemporaryFolder folder;
    const std::string run =
        "mxcert certify '" + mxcert::test::planted_plugin() + "' --profile ocp-sat --keep kept --filter ";
    const Result before = shell(folder.path(), run + "'fp16-e4m3-nearest_even-sat'");
    CHECK(before.code == 0);
    CHECK_FALSE(contains(before.out, "(kept)"));
    const Result after = shell(folder.path(), run + "'*16-e4m3-nearest_even-sat' --json report.json");
    INFO(after.out << after.err);
    CHECK(after.code == 0);
    CHECK(contains(after.out, "PASS         (kept)"));
    CHECK(contains(after.out, "The answers of 1 row are those an earlier run"));
    CHECK(contains(content(folder.path() / "report.json"), "\"kept\": true"));
    // What is kept is judged, not believed.
    const fs::path table = folder.path() / "kept/fp16-e4m3-nearest_even-sat.csv";
    std::ofstream(table, std::ios::app) << "x";
    CHECK(shell(folder.path(), run + "'fp16-e4m3-nearest_even-sat'").code == 2);
    CHECK(shell(folder.path(), "mxcert certify kept --keep other").code == 2);
    CHECK(shell(folder.path(), run + "x --reproduce fp16-e4m3-nearest_even-sat:0000").code == 2);
}
