// SPDX-License-Identifier: Apache-2.0
#include "conformance/verdict/verdict.hpp"

#include <stdexcept>

#include "catch.hpp"
#include "conformance/verdict/canary.hpp"
#include "conformance/verdict/exit_code.hpp"
#include "reference/clause.hpp"
#include "vectors/golden_store/golden_files.hpp"
#include "vectors/tables/tabulate.hpp"

using namespace mxcert;
using namespace mxcert::verdict;

namespace {

const Conversion fp16_sat = parse_conversion("fp16-e4m3-nearest_even-sat");
const Conversion fp64_sat = parse_conversion("fp64-e4m3-nearest_even-sat");

const PermitTable& permitted_of(const Conversion& conversion) {
    const auto table = [](const Conversion& conversion) {
        return select(load_golden(*conversion.from, *conversion.to).value().golden, find_profile("ocp-sat"),
                      conversion);
    };
    static const PermitTable fp16 = table(fp16_sat);
    static const PermitTable fp64 = table(fp64_sat);
    return conversion == fp16_sat ? fp16 : fp64;
}

observe::Observation right() {
    observe::Observation seen;
    seen.conversion = fp16_sat;
    seen.status = Status::pass;
    seen.table = tabulate(*fp16_sat.from, *fp16_sat.to, choices_of(fp16_sat));
    seen.inputs = 65'536;
    seen.repeated = 65'536;
    return seen;
}

observe::Observation right_points(const std::vector<Code>& inputs) {
    observe::Observation seen;
    seen.conversion = fp64_sat;
    seen.status = Status::pass;
    const StepTable table = tabulate(*fp64_sat.from, *fp64_sat.to, choices_of(fp64_sat));
    for (const Code input : inputs) seen.points.push_back({input, 0, table.steps[find_step(table, input)].code});
    seen.inputs = seen.points.size();
    return seen;
}

Row judged(const observe::Observation& seen) { return judge(seen, permitted_of(seen.conversion), 5); }

Row row(Status status, bool required = false) {
    Row r;
    r.status = status;
    r.required = required;
    return r;
}

} // namespace

TEST_CASE("what is right passes, and says what it compared") {
    const Row r = judged(right());
    CHECK(r.status == Status::pass);
    CHECK(r.id == "fp16-e4m3-nearest_even-sat");
    CHECK(r.compared == 65'536);
    CHECK(r.repeated == 65'536);
    CHECK(r.differing == 0);
    CHECK_FALSE(r.sample);
    CHECK(r.observed_sha256.size() == 64);
    CHECK(r.clauses.size() > 3);
    for (const std::string& clause : r.clauses) CHECK(find_clause(clause) != nullptr);
}

TEST_CASE("one wrong answer at any input fails, and is the one that is shown") {
    for (const Code input : {0x0000u, 0x0001u, 0x3C40u, 0x5F40u, 0x7C00u, 0x7FFFu, 0x8000u, 0xFFFFu}) {
        observe::Observation seen = right();
        const Code was = seen.table.steps[find_step(seen.table, input)].code;
        const Code wrong = was == 0x20 ? 0x21 : 0x20;
        seen.table.steps = plant(seen.table.steps, input, wrong);
        const Row r = judged(seen);
        CHECK(r.status == Status::fail);
        CHECK(r.differing == 1);
        REQUIRE(differences_of(r).size() == 1);
        CHECK(differences_of(r)[0].first == input);
        CHECK(differences_of(r)[0].last == input);
        CHECK(differences_of(r)[0].got == wrong);
        CHECK(find_clause(differences_of(r)[0].clause) != nullptr);
        CHECK(r.reason == "1 of 65,536 inputs has a wrong answer");
    }
}

TEST_CASE("any NaN code is permitted for a NaN, nothing else is") {
    observe::Observation seen = right();
    seen.table.steps = plant(seen.table.steps, 0x7E01, 0xFF);
    CHECK(judged(seen).status == Status::pass);
    seen.table.steps = plant(seen.table.steps, 0x7E01, 0x7E);
    CHECK(judged(seen).status == Status::fail);
}

TEST_CASE("one constant is mistrusted, not merely wrong") {
    observe::Observation seen = right();
    seen.table.steps = {{0, 0xFFFF, 0x7F}};
    const Row r = judged(seen);
    CHECK(r.status == Status::mistrusted);
    CHECK(r.differing > 60'000);
    observe::Observation points = right_points({0, 1, 0x3FF0000000000000, 0x4000000000000000});
    for (inputs::Point& point : points.points) point.got = 0x38;
    CHECK(judged(points).status == Status::mistrusted);
    // A single input is always one constant.
    points = right_points({0x3FF0000000000000});
    CHECK(judged(points).status == Status::pass);
    points.points[0].got ^= 1;
    CHECK(judged(points).status == Status::fail);
}

TEST_CASE("an observation that did not end well never passes") {
    for (const Status status :
         {Status::error, Status::incomplete, Status::mistrusted, Status::untested, Status::unsupported}) {
        CAPTURE(to_string(status));
        observe::Observation seen = right();
        seen.status = status;
        seen.reason = "the worker said so";
        // Who answered can do it: a refusal of the rest is an error.
        CHECK(judged(seen).status == (status == Status::unsupported ? Status::error : status));
        CHECK(judged(seen).reason.find("the worker said so") != std::string::npos);
        seen.table.steps.clear();
        CHECK(judged(seen).status == status);
        CHECK(judged(seen).compared == 0);
    }
}

TEST_CASE("wrong answers of a backend that then refuses are FAIL") {
    observe::Observation seen = right();
    seen.status = Status::unsupported;
    seen.reason = "no more";
    seen.table.steps = plant(seen.table.steps, 0x3C00, 0x39);
    CHECK(judged(seen).status == Status::fail);
}

TEST_CASE("an observation that says it is whole and is not does not pass") {
    observe::Observation seen = right();
    seen.table.steps.clear();
    CHECK(judged(seen).status == Status::untested);
    seen = right();
    seen.inputs = 65'535;
    CHECK(judged(seen).status == Status::error);
    seen = right();
    seen.partial = seen.table.steps;
    seen.table.steps.clear();
    CHECK(judged(seen).status == Status::error);
    seen = right();
    seen.table.steps.pop_back();
    CHECK_THROWS_AS(judged(seen), std::invalid_argument);
}

TEST_CASE("a part that came back is compared, and wrong answers in it fail") {
    observe::Observation seen = right();
    seen.status = Status::incomplete;
    seen.reason = "stopped";
    seen.partial = {seen.table.steps.begin() + 3, seen.table.steps.begin() + 20};
    seen.table.steps.clear();
    Row r = judged(seen);
    CHECK(r.status == Status::incomplete);
    CHECK(r.compared > 0);
    CHECK(r.compared < 65'536);
    seen.partial[5].code ^= 1;
    r = judged(seen);
    CHECK(r.status == Status::fail);
    CHECK(r.differing == seen.partial[5].last - seen.partial[5].first + 1);
    CHECK(r.reason.find("stopped") != std::string::npos);
}

TEST_CASE("irregular output without a difference in what is kept is not judged, and one with a difference fails") {
    observe::Observation seen = right();
    seen.irregular = true;
    seen.partial = {seen.table.steps.front()};
    seen.table.steps.clear();
    seen.inputs = seen.partial[0].last + 1;
    for (const Status observed : {Status::incomplete, Status::pass}) {
        seen.status = observed;
        seen.reason = observed == Status::pass ? "" : "irregular: more than 1048576 steps, the first 1 inputs are kept";
        const Row row = judged(seen);
        CHECK(row.status == Status::incomplete);
        CHECK(row.differing == 0);
        CHECK(row.reason == (observed == Status::pass ? "irregular" : seen.reason) + ", and the others are not judged");
        CHECK(exit_code({row}) == 3);
    }
    // An error and a failure of another kind stay so.
    seen.status = Status::error;
    seen.reason = "crashed";
    CHECK(judged(seen).status == Status::error);
    seen.status = Status::fail;
    seen.reason = "not when asked again";
    CHECK(judged(seen).status == Status::fail);
    CHECK(judged(seen).reason == "not when asked again");
    seen.status = Status::incomplete;
    seen.partial[0].code ^= 1;
    CHECK(judged(seen).status == Status::fail);
    CHECK(judged(seen).reason.find("wrong answer") != std::string::npos);
}

TEST_CASE("points of a 64-bit source are a sample") {
    const Row r = judged(right_points({0, 0x3F50000000000000, 0x3F50000000000001, 0xFFFFFFFFFFFFFFFF}));
    CHECK(r.status == Status::pass);
    CHECK(r.sample);
    CHECK(r.compared == 4);
    CHECK(r.clauses.size() >= 3);
    observe::Observation wrong = right_points({0, 0x3F50000000000000, 0x3F50000000000001, 0x3FF0000000000000});
    wrong.points[2].got = 0;
    CHECK(judged(wrong).status == Status::fail);
    CHECK(differences_of(judged(wrong))[0].first == 0x3F50000000000001);
}

TEST_CASE("the number of differences that are kept is bounded, their count is not") {
    observe::Observation seen = right();
    for (Step& step : seen.table.steps) step.code ^= 0x80;
    const Row r = judge(seen, permitted_of(fp16_sat), 3);
    CHECK(differences_of(r).size() == 3);
    CHECK(table_of(r)->ranges > 200);
    CHECK(r.differing > 60'000);
}

TEST_CASE("tables of other formats are refused") {
    CHECK_THROWS_AS(judge(right(), permitted_of(fp64_sat), 1), std::invalid_argument);
    PermitTable hole = permitted_of(fp16_sat);
    hole.steps.erase(hole.steps.begin() + 7);
    CHECK_THROWS_AS(judge(right(), hole, 1), std::invalid_argument);
}

TEST_CASE("a comparison that misses, forgets or invents differences is caught") {
    const PermitTable& permitted = permitted_of(fp16_sat);
    const std::vector<Step> steps = right().table.steps;
    const auto compared = [&](const std::vector<Step>& steps) {
        return compare(StepTable{permitted.from, permitted.to, steps}, permitted);
    };
    CHECK_NOTHROW(check_comparison(steps, permitted, compared, {}));
    const auto blind = [](const std::vector<Step>&) { return std::vector<Difference>{}; };
    CHECK_THROWS_AS(check_comparison(steps, permitted, blind, {}), std::logic_error);
    const auto inventive = [&](const std::vector<Step>& steps) {
        std::vector<Difference> found = compared(steps);
        found.push_back({1, 1, 0x55, permit_code(0), "OFP8-ROUND"});
        return found;
    };
    CHECK_THROWS_AS(check_comparison(steps, permitted, inventive, {}), std::logic_error);
    const auto off_by_one = [&](const std::vector<Step>& steps) {
        std::vector<Difference> found = compared(steps);
        for (Difference& d : found) d.first = ++d.last;
        return found;
    };
    CHECK_THROWS_AS(check_comparison(steps, permitted, off_by_one, {}), std::logic_error);
    // Everything wrong: the canary still has to show.
    std::vector<Step> wrong = steps;
    for (Step& step : wrong) step.code = step.code == 0x11 ? 0x12 : step.code ^ 0x80;
    CHECK_NOTHROW(check_comparison(wrong, permitted, compared, compared(wrong)));
}

TEST_CASE("planting keeps the invariant of a table") {
    const StepTable table = right().table;
    for (const Code input : {0x0000u, 0x1400u, 0x1401u, 0xFFFFu})
        for (const Code code : {0x00u, 0x01u, 0x55u, 0xFFu}) {
            StepTable planted = table;
            planted.steps = plant(table.steps, input, code);
            CHECK(broken(planted).empty());
            CHECK(planted.steps[find_step(planted, input)].code == code);
        }
}

TEST_CASE("exit codes") {
    using S = Status;
    CHECK(exit_code(std::vector<Row>{}) == 4);
    CHECK(exit_code({row(S::unsupported)}) == 4);
    CHECK(exit_code({row(S::pass)}) == 0);
    CHECK(exit_code({row(S::pass), row(S::unsupported)}) == 0);
    CHECK(exit_code({row(S::pass), row(S::unsupported, true)}) == 1);
    for (const S failed : {S::fail, S::mistrusted, S::untested}) {
        CHECK(exit_code({row(S::pass), row(failed)}) == 1);
        CHECK(exit_code({row(failed), row(S::error), row(S::incomplete)}) == 1);
    }
    for (const S unfinished : {S::error, S::incomplete}) CHECK(exit_code({row(S::pass), row(unfinished)}) == 3);
}
