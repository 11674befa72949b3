// SPDX-License-Identifier: Apache-2.0
#include "conformance/certify/plan_list.hpp"

#include <functional>

#include <fmt/format.h>

#include "conformance/print/columns.hpp"
#include "conformance/print/text.hpp"
#include "conformance/suites/registry.hpp"

namespace mxcert::certify {
namespace {

using Use = std::function<void(const std::string& row, const std::string& profile, const std::string& asked)>;

std::string asked_of(const suites::PlannedConversion& planned) {
    return print::grouped(planned.inputs()) + (planned.points.empty() ? "" : " (sample)");
}

bool is_wanted(const std::string& row, const Operation& operation, const verdict::CertifyOptions& options) {
    if (options.reproduce) return row == to_string(operation) + '/' + options.reproduce->part;
    return print::selected(options.filters, row);
}

// Calls `use` for each row in the order of the run.
void for_each_row(const Plan& plan, const verdict::CertifyOptions& options, const Use& use) {
    for (const suites::PlannedConversion& planned : plan.conversions)
        for (const verdict::Judge& judge : planned.judges)
            use(to_string(planned.conversion), std::string(judge.profile->name), asked_of(planned));
    for (const suites::GivenBits& bits : plan.given_bits)
        for (const Profile* profile : bits.profiles)
            use(to_string(bits.conversion), std::string(profile->name), "with random bits");
    for (const PlannedOperation& planned : plan.operations)
        for (const std::string& row : suites::row_ids(planned.operation))
            for (const Profile* profile : plan.profiles)
                if (covers(*profile, planned.operation) && is_wanted(row, planned.operation, options))
                    use(row, std::string(profile->name), "cases");
    for (const verdict::Row& row : plan.fixed) use(row.id, row.profile, "none: " + row.reason);
    for (const Profile* profile : plan.profiles)
        for (const Provision& provision : profile->provisions)
            if (const std::string row = "provision " + std::string(provision.clause);
                !options.reproduce && print::selected(options.filters, row))
                use(row, std::string(profile->name), "none");
}

} // namespace

PlanList list_of(const Plan& plan, const verdict::CertifyOptions& options, const LevelOf& level) {
    std::vector<std::vector<std::string>> lines{{"row", "profile", "inputs"}};
    for_each_row(plan, options, [&](const std::string& row, const std::string& profile, const std::string& asked) {
        lines.push_back({row, profile, asked});
    });
    const std::size_t rows = lines.size() - 1;
    return {(rows == 0 ? "" : print::columns(lines)) +
                fmt::format(
                    "{} at level {}: {} with {}, and {}. Nothing was run.\n", print::counted(rows, "row"),
                    to_string(level), print::counted(plan.conversions.size() + plan.given_bits.size(), "conversion"),
                    print::counted(plan.inputs(), "input"), print::counted(plan.operations.size(), "operation")),
            rows};
}

} // namespace mxcert::certify
