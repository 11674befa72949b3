// SPDX-License-Identifier: Apache-2.0
#include "conformance/shards/ask_again.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "conformance/inputs/run_length.hpp"
#include "conformance/print/text.hpp"
#include "reference/base/random.hpp"
#include "reference/code_text.hpp"
#include "vectors/base/sha256.hpp"

namespace mxcert::shards {
namespace {

constexpr std::uint64_t most_of_sweep = std::uint64_t{1} << 20;

bool comes_before(const inputs::Point& a, const inputs::Point& b) {
    return std::tie(a.input, a.random) < std::tie(b.input, b.random);
}

/// Some of the answers, drawn by the random number; ascending.
std::vector<inputs::Point> drawn_from(const observe::Observation& seen, std::uint64_t random, std::uint64_t most) {
    std::vector<inputs::Point> drawn;
    const std::vector<Step>& steps = seen.table.steps.empty() ? seen.partial : seen.table.steps;
    std::vector<std::uint64_t> ends; // inputs of the steps up to each
    for (const Step& step : steps) ends.push_back((ends.empty() ? 0 : ends.back()) + step.last - step.first + 1);
    const std::uint64_t all = seen.points.empty() ? (ends.empty() ? 0 : ends.back()) : seen.points.size();
    for (std::uint64_t i = 0; i < std::min(all, most); ++i) {
        const std::uint64_t at = all <= most ? i : SplitMix64::at(random, i) % all;
        if (!seen.points.empty()) {
            drawn.push_back(seen.points[at]);
            continue;
        }
        const auto step = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), at) - ends.begin());
        drawn.push_back({steps[step].last - (ends[step] - 1 - at), 0, steps[step].code});
    }
    std::sort(drawn.begin(), drawn.end(), comes_before);
    drawn.erase(std::unique(drawn.begin(), drawn.end(),
                            [](const auto& a, const auto& b) { return !comes_before(a, b) && !comes_before(b, a); }),
                drawn.end());
    return drawn;
}

} // namespace

AskedAgain ask_inputs_again(observe::Subject& backend, const Conversion& conversion, const observe::Observation& stored,
                            std::uint64_t random, std::uint64_t most) {
    // Of answers that alternate among permitted codes one is stored for all.
    if (stored.status != Status::pass || stored.places.simplified) return {};
    const std::vector<inputs::Point> wanted = drawn_from(stored, random, most);
    if (wanted.empty()) return {};
    const observe::Observation again = backend.observe_points(conversion, wanted, nullptr);
    if (again.status != Status::pass) return {again.reason, 0, again.status};
    if (again.points.size() != wanted.size())
        return {fmt::format("{} of {} came back", again.points.size(), print::counted(wanted.size(), "input")), 0,
                Status::incomplete};
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (again.points[i].input != wanted[i].input || again.points[i].got != wanted[i].got)
            return {fmt::format("input {} gives {}, and {} is stored", code_text(*conversion.from, wanted[i].input),
                                code_text(*conversion.to, again.points[i].got),
                                code_text(*conversion.to, wanted[i].got)),
                    i + 1};
    return {{}, wanted.size()};
}

AskedAgain ask_sweep_again(observe::Subject& backend, const observe::SweepPart& part, const PermitTable* permitted,
                           const observe::Observation& stored, std::uint64_t random) {
    if (stored.status != Status::pass) return {};
    // Some whole requests from a random place.
    observe::SweepPart slice = part;
    const std::uint64_t requests = part.positions.count / part.at_once;
    const std::uint64_t wanted = std::min(requests, most_of_sweep / part.at_once);
    if (wanted != 0) {
        slice.positions.first += SplitMix64::at(random, 0) % (requests - wanted + 1) * part.at_once;
        slice.positions.count = wanted * part.at_once;
    }
    slice.ranges = part.order.inputs_of(slice.positions.first, slice.positions.count);
    const observe::Observation again = backend.sweep(slice, permitted);
    if (again.status != Status::pass) return {again.reason, 0, again.status};
    if (again.inputs != slice.inputs())
        return {fmt::format("{} of {} came back", again.inputs, print::counted(slice.inputs(), "input")), 0,
                Status::incomplete};
    for (const inputs::CodeRange& range : slice.ranges) {
        const auto differing = inputs::differing_runs(inputs::part_of(stored.partial, range.first, range.last),
                                                      inputs::part_of(again.partial, range.first, range.last));
        if (!differing.empty())
            return {fmt::format("input {} gives {}, and {} is stored",
                                code_text(*part.conversion.from, differing.front().first),
                                code_text(*part.conversion.to, differing.front().b),
                                code_text(*part.conversion.to, differing.front().a)),
                    again.inputs};
    }
    return {{}, again.inputs};
}

AskedAgain ask_run_again(observe::Subject& backend, const Operation& operation, const frames::RunCase& run_case,
                         Status status, const std::string& answer) {
    const frames::RunAnswer again = backend.run(operation, run_case);
    if (again.status != status)
        return {fmt::format("{}: {} {}", run_case.name, to_string(again.status), again.reason), 0, again.status};
    if (status != Status::pass) return {};
    AskedAgain asked;
    for (const frames::Values& output : again.outputs) asked.values += output.count();
    if (sha256(record::answer_bytes(run_case, again.outputs)) != answer)
        asked.difference = fmt::format("{}: the outputs are others than those that are stored", run_case.name);
    return asked;
}

std::string AskAgain::compare(const std::string& unit, const Conversion& conversion, const observe::Observation& seen) {
    const auto found = chosen_.find(unit);
    if (found == chosen_.end() || seen.status != Status::pass) return {};
    const std::scoped_lock lock(lock_);
    return note(unit, ask_inputs_again(backend_, conversion, seen, found->second, inputs_of_slice));
}

std::string AskAgain::compare_sweep(const std::string& unit, const observe::SweepPart& part,
                                    const PermitTable* permitted, const observe::Observation& seen) {
    const auto found = chosen_.find(unit);
    if (found == chosen_.end() || seen.status != Status::pass) return {};
    const std::scoped_lock lock(lock_);
    if (asked_.contains(unit)) return {};
    return note(unit, ask_sweep_again(backend_, part, permitted, seen, found->second));
}

std::string AskAgain::compare_run(const std::string& unit, std::size_t number, std::size_t count,
                                  const Operation& operation, const frames::RunCase& run_case,
                                  const record::RecordedRun& recorded) {
    const auto found = chosen_.find(unit);
    if (found == chosen_.end() || run_case.once || number != found->second % count) return {};
    const std::scoped_lock lock(lock_);
    const AskedAgain asked = ask_run_again(backend_, operation, run_case, recorded.status, recorded.answer);
    if (asked.difference.empty()) asked_.insert(unit); // also of one that was refused again
    return note(unit, asked);
}

std::string AskAgain::note(const std::string& unit, const AskedAgain& asked) {
    if (!asked.difference.empty()) return asked.difference;
    if (asked.values != 0) asked_.insert(unit);
    values_ += asked.values;
    return {};
}

} // namespace mxcert::shards
