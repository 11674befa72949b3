// SPDX-License-Identifier: Apache-2.0
#include "conformance/certify/plan_list.hpp"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "conformance/certify/plan_cost.hpp"
#include "conformance/print/columns.hpp"
#include "conformance/print/progress.hpp"
#include "conformance/print/text.hpp"
#include "conformance/print/wrap.hpp"
#include "conformance/suites/registry.hpp"

namespace mxcert::certify {
namespace {

/// A line of the list. `cost`: in values; nothing is sent for some.
struct Line {
    std::string row;
    std::string profile;
    std::string asked;
    std::uint64_t cost = 0;
};

using Use = std::function<void(const Line& line)>;

std::string asked_of(const suites::PlannedConversion& planned) {
    return print::grouped(planned.inputs()) + (planned.points.empty() ? "" : " (sample)");
}

bool is_wanted(const std::string& row, const Operation& operation, const verdict::CertifyOptions& options) {
    if (options.reproduce) return row == to_string(operation) + '/' + options.reproduce->part;
    return print::selected(options.filters, row);
}

std::uint64_t cost_of(const suites::PlannedConversion& planned, Level level) {
    return planned.inputs() + large_call_cost(level);
}

struct RowCost {
    std::string row;
    std::uint64_t cost = 0;
};

// Of the rows that are wanted. The cases of an operation are shared by all of its rows.
std::vector<RowCost> row_costs(const Operation& operation, const verdict::CertifyOptions& options) {
    const std::vector<std::string> rows = suites::row_ids(operation);
    const std::vector<Sweep> sweeps = sweeps_of(operation, options.level);
    std::vector<RowCost> costs;
    for (const std::string& row : rows) {
        if (!is_wanted(row, operation, options)) continue;
        costs.push_back({row, case_cost(options.level) / rows.size()});
        for (const Sweep& sweep : sweeps)
            if (row.substr(row.find('/') + 1) == sweep.row) costs.back().cost += sweep.parts * sweep.values;
    }
    return costs;
}

double seconds_of(std::uint64_t cost) {
    constexpr double of_a_value = 1e-9;
    return static_cast<double>(cost) * of_a_value;
}

// Calls `use` for each row in the order of the run.
void for_each_row(const Plan& plan, const verdict::CertifyOptions& options, const Use& use) {
    for (const suites::PlannedConversion& planned : plan.conversions)
        for (const verdict::Judge& judge : planned.judges)
            use({to_string(planned.conversion), std::string(judge.profile->name), asked_of(planned),
                 cost_of(planned, options.level)});
    for (const suites::GivenBits& bits : plan.given_bits)
        for (const Profile* profile : bits.profiles)
            use({to_string(bits.conversion), std::string(profile->name), "with random bits", case_cost(options.level)});
    for (const PlannedOperation& planned : plan.operations)
        for (const RowCost& row : row_costs(planned.operation, options))
            for (const Profile* profile : plan.profiles)
                if (covers(*profile, planned.operation)) use({row.row, std::string(profile->name), "cases", row.cost});
    for (const verdict::Row& row : plan.fixed) use({row.id, row.profile, "none: " + row.reason});
    for (const Profile* profile : plan.profiles)
        for (const Provision& provision : profile->provisions)
            if (const std::string row = "provision " + std::string(provision.clause);
                !options.reproduce && print::selected(options.filters, row))
                use({row, std::string(profile->name), "none"});
}

} // namespace

double expected_seconds(const PlannedOperation& planned, const verdict::CertifyOptions& options) {
    std::uint64_t cost = 0;
    for (const RowCost& row : row_costs(planned.operation, options)) cost += row.cost;
    return seconds_of(cost);
}

double expected_seconds_of_given_bits(Level level) { return seconds_of(case_cost(level)); }

PlanList list_of(const Plan& plan, const verdict::CertifyOptions& options, const LevelOf& level, std::size_t width) {
    PlanList list;
    std::vector<std::vector<std::string>> lines{{"row", "profile", "inputs", "seconds"}};
    std::set<std::string> asked; // a row of several profiles once
    std::uint64_t cost = 0;
    for_each_row(plan, options, [&](const Line& line) {
        lines.push_back({line.row, line.profile, line.asked, fmt::format("{:.2f}", seconds_of(line.cost))});
        list.rows.push_back({line.row, line.profile, line.asked, seconds_of(line.cost)});
        if (asked.insert(line.row).second) cost += line.cost;
    });
    std::string end = list.rows.empty() ? ""
                                        : fmt::format("About {} on one processor, for a backend as fast as portable.\n",
                                                      print::duration_text(seconds_of(cost)));
    end +=
        fmt::format("{} at level {}: {} with {}, and {}. Nothing was run.\n", print::counted(list.rows.size(), "row"),
                    to_string(level), print::counted(plan.conversions.size() + plan.given_bits.size(), "conversion"),
                    print::counted(plan.inputs(), "input"), print::counted(plan.operations.size(), "operation"));
    list.text = (list.rows.empty() ? "" : print::columns(lines, width)) + print::wrapped(end, width);
    list.inputs = plan.inputs();
    list.seconds = seconds_of(cost);
    return list;
}

} // namespace mxcert::certify
