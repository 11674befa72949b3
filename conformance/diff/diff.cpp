// SPDX-License-Identifier: Apache-2.0
#include "conformance/diff/diff.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/inputs/sample.hpp"
#include "conformance/print/text.hpp"
#include "conformance/suites/registry.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::diff {
namespace {

bool offers(const observe::Subject& subject, const Conversion& conversion) {
    const auto& all = subject.info().conversions;
    return std::find(all.begin(), all.end(), conversion) != all.end();
}

bool offers(const observe::Subject& subject, const Operation& operation) {
    const auto& all = subject.info().operations;
    return std::find(all.begin(), all.end(), operation) != all.end();
}

bool any_row_selected(const Operation& operation, const DiffOptions& options) {
    const std::vector<std::string> rows = suites::row_ids(operation);
    return std::any_of(rows.begin(), rows.end(),
                       [&](const std::string& id) { return print::selected(options.filters, id); });
}

void diff_operations(observe::Subject& a, observe::Subject& b, const DiffOptions& options, Diff& result) {
    verdict::GoldenSource golden;
    for (const Operation& operation : a.info().operations) {
        if (!any_row_selected(operation, options)) continue;
        if (!offers(b, operation)) {
            result.only_a.push_back(to_string(operation));
            continue;
        }
        for (OperationDiff& row : diff_operation(a, b, operation, golden, options)) {
            if (options.row_compared) options.row_compared(row);
            result.operations.push_back(std::move(row));
        }
    }
    for (const Operation& operation : b.info().operations)
        if (any_row_selected(operation, options) && !offers(a, operation))
            result.only_b.push_back(to_string(operation));
}

// A worker that did not serve its operations to the end: what it answered proves nothing.
void end_runs(observe::Subject& subject, const DiffOptions& options, Diff& result) {
    const std::string reason = subject.end_runs();
    if (reason.empty()) return;
    OperationDiff& row = result.operations.emplace_back();
    row.id = "operations";
    row.status = options.stop != nullptr && options.stop->load() ? Status::incomplete : Status::error;
    row.reason = print::printable(subject.info().name) + ": " + reason;
    if (options.row_compared) options.row_compared(row);
}

// The chosen inputs that both can be asked.
std::vector<inputs::Point> common_points(const observe::Subject& a, const observe::Subject& b,
                                         const Conversion& conversion, const DiffOptions& options) {
    const StepTable model = tabulate(*conversion.from, *conversion.to, choices_of(conversion));
    std::vector<inputs::Point> points =
        inputs::choose_points(*conversion.from, inputs::firsts_of(model), options.samples_per_step, options.seed);
    if (!a.is_record()) return b.answerable(conversion, std::move(points));
    points = a.answerable(conversion, std::move(points));
    if (!b.is_record()) return points;
    const std::vector<inputs::Point> others = b.answerable(conversion, points);
    std::erase_if(points, [&](const inputs::Point& point) {
        const auto at = std::lower_bound(others.begin(), others.end(), point.input,
                                         [](const inputs::Point& p, Code input) { return p.input < input; });
        return at == others.end() || at->input != point.input;
    });
    return points;
}

std::vector<Difference> compare_points(const std::vector<inputs::Point>& a, const std::vector<inputs::Point>& b) {
    std::vector<Difference> differences;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i].got != b[i].got) differences.push_back({a[i].input, a[i].input, a[i].got, permit_code(b[i].got), {}});
    return differences;
}

bool same_inputs(const std::vector<inputs::Point>& a, const std::vector<inputs::Point>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const inputs::Point& x, const inputs::Point& y) { return x.input == y.input; });
}

// Observes one of the two; false, with the row's status and reason, if that did not end well.
bool observe(observe::Subject& subject, bool second, const std::vector<inputs::Point>& points,
             const DiffOptions& options, DiffRow& row, observe::Observation& seen) {
    if (options.stop != nullptr && options.stop->load()) {
        row.status = Status::incomplete;
        row.reason = "stopped before it was asked";
        return false;
    }
    const Conversion& conversion = row.conversion;
    const bool by_points = row.sample;
    if (options.started)
        options.started(second, to_string(conversion), by_points ? points.size() : conversion.from->last_code() + 1);
    seen = by_points ? subject.observe_points(conversion, points, nullptr) : subject.observe(conversion, nullptr);
    // One constant everywhere is a behaviour like any other here: nothing says that it is wrong.
    const bool whole = by_points ? same_inputs(seen.points, points) && !points.empty() : !seen.table.steps.empty();
    const bool usable = whole && (seen.status == Status::pass || seen.status == Status::mistrusted);
    if (usable) return true;
    row.status = seen.status == Status::pass   ? Status::incomplete
                 : seen.status == Status::fail ? Status::error // FAIL is the word for two sides that differ
                                               : seen.status;
    row.reason = fmt::format("{}: {}", print::printable(subject.info().name),
                             seen.reason.empty() ? "not every input came back" : seen.reason);
    return false;
}

DiffRow compare_conversion(observe::Subject& a, observe::Subject& b, const Conversion& conversion,
                           const DiffOptions& options) {
    DiffRow row;
    row.conversion = conversion;
    row.sample = a.holds_points(conversion) || b.holds_points(conversion);
    if (is_stochastic(conversion.rounding)) {
        row.reason = "a stochastic rounding has no table";
        return row;
    }
    std::vector<inputs::Point> points;
    if (row.sample) {
        points = common_points(a, b, conversion, options);
        if (points.empty()) {
            row.reason = "the records have no input in common";
            return row;
        }
    }
    observe::Observation first;
    observe::Observation second;
    if (!observe(a, false, points, options, row, first) || !observe(b, true, points, options, row, second)) return row;
    row.differences = row.sample ? compare_points(first.points, second.points) : compare(first.table, second.table);
    row.compared = row.sample ? points.size() : conversion.from->last_code() + 1;
    row.differing = count_inputs(row.differences);
    row.status = row.differing == 0 ? Status::pass : Status::fail;
    return row;
}

} // namespace

Diff diff(observe::Subject& a, observe::Subject& b, const DiffOptions& options) {
    Diff result;
    for (const Conversion& conversion : a.info().conversions) {
        const std::string id = to_string(conversion);
        if (!print::selected(options.filters, id)) continue;
        if (!offers(b, conversion)) {
            result.only_a.push_back(id);
            continue;
        }
        result.rows.push_back(compare_conversion(a, b, conversion, options));
        if (options.compared) options.compared(result.rows.back());
    }
    for (const Conversion& conversion : b.info().conversions) {
        const std::string id = to_string(conversion);
        if (print::selected(options.filters, id) && !offers(a, conversion)) result.only_b.push_back(id);
    }
    diff_operations(a, b, options, result);
    end_runs(a, options, result);
    end_runs(b, options, result);
    return result;
}

int exit_code(const Diff& diff) {
    // What is random has nothing to compare; everything else that both offer should have been.
    const auto is_random = [](const auto& row) {
        if constexpr (requires { row.random; })
            return row.random;
        else
            return is_stochastic(row.conversion.rounding);
    };
    const auto any = [&](auto matches) {
        return std::any_of(diff.rows.begin(), diff.rows.end(), matches) ||
               std::any_of(diff.operations.begin(), diff.operations.end(), matches);
    };
    if (any([](const auto& row) { return row.status == Status::fail; })) return 1;
    if (any([&](const auto& row) { return row.status != Status::pass && !is_random(row); })) return 3;
    return any([](const auto& row) { return row.status == Status::pass; }) ? 0 : 4;
}

} // namespace mxcert::diff
