// SPDX-License-Identifier: Apache-2.0
#include "conformance/verdict/verdict.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/inputs/points_csv.hpp"
#include "conformance/print/text.hpp"
#include "conformance/verdict/canary.hpp"
#include "conformance/verdict/pieces.hpp"
#include "reference/clause.hpp"
#include "reference/code_text.hpp"
#include "vectors/base/sha256.hpp"
#include "vectors/tables/table_csv.hpp"

namespace mxcert::verdict {
namespace {

// Inputs of a source of up to 32 bits.
std::uint64_t domain(const Format& from) { return from.last_code() + 1; }

std::vector<Step> as_steps(const std::vector<inputs::Point>& points) {
    std::vector<Step> steps;
    steps.reserve(points.size());
    for (const inputs::Point& point : points) {
        // Neighbouring inputs with one answer are one range: a report should say so.
        const bool touches = !steps.empty() && steps.back().last + 1 == point.input;
        if (touches && steps.back().code == point.got)
            steps.back().last = point.input;
        else
            steps.push_back({point.input, point.input, point.got});
    }
    return steps;
}

std::vector<std::string> judging_clauses(const std::vector<Step>& steps, const PermitTable& permitted) {
    std::vector<std::string_view> seen;
    for_each_piece(steps, permitted,
                   [&](Code, Code, const Step&, const PermitStep& wanted) { seen.push_back(wanted.clause); });
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    return {seen.begin(), seen.end()};
}

bool from_memory(const Difference& difference) {
    const Clause* clause = find_clause(difference.clause);
    return clause != nullptr && clause->grade == Grade::memory;
}

bool is_constant(const std::vector<Step>& steps) {
    return std::all_of(steps.begin(), steps.end(), [&](const Step& step) { return step.code == steps.front().code; });
}

// What the observation alone says, before anything is compared: counts that contradict each other void it.
Status observed_status(const observe::Observation& seen, bool whole, std::uint64_t answers, std::string& reason) {
    reason = seen.reason;
    // Who answers a part can do it.
    if (seen.status == Status::unsupported && answers != 0) {
        reason = fmt::format("answered {} and refused the others: {}", print::counted(answers, "input"), seen.reason);
        return Status::error;
    }
    // Steps after those that are kept are not compared.
    if (seen.irregular && (seen.status == Status::pass || seen.status == Status::incomplete)) {
        reason = (reason.empty() ? "irregular" : reason) + ", and the others are not judged";
        return Status::incomplete;
    }
    if (seen.status != Status::pass) return seen.status;
    if (answers == 0) {
        reason = "nothing was compared";
        return Status::untested;
    }
    const bool complete = whole || !seen.points.empty() || seen.chosen;
    if (!complete || seen.inputs != answers) {
        reason =
            fmt::format("{} answered, {} in the table", print::counted(seen.inputs, "input"), print::grouped(answers));
        return Status::error;
    }
    return Status::pass;
}

void decide(Row& row, const std::vector<Difference>& differences, const observe::Observation& seen, bool constant) {
    const std::string wrong =
        fmt::format("{} of {} {}", print::grouped(row.differing), print::counted(row.compared, "input"),
                    row.differing == 1 ? "has a wrong answer" : "have wrong answers");
    const std::string also = row.reason.empty() ? "" : "; also " + row.reason;
    if (row.status == Status::mistrusted) return;
    if (constant && !differences.empty()) {
        row.status = Status::mistrusted;
        row.reason =
            fmt::format("{} is the answer to every input", code_text(*seen.conversion.to, differences.front().got));
    } else if (std::any_of(differences.begin(), differences.end(), [](const auto& d) { return !from_memory(d); })) {
        row.status = Status::fail;
        row.reason = wrong + also;
    } else if (!differences.empty() && row.status != Status::fail) {
        row.status = Status::untested;
        row.reason = wrong + ", but only by a clause from memory, which decides nothing" + also;
    }
}

} // namespace

std::string inputs_in_all(const Conversion& conversion) {
    constexpr Code most = Code{1} << 32U;
    const Code last = conversion.from->last_code();
    if (conversion.random_bits == 0 && last < most) return std::to_string(last + 1);
    return fmt::format("2^{}", static_cast<unsigned>(std::bit_width(last)) + conversion.random_bits);
}

std::vector<Step> steps_of(const observe::Observation& seen) {
    if (!seen.table.steps.empty()) return seen.table.steps;
    return seen.points.empty() ? seen.partial : as_steps(seen.points);
}

Row judge(const observe::Observation& seen, const PermitTable& permitted, std::size_t max_failures) {
    if (permitted.from != seen.conversion.from || permitted.to != seen.conversion.to)
        throw std::invalid_argument("what is permitted is of other formats than what was observed");
    if (const std::string why = broken(permitted); !why.empty())
        throw std::invalid_argument("what is permitted is not a whole table: " + why);
    Row row;
    TableFindings& table = row.found.emplace<TableFindings>();
    table.conversion = seen.conversion;
    table.culprits = seen.culprits;
    table.places = seen.places;
    row.id = to_string(seen.conversion);
    row.detail = seen.detail;
    row.repeated = seen.repeated;
    row.unstable = seen.unstable;
    row.kept = seen.kept;
    row.seconds = seen.seconds;

    const bool whole = !seen.table.steps.empty();
    const std::vector<Step> steps = steps_of(seen);
    const bool chosen = !seen.points.empty() || (seen.chosen && seen.status == Status::pass);
    row.sample = !whole && chosen;
    row.total = inputs_in_all(seen.conversion);
    if (whole)
        row.compared = domain(*permitted.from);
    else
        for (const Step& step : steps) row.compared += step.last - step.first + 1;
    row.status = observed_status(seen, whole, row.compared, row.reason);
    if (steps.empty()) return row;

    const Comparison comparison = [&](const std::vector<Step>& steps) {
        return whole ? compare(StepTable{seen.table.from, seen.table.to, steps}, permitted)
                     : diagnose::differences_of(steps, permitted);
    };
    std::vector<Difference> differences = comparison(steps);
    check_comparison(steps, permitted, comparison, differences);

    row.differing = count_inputs(differences);
    table.ranges = differences.size();
    row.clauses = judging_clauses(steps, permitted);
    if (whole)
        row.observed_sha256 = sha256(write_step_table(seen.table));
    else if (seen.chosen)
        row.observed_sha256 = sha256(write_step_table({permitted.from, permitted.to, steps}));
    else if (row.sample)
        row.observed_sha256 = sha256(inputs::write_points(seen.points, *permitted.from, *permitted.to));
    decide(row, differences, seen, row.compared > 1 && (whole || row.sample) && is_constant(steps));
    if (seen.known_as && row.status == Status::fail) {
        row.known_as = {*seen.known_as};
        row.reason += it_is(row.known_as);
    }
    // One input alone shows a wrong code, not that all have one.
    row.unstable = row.unstable || row.status == Status::mistrusted;
    if (differences.size() > max_failures) differences.resize(max_failures);
    table.differences = std::move(differences);
    return row;
}

} // namespace mxcert::verdict
