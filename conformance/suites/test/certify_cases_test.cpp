// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/certify_cases.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "conformance/suites/ask_operation.hpp"
#include "conformance/suites/registry.hpp"
#include "conformance/test/fake_subject.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Contains;

namespace {

constexpr std::uint64_t expected = 7;

/// A backend whose answers to the cases, by their numbers, a test decides.
class Numbered final : public test::BareSubject {
  public:
    explicit Numbered(std::vector<frames::RunAnswer> answers) : answers_(std::move(answers)) {}
    [[nodiscard]] frames::RunAnswer run(const Operation& /*operation*/, const frames::RunCase& run_case) override {
        asked_.push_back(run_case.name);
        return answers_.at(run_case.inputs[0].get(0));
    }
    [[nodiscard]] const std::vector<std::string>& asked() const { return asked_; }

  private:
    std::vector<frames::RunAnswer> answers_;
    std::vector<std::string> asked_;
};

frames::RunAnswer gives(std::uint64_t value) {
    frames::Values values(1, 1);
    values.set(0, value);
    return {Status::pass, {}, {}, {values}};
}
frames::RunAnswer ends(Status status) { return {status, "as the test has it", {}, {}}; }

/// As many cases as there are answers, whose one output is to be 7.
class Sevens final : public CasePart {
  public:
    explicit Sevens(std::size_t count) : count_(count) {}
    void for_each_question(const std::function<bool(const Question&)>& ask) override {
        for (std::size_t number = 0; number < count_; ++number)
            if (!ask(question(number))) return;
    }
    [[nodiscard]] Question given(const cases::GivenCase& /*one*/) override { return question(0); }
    [[nodiscard]] std::string failed(const verdict::Row& /*row*/) const override { return "wrong"; }
    [[nodiscard]] std::vector<KnownFault> known_as(std::size_t /*judge*/) override { return {}; }

    std::function<Findings(std::uint64_t observed_answer)> judge = [](std::uint64_t answer) {
        Findings findings{1, 0, {}};
        if (answer != expected) findings.add(std::to_string(answer));
        return findings;
    };
    bool may_refuse = false;

  private:
    [[nodiscard]] Question question(std::size_t number) const {
        Question question;
        question.name = "case " + std::to_string(number);
        question.may_refuse = may_refuse;
        question.judged = {&formats::e4m3};
        question.runs = [number] {
            frames::RunCase run;
            run.inputs = {frames::Values(1, 1)};
            run.inputs[0].set(0, number);
            run.outputs = {frames::Values(1, 1)};
            return std::vector<frames::RunCase>{run};
        };
        question.judge = [this](std::size_t /*all*/, const std::vector<frames::Values>& outputs) {
            return judge(outputs[0].get(0));
        };
        return question;
    }

    std::size_t count_;
};

struct Certified {
    verdict::Row row;
    std::vector<std::string> asked;
};

Certified certified(const std::vector<frames::RunAnswer>& answers, const std::function<void(Sevens&)>& edit = {}) {
    const Operation operation = parse_operation("layout-linear-arrange");
    const std::vector<const Profile*> profiles{&find_profile("ocp")};
    verdict::GoldenSource golden;
    verdict::CertifyOptions options;
    options.level = Level::quick;
    Numbered subject(answers);
    Sevens part(answers.size());
    if (edit) edit(part);
    const std::vector<verdict::Row> rows =
        certify_cases({subject, operation, profiles, golden, options}, "places", part);
    REQUIRE(rows.size() == 1);
    return {rows.front(), subject.asked()};
}

} // namespace

TEST_CASE("a case that is wrong fails its row, whatever else is answered", "[operation]") {
    CHECK(certified({gives(7), gives(7)}).row.status == Status::pass);
    const Certified wrong = certified({gives(7), gives(6), gives(7)});
    CHECK(wrong.row.status == Status::fail);
    CHECK(verdict::cases_of(wrong.row)->cases == std::vector<std::uint64_t>{1});
    CHECK(wrong.asked.size() == 3);
    // What is refused first does not hide it, nor does what ends it.
    CHECK(certified({ends(Status::unsupported), gives(6)}).row.status == Status::fail);
    CHECK(certified({gives(6), ends(Status::error)}).row.status == Status::fail);
}

TEST_CASE("a case that is neither answered nor refused ends its row", "[operation]") {
    const Certified error = certified({gives(7), ends(Status::error), gives(6)});
    CHECK(error.row.status == Status::error);
    CHECK(verdict::cases_of(error.row)->ended_by == 1U);
    CHECK_THAT(error.row.reason, Contains("case 1: as the test has it"));
    CHECK(error.asked.size() == 2);
    // UNSUPPORTED is no failure: an ERROR after it must not hide there.
    const Certified later = certified({ends(Status::unsupported), ends(Status::error)});
    CHECK(later.row.status == Status::error);
    CHECK(verdict::cases_of(later.row)->ended_by == 1U);
    CHECK(certified({ends(Status::unsupported), gives(7)}).row.status == Status::unsupported);
}

TEST_CASE("cases that may be refused are named, and none that was answered is no success", "[operation]") {
    const auto may = [](Sevens& part) { part.may_refuse = true; };
    const Certified some_certified = certified({ends(Status::unsupported), gives(7)}, may);
    CHECK(some_certified.row.status == Status::pass);
    CHECK_THAT(some_certified.row.reason, Contains("refused, as it may: case 0"));
    CHECK(certified({ends(Status::unsupported)}, may).row.status == Status::untested);
}

TEST_CASE("a judge that finds nothing and cannot fail gives no verdict", "[operation]") {
    const Certified blind = certified({gives(7)}, [](Sevens& part) {
        part.judge = [](std::uint64_t /*got*/) { return Findings{1, 0, {}}; };
    });
    CHECK(blind.row.status == Status::untested);
    CHECK_THAT(blind.row.reason, Contains("case 0: a wrong value that was planted in the answer was not found"));
    // One that compares nothing is not asked to find it, and has tested nothing.
    const Certified idle =
        certified({gives(7)}, [](Sevens& part) { part.judge = [](std::uint64_t /*got*/) { return Findings(); }; });
    CHECK(idle.row.status == Status::untested);
    const Certified unsure = certified({gives(7)}, [](Sevens& part) {
        part.judge = [](std::uint64_t /*got*/) -> Findings { throw std::logic_error("the two models disagree"); };
    });
    CHECK(unsure.row.status == Status::untested);
    CHECK(unsure.row.reason == "the two models disagree");
    // What was wrong before stays so.
    const Certified later = certified({gives(6), gives(8)}, [](Sevens& part) {
        part.judge = [](std::uint64_t answer) -> Findings {
            if (answer == 8) throw std::logic_error("the two models disagree");
            Findings findings{1, 0, {}};
            findings.add("wrong");
            return findings;
        };
    });
    CHECK(later.row.status == Status::fail);
    CHECK_THAT(later.row.reason, Contains("the two models disagree"));
}

TEST_CASE("every operation has one suite, whose parts ask something", "[operation]") {
    std::vector<std::string_view> names;
    for (const Suite* suite : all_suites()) names.push_back(suite->operation());
    for (const OperationInfo& info : all_operations())
        CHECK(std::count(names.begin(), names.end(), std::string_view(info.name)) == 1);
    CHECK(names.size() == all_operations().size());
}

TEST_CASE("the questions of an operation are asked without a judge", "[operation]") {
    const Operation operation = parse_operation("dequantize-e4m3-e8m0-fp32-row-32");
    verdict::GoldenSource golden;
    verdict::CertifyOptions options;
    options.level = Level::quick;
    std::map<std::string, std::uint64_t> counts;
    const AnswerRun stand_in = suite_of(operation).stand_in(operation);
    ask_operation(operation, options, golden, [&](const frames::RunCase& run) {
        ++counts[run.row];
        return stand_in(run);
    });
    CHECK(counts.size() == 2);
    CHECK(counts["values"] > 0);
    CHECK(counts["blocks"] > 4);
    // A row ends at an answer that is none.
    counts.clear();
    ask_operation(operation, options, golden, [&](const frames::RunCase& run) {
        ++counts[run.row];
        return ends(Status::error);
    });
    CHECK(counts["blocks"] == 1);
}
