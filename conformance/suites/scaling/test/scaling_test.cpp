// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "catch.hpp"
#include "conformance/suites/scaling/trace_fault.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "conformance/verdict/exit_code.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Matchers::Contains;

namespace {

/// The one row of the test's state machine with a fault.
verdict::Row certify_with(const std::string& fault, Level level = Level::smoke) {
    std::vector<verdict::Row> rows = test::certify_plugin(MXCERT_TEST_SCALER, fault, "nvidia-te", "*", 0, level);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].id == "scaling-te_delayed_4_margin_2/trace");
    CHECK(rows[0].profile == "nvidia-te");
    CHECK(rows[0].sample);
    return rows[0];
}

} // namespace

TEST_CASE("a state machine that follows its recipe passes", "[operation][trace][values]") {
    const verdict::Row row = certify_with("", Level::quick);
    CHECK(row.status == Status::pass);
    CHECK(row.reason.empty());
    CHECK(row.compared == 2 * (trace_case("te_delayed_4_margin_2").amaxes.size() + 65'537));
    CHECK(row.differing == 0);
    CHECK(row.observed_sha256.size() == 64);
    CHECK(verdict::exit_code({row}) == 0);
}

TEST_CASE("every fault of a state machine is caught and named", "[operation][trace][values]") {
    const TraceCase& traced = trace_case("te_delayed_4_margin_2");
    const Trace golden = golden_trace(traced);
    unsigned caught = 0;
    for (const TraceFault& fault : trace_faults()) {
        const auto machine = fault.plant(traced.choices);
        if (!machine || run(*machine, traced.amaxes) == golden) continue;
        INFO(fault.name);
        const verdict::Row row = certify_with(std::string(fault.name));
        CHECK(row.status == Status::fail);
        CHECK(row.differing > 0);
        CHECK_THAT(row.reason, Contains(std::string(fault.name)));
        REQUIRE_FALSE(row.known_as.empty());
        CHECK(row.known_as.front().bug_class->id == "DELAYED_SCALING");
        REQUIRE_FALSE(verdict::wrong_of(row).empty());
        CHECK_THAT(verdict::wrong_of(row).front(), Contains("step "));
        CHECK(verdict::exit_code({row}) == 1);
        ++caught;
    }
    CHECK(caught >= 20);
}

TEST_CASE("a state machine that begins anew after 65,536 steps is caught", "[operation][trace][planted][values]") {
    const verdict::Row row = certify_with("a step counter of 16 bits", Level::quick);
    CHECK(row.status == Status::fail);
    CHECK_THAT(row.reason, Contains("from step 65536 on"));
    // Asked at a level without the long trace, it passes.
    const std::vector<verdict::Row> smoke =
        test::certify_plugin(MXCERT_TEST_SCALER, "a step counter of 16 bits", "nvidia-te", "*", 0, Level::smoke);
    REQUIRE(smoke.size() == 1);
    CHECK(smoke[0].status == Status::pass);
}

TEST_CASE("a state machine that is wrong in a way of its own is no success", "[operation][trace]") {
    const verdict::Row last = certify_with("last bit of the last step");
    CHECK(last.status == Status::fail);
    CHECK(last.differing == 1);
    CHECK(last.known_as.empty());
    CHECK_THAT(last.reason, Contains("1 scale wrong, from step "));
    // It is asked twice, and begins anew each time.
    const verdict::Row changed = certify_with("remembers the run before");
    CHECK(changed.status == Status::fail);
    CHECK(verdict::cases_of(changed)->ended_by == 0U); // asked alone it changes, too
    CHECK_THAT(changed.reason, Contains("answers changed when asked again: value ") && Contains(" then 0x"));
    CHECK(certify_with("stops early").status == Status::mistrusted);
    CHECK(certify_with("refuses").status == Status::unsupported);
}

TEST_CASE("a run too large to be sent leaves the worker of the runs before it, whose end is still looked at",
          "[operation]") {
    const auto subject = test::open_plugin(MXCERT_TEST_SCALER, "ends badly");
    const Operation& operation = subject->info().operations.front();
    frames::RunCase small;
    small.shape = {3, 0, 0, 0};
    small.inputs = {frames::Values(3, 4)};
    small.outputs = {frames::Values(3, 4), frames::Values(3, 4)};
    CHECK(subject->run(operation, small).status == Status::pass);
    const std::uint64_t count = std::uint64_t{1} << 50U;
    const frames::RepeatedArray array{count, 4, count, {std::vector<std::byte>(4)}};
    const frames::RepeatedRun large{{count, 0, 0, 0}, {array}, {array, array}, count, false, "too many steps"};
    CHECK(subject->run_repeated(operation, large).status == Status::untested);
    CHECK_THAT(subject->end_runs(), Contains("SIGABRT"));
}
