// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "catch.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "vectors/trace_fault.hpp"

using namespace mxcert;
using Catch::Matchers::Contains;

namespace {

/// The one row of the test's state machine with a fault.
Row certify_with(const std::string& fault) {
    std::vector<Row> rows = test::certify_plugin(MXCERT_TEST_SCALER, fault, "nvidia-te", "*", 0);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].id == "scaling-te_delayed_4_margin_2/trace");
    CHECK(rows[0].profile == "nvidia-te");
    CHECK(rows[0].sample);
    return rows[0];
}

} // namespace

TEST_CASE("a state machine that follows its recipe passes", "[operation][trace]") {
    const Row row = certify_with("");
    CHECK(row.status == Status::pass);
    CHECK(row.reason.empty());
    CHECK(row.compared == 2 * trace_case("te_delayed_4_margin_2").amaxes.size());
    CHECK(row.differing == 0);
    CHECK(row.observed_sha256.size() == 64);
    CHECK(exit_code({row}) == 0);
}

TEST_CASE("every fault of a state machine is caught and named", "[operation][trace][values]") {
    const TraceCase& one = trace_case("te_delayed_4_margin_2");
    const Trace golden = golden_trace(one);
    unsigned caught = 0;
    for (const TraceFault& fault : trace_faults()) {
        const auto machine = fault.plant(one.choices);
        if (!machine || run(*machine, one.amaxes) == golden) continue;
        INFO(fault.name);
        const Row row = certify_with(std::string(fault.name));
        CHECK(row.status == Status::fail);
        CHECK(row.differing > 0);
        CHECK_THAT(row.reason, Contains(std::string(fault.name)));
        REQUIRE_FALSE(row.known_as.empty());
        CHECK(row.known_as.front().bug_class->id == "DELAYED_SCALING");
        REQUIRE_FALSE(row.faults.empty());
        CHECK_THAT(row.faults.front(), Contains("step "));
        CHECK(exit_code({row}) == 1);
        ++caught;
    }
    CHECK(caught >= 20);
}

TEST_CASE("a state machine that is wrong in a way of its own is no success", "[operation][trace]") {
    const Row last = certify_with("last bit of the last step");
    CHECK(last.status == Status::fail);
    CHECK(last.differing == 1);
    CHECK_THAT(last.reason, Contains("1 scale wrong, from step ") && Contains("no fault that is known"));
    // It is asked twice, and begins anew each time.
    const Row changed = certify_with("remembers the run before");
    CHECK(changed.status == Status::fail);
    CHECK(changed.unstable);
    CHECK_THAT(changed.reason, Contains("answers changed when asked again: value ") && Contains(" then 0x"));
    CHECK(certify_with("stops early").status == Status::mistrusted);
    CHECK(certify_with("refuses").status == Status::unsupported);
}
