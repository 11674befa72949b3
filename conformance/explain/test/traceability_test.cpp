// SPDX-License-Identifier: Apache-2.0
// Each clause that decides something catches a planted fault, and one that loses its fault is seen.
#include "conformance/explain/traceability.hpp"

#include <algorithm>

#include "catch.hpp"
#include "conformance/faults/clause_suites.hpp"
#include "conformance/test/program.hpp"
#include "vectors/golden_store/golden_files.hpp"

using namespace mxcert;
using namespace mxcert::explain;

namespace {

const ClauseTrace& trace_of(const std::vector<ClauseTrace>& traces, std::string_view id) {
    const auto at =
        std::find_if(traces.begin(), traces.end(), [&](const ClauseTrace& trace) { return trace.clause->id == id; });
    REQUIRE(at != traces.end());
    return *at;
}

bool has_class(const ClauseTrace& trace, std::string_view bug_class) {
    return std::any_of(trace.faults.begin(), trace.faults.end(),
                       [&](const CaughtFault& fault) { return fault.bug_class == bug_class; });
}

} // namespace

TEST_CASE("each clause that decides something catches a planted fault", "[clauses][values]") {
    const Manifest manifest = load_manifest(golden_folder());
    const std::vector<ClauseTrace> traces = trace_clauses(manifest, traced_conversions(), 2);
    REQUIRE(traces.size() == all_clauses().size());
    std::size_t exempt = 0;
    for (const ClauseTrace& trace : traces) {
        CAPTURE(trace.clause->id);
        const bool decides = trace.clause->kind == ClauseKind::value || trace.clause->kind == ClauseKind::provision;
        CHECK(needs_fault(*trace.clause) == decides);
        if (decides) {
            CHECK_FALSE(trace.faults.empty());
            CHECK_FALSE(trace.suites.empty());
            CHECK(trace.golden.empty() == (trace.clause->kind == ClauseKind::provision));
        } else {
            ++exempt;
        }
    }
    CHECK(exempt > 20);
    // The faults are those that break what the clause says.
    CHECK(has_class(trace_of(traces, "OFP8-ROUND"), "TIES_AWAY"));
    CHECK_FALSE(has_class(trace_of(traces, "OFP8-ROUND"), "NAN_LOST"));
    CHECK(has_class(trace_of(traces, "OFP8-NAN"), "NAN_LOST"));
    CHECK(has_class(trace_of(traces, "OFP8-ZERO"), "NEG_ZERO"));
    CHECK(has_class(trace_of(traces, "MX-SCALE-FLOOR"), "SCALE_RULE_MISMATCH"));
    CHECK(has_class(trace_of(traces, "OFP8-OVERFLOW-AFTER-ROUNDING"), "TOP_TIE"));
    CHECK_FALSE(has_class(trace_of(traces, "OFP8-OVERFLOW-AFTER-ROUNDING"), "TIES_AWAY"));
    for (const char* id : {"OFP8-RNE", "OFP8-BOTH-MODES"})
        CHECK(trace_of(traces, id).faults.front().conversion.empty());
    // Each line of the table is one of these.
    const std::string table = trace_table(traces);
    for (const ClauseTrace& trace : traces) CHECK(table.find(std::string(trace.clause->id) + " ") != std::string::npos);
    CHECK(table.find(" none\n") == std::string::npos);
}

TEST_CASE("a clause that loses its fault is seen", "[clauses]") {
    const Manifest manifest = load_manifest(golden_folder());
    // One conversion has no faults of the scales, nor of decoding.
    const TracedConversion one[] = {{"fp16-e4m3-nearest_even-nosat", "ocp"}};
    const std::vector<ClauseTrace> traces = trace_clauses(manifest, one, 2);
    CHECK_FALSE(trace_of(traces, "OFP8-ROUND").faults.empty());
    CHECK_FALSE(trace_of(traces, "OFP8-OVERFLOW-NOSAT").faults.empty());
    CHECK(trace_of(traces, "MX-SCALE-FLOOR").faults.empty());
    CHECK(trace_of(traces, "OFP8-E4M3-CODES").faults.empty());
    CHECK(trace_of(traces, "OFP8-OVERFLOW-SAT").faults.empty());
    const std::string table = trace_table(traces);
    CHECK(table.find(" none\n") != std::string::npos);
    CHECK(table.find("catch a planted fault") != std::string::npos);
}

TEST_CASE("a clause without rows of its own is the border between those it names", "[clauses]") {
    const Clause clause{"X", ClauseKind::value, Grade::derived, "text", "document", "", "overflow_test", "A B", "e4m3"};
    const Conversion conversion = parse_conversion("fp16-e4m3-nearest_even-sat");
    const PermitTable permitted{
        conversion.from,
        conversion.to,
        {{0, 9, permit_code(1), "A"}, {10, 19, permit_code(2), "B"}, {20, 65535, permit_code(3), "C"}}};
    const auto caught = [&](Code first, Code last, std::string_view rows, std::string_view choice = "overflow_test") {
        const std::vector<Difference> wrong{{first, last, 7, permit_code(1), rows}};
        return caught_by(clause, conversion, choice, wrong, permitted);
    };
    CHECK(caught(9, 9, "A") == 1);
    CHECK(caught(10, 12, "B") == 1);
    CHECK(caught(3, 5, "A") == 0);
    CHECK(caught(19, 20, "B") == 0); // the border to C is none of its own
    CHECK(caught(9, 9, "A", "rounding") == 0);
    CHECK(caught_by(clause, parse_conversion("fp16-e5m2-nearest_even-sat"), "overflow_test",
                    {{9, 9, 7, permit_code(1), "A"}}, permitted) == 0);
    // Where they do not meet it is their rows.
    PermitTable apart = permitted;
    std::swap(apart.steps[1].clause, apart.steps[2].clause);
    CHECK(caught_by(clause, conversion, "overflow_test", {{3, 5, 7, permit_code(1), "A"}}, apart) == 3);
}
