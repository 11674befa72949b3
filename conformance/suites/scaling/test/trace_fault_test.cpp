// SPDX-License-Identifier: Apache-2.0
// Planted state machines: each gives another trace, and is named by it.
#include "conformance/suites/scaling/trace_fault.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "catch.hpp"

using namespace mxcert;
using namespace mxcert::suites;

namespace {

/// Faults that cannot show in a trace, and why. Whoever changes a trace has to change this list.
struct Equivalent {
    std::string_view fault;
    std::string_view cases; ///< separated by spaces; a last '*' stands for any end
    std::string_view why;
};
constexpr std::string_view no_history = " te_delayed_most_recent_4 te_current te_current_power_of_two torchao_dynamic "
                                        "factor_current factor_running_average* ";
constexpr std::string_view only_newest = " te_delayed_most_recent_4 factor_current factor_running_average* ";
constexpr std::string_view never_two =
    " te_delayed_most_recent_4 te_current te_current_power_of_two factor_current factor_maximum_4_finite "
    "factor_running_average_finite ";
constexpr Equivalent equivalents[] = {
    {"all_admitted", " te_delayed_most_recent_4 ", "a zero keeps the scale, which the amax before it gave"},
    {"history_cleared", no_history, "only the newest amax is read, or none"},
    {"history_index_stuck", no_history, "only the newest amax is read, or none"},
    {"history_not_rolled", no_history, "only the newest amax is read, or none"},
    {"history_one_short", " te_delayed_most_recent_4 ", "only the newest amax is read"},
    {"history_one_long", only_newest, "only the newest amax is read, or none"},
    {"history_unbounded", only_newest, "only the newest amax is read, or none"},
    {"inf_computed", " te_delayed factor_maximum_4_finite factor_running_average_finite ", "no Inf enters"},
    {"inf_swapped", " te_delayed factor_maximum_4_finite factor_running_average_finite ", "no Inf enters"},
    {"interval_one_long", " factor_running_average_remember_2 ", "between these steps nothing is remembered"},
    {"limit_dropped", " te_delayed ", "no amax is small enough"},
    {"nan_computed", " factor_maximum_4_finite factor_running_average_finite ", "no NaN enters"},
    {"nan_entries_other", never_two, "without the NaN there is nothing, or what made the scale that is kept"},
    {"nan_swapped",
     " te_delayed te_delayed_4* factor_current factor_maximum_4 factor_maximum_4_backward factor_maximum_4_factor_3 "
     "factor_maximum_4_earlier factor_maximum_4_interval_* factor_maximum_4_remember_3 factor_maximum_4_finite "
     "factor_maximum_4_scale_first "
     "factor_maximum_4_reciprocal factor_moving_average_4 factor_running_average* factor_nearest_rank_8 "
     "factor_linear_rank_8* ",
     "a NaN is left out before"},
    {"other_quotient", " te_current_power_of_two ", "the power of two below is the same"},
    {"reads_maximum", " factor_current ", "of one"},
    {"reads_most_recent", " te_current te_current_power_of_two torchao_dynamic ", "of one"},
    {"start_zeros", " te_* torchao_* factor_current factor_maximum_4* ", "a maximum does not see zeros"},
    {"zero_computed", " te_delayed te_delayed_most_recent_4 factor_running_average* ",
     "nothing is zero when it is read"},
    {"zero_swapped", " te_delayed te_delayed_most_recent_4 factor_running_average* torchao_* ",
     "nothing is zero when it is read, or it is raised to the least amax"},
    {"zero_not_admitted", " factor_current factor_maximum_4_interval_3 ",
     "a zero keeps the scale, which the amax before it gave; or no update falls where it would show"},
};

bool lists(std::string_view cases, const std::string& name) {
    if (cases.find(" " + name + " ") != std::string_view::npos) return true;
    for (std::size_t n = 1; n <= name.size(); ++n)
        if (cases.find(" " + name.substr(0, n) + "* ") != std::string_view::npos) return true;
    return false;
}

bool is_equivalent(const std::string& name, std::string_view fault) {
    return std::any_of(std::begin(equivalents), std::end(equivalents),
                       [&](const Equivalent& row) { return row.fault == fault && lists(row.cases, name); });
}

/// The traces of all faults of a recipe.
std::map<std::string_view, Trace> fault_traces(const TraceCase& trace_case) {
    std::map<std::string_view, Trace> result;
    for (const TraceFault& fault : trace_faults())
        if (const auto machine = fault.plant(trace_case.choices))
            result.emplace(fault.name, run(*machine, trace_case.amaxes));
    return result;
}

void check_all(std::string_view prefix) {
    std::size_t planted = 0;
    for (const TraceCase& trace_case : trace_cases()) {
        if (!trace_case.name.starts_with(prefix)) continue;
        const Trace golden = golden_trace(trace_case);
        for (const auto& [fault, trace] : fault_traces(trace_case)) {
            ++planted;
            CAPTURE(trace_case.name, fault);
            CHECK((trace == golden) == is_equivalent(trace_case.name, fault));
        }
    }
    CHECK(planted > 20);
}

} // namespace

TEST_CASE("every fault shows in the traces of Transformer Engine's recipes", "[values][trace]") { check_all("te_"); }
TEST_CASE("every fault shows in the traces of torchao's recipes", "[values][trace]") { check_all("torchao_"); }
TEST_CASE("every fault shows in the traces of maxima and of current scaling", "[values][trace]") {
    check_all("factor_maximum");
    check_all("factor_current");
}
TEST_CASE("every fault shows in the traces of averages", "[values][trace]") {
    check_all("factor_moving");
    check_all("factor_running");
}
TEST_CASE("every fault shows in the traces of percentiles", "[values][trace]") {
    check_all("factor_nearest");
    check_all("factor_linear");
}
TEST_CASE("no trace is left out of these", "[trace]") {
    for (const TraceCase& trace_case : trace_cases()) {
        CAPTURE(trace_case.name);
        CHECK((trace_case.name.starts_with("te_") || trace_case.name.starts_with("torchao_") ||
               lists(" factor_maximum* factor_current factor_moving* factor_running* factor_nearest* factor_linear* ",
                     trace_case.name)));
    }
}

TEST_CASE("every fault has a trace of its own in some recipe", "[values][trace]") {
    std::set<std::string_view> alone;
    for (const char* name :
         {"te_delayed_4_margin_2", "te_current_power_of_two", "torchao_dynamic", "factor_maximum_4",
          "factor_maximum_4_interval_3", "factor_maximum_4_remember_3", "factor_maximum_4_one",
          "factor_running_average_finite", "factor_linear_rank_8_zeros", "factor_linear_rank_8_three_quarters"}) {
        const TraceCase& traced = trace_case(name);
        const auto planted = fault_traces(traced);
        const Trace golden = golden_trace(traced);
        for (const auto& [fault, trace] : planted) {
            const auto same = [&trace = trace](const auto& other_item) { return other_item.second == trace; };
            if (trace != golden && std::count_if(planted.begin(), planted.end(), same) == 1) alone.insert(fault);
        }
    }
    for (const TraceFault& fault : trace_faults()) {
        CAPTURE(fault.name);
        CHECK(alone.count(fault.name) == 1);
        CHECK_FALSE(fault.text.empty());
    }
}

TEST_CASE("a trace names its fault, its first step, or nothing", "[trace]") {
    const TraceCase& traced = trace_case("te_delayed_4_margin_2");
    const auto diagnosis = [&](std::string_view name) {
        for (const TraceFault& fault : trace_faults())
            if (fault.name == name)
                return suites::diagnose(traced, run(fault.plant(traced.choices).value(), traced.amaxes));
        throw std::logic_error("no such fault");
    };
    const Trace golden = golden_trace(traced);
    CHECK_FALSE(suites::diagnose(traced, golden).first);
    CHECK(suites::diagnose(traced, golden).faults.empty());

    CHECK(diagnosis("margin_as_factor").first == 1U);
    CHECK(diagnosis("margin_as_factor").faults == std::vector<std::string_view>{"margin_as_factor"});
    CHECK(diagnosis("sees_own_amax").first == 0U);
    CHECK(diagnosis("sees_own_amax").faults == std::vector<std::string_view>{"sees_own_amax"});
    // What cannot be told apart here is named together.
    CHECK(diagnosis("history_not_rolled").faults ==
          std::vector<std::string_view>{"history_not_rolled", "history_index_stuck", "history_cleared",
                                        "reads_most_recent"});
    Trace unknown = golden;
    unknown.back().scale ^= 1;
    CHECK(suites::diagnose(traced, unknown).first == golden.size() - 1);
    CHECK(suites::diagnose(traced, unknown).faults.empty());
}

TEST_CASE("every NaN is one, and a trace of other amaxes is refused", "[trace]") {
    const TraceCase& traced = trace_case("factor_maximum_4_computed");
    Trace trace = golden_trace(traced);
    std::size_t nans = 0;
    for (TraceRow& row : trace)
        if (row.scale == 0x7FC00000) {
            row.scale = 0xFFFFFFFF;
            row.inverse = 0x7F800001;
            ++nans;
        }
    CHECK(nans > 0);
    CHECK_FALSE(suites::diagnose(traced, trace).first);
    trace[2].amax = 0x40000000;
    CHECK_THROWS_WITH(suites::diagnose(traced, trace), "step 2 is not of the amax of factor_maximum_4_computed");
    trace.pop_back();
    CHECK_THROWS_AS(suites::diagnose(traced, trace), std::invalid_argument);
}
