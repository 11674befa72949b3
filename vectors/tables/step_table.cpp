// SPDX-License-Identifier: Apache-2.0
#include "vectors/tables/step_table.hpp"

#include <algorithm>

namespace mxcert {
namespace {

bool same_step(const Step& a, const Step& b) { return a.code == b.code; }
bool same_step(const PermitStep& a, const PermitStep& b) { return a.permit == b.permit && a.clause == b.clause; }

bool is_code(const Step& step, const Format& to) { return step.code <= to.last_code(); }
bool is_code(const PermitStep& step, const Format& to) {
    return (step.permit.any_nan || !step.permit.codes.empty()) &&
           (step.permit.codes.empty() || step.permit.codes.back() <= to.last_code());
}

template <class Table> std::string broken_table(const Table& table) {
    const auto& steps = table.steps;
    const Format& from = *table.from;
    if (steps.empty()) return "it has no rows";
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::string row = "row " + std::to_string(i + 1) + ": ";
        const Code wanted = i == 0 ? 0 : steps[i - 1].last + 1;
        if (steps[i].first != wanted)
            return row + "first is " + hex(steps[i].first, from) + ", and " + hex(wanted, from) + " was to follow";
        if (steps[i].last < steps[i].first) return row + "last is before first";
        if (steps[i].last > from.last_code()) return row + "last is beyond the format";
        if (steps[i].last == from.last_code() && i + 1 < steps.size()) return row + "more rows follow the last input";
        if (!is_code(steps[i], *table.to)) return row + "the result is not a code of " + std::string(table.to->name);
        if (i > 0 && same_step(steps[i - 1], steps[i])) return row + "the same as the row before: they must be one row";
    }
    if (steps.back().last != from.last_code())
        return "it ends at " + hex(steps.back().last, from) + ", before the last input";
    return "";
}

template <class Table> std::size_t find(const Table& table, Code input) {
    const auto it =
        std::partition_point(table.steps.begin(), table.steps.end(), [&](const auto& s) { return s.last < input; });
    return static_cast<std::size_t>(it - table.steps.begin());
}

} // namespace

std::string broken(const StepTable& table) { return broken_table(table); }
std::string broken(const PermitTable& table) { return broken_table(table); }
std::size_t find_step(const StepTable& table, Code input) { return find(table, input); }
std::size_t find_step(const PermitTable& table, Code input) { return find(table, input); }

} // namespace mxcert
