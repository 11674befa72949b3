// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/explain_scales.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "conformance/suites/blocks/join_faults.hpp"
#include "conformance/suites/blocks/table_cases.hpp"
#include "reference/code_text.hpp"

namespace mxcert::suites {
namespace {

/// The blocks of these amaxes and what came back; nothing if that was no answer.
std::optional<JoinSeen<QuantizeCase>> ask(observe::Subject& subject, const Operation& operation,
                                          const QuantizeCase& quantize_case) {
    frames::RunCase run_case = run_of(as_quantize(operation), quantize_case);
    run_case.row = "scale";
    run_case.name = quantize_case.name;
    frames::RunAnswer answer = subject.run(operation, run_case);
    if (answer.status != Status::pass) return std::nullopt;
    return JoinSeen<QuantizeCase>{&quantize_case, std::move(answer.outputs)};
}

bool is_right(const QuantizeRules& rules, Code amax, const JoinSeen<QuantizeCase>& seen, std::uint64_t line) {
    return permits_scale(rules, {amax}, seen.outputs[1].get(seen.asked->matrix.scale_place(line, 0)));
}

/// In which lanes an amax gets a permitted scale; empty if that was no answer.
std::vector<bool> right_lanes(observe::Subject& subject, const Operation& operation, const QuantizeRules& rules,
                              unsigned block, Code amax, std::uint64_t number) {
    const std::vector<Code> amaxes(block, amax);
    std::vector<std::uint64_t> numbers(block);
    for (std::uint64_t lane = 0; lane < block; ++lane) numbers[lane] = number / block * block + lane;
    const QuantizeCase every_lane = scale_case(*rules.quantize, block, amaxes, numbers);
    const auto answer = ask(subject, operation, every_lane);
    std::vector<bool> right;
    for (std::uint64_t lane = 0; answer && lane < block; ++lane) right.push_back(is_right(rules, amax, *answer, lane));
    return right;
}

} // namespace

WrongScales explain_scales(observe::Subject& subject, const Operation& operation, const QuantizeRules& rules,
                           unsigned block, std::span<const Code> amaxes, std::uint64_t number) {
    std::vector<std::unique_ptr<QuantizeCase>> cases;
    std::vector<JoinSeen<QuantizeCase>> seen;
    std::vector<std::uint64_t> wrong(block); // of each lane
    std::vector<std::uint64_t> all(block);
    std::optional<std::size_t> first;
    const AmaxOrder order(*rules.quantize, amaxes, number); // as they were asked the first time
    for (std::size_t done = 0; done < amaxes.size(); done += blocks_at_once) {
        const std::size_t here = std::min<std::size_t>(blocks_at_once, amaxes.size() - done);
        const auto some_amaxes = std::span(order.amaxes).subspan(done, here);
        const auto numbers = std::span(order.numbers).subspan(done, here);
        cases.push_back(std::make_unique<QuantizeCase>(scale_case(*rules.quantize, block, some_amaxes, numbers)));
        auto this_seen = ask(subject, operation, *cases.back());
        if (!this_seen) return {};
        for (std::size_t i = 0; i < some_amaxes.size(); ++i) {
            const std::uint64_t lane = numbers[i] % block;
            ++all[lane];
            if (is_right(rules, some_amaxes[i], *this_seen, i)) continue;
            ++wrong[lane];
            if (!first) first = done + i;
        }
        seen.push_back(std::move(*this_seen));
    }
    if (!first) return {};
    const Code amax = order.amaxes[*first];
    const std::vector<bool> right = right_lanes(subject, operation, rules, block, amax, order.numbers[*first]);
    const auto right_in = static_cast<std::uint64_t>(std::count(right.begin(), right.end(), true));
    WrongScales why{known_as(rules, seen), {}};
    if (right_in != 0)
        why.elsewhere = fmt::format("{} gives a permitted scale in {} of {} lanes",
                                    code_text(*rules.quantize->scale.from, amax), right_in, block);
    if (!why.known_as.empty()) return why;
    const auto is_free = [](std::uint64_t count) { return count == 0; };
    const auto free = static_cast<std::uint64_t>(std::count_if(wrong.begin(), wrong.end(), is_free));
    if (free <= block / 2) return why;
    // A lane that goes wrong now and then shows nothing of lanes: some block did, wherever it was.
    std::uint64_t in_wrong_lanes = 0;
    for (std::size_t lane = 0; lane < block; ++lane) in_wrong_lanes += wrong[lane] != 0 ? all[lane] : 0;
    constexpr std::uint64_t seldom = 8;
    if (std::accumulate(wrong.begin(), wrong.end(), std::uint64_t{0}) * seldom < in_wrong_lanes) return why;
    bool right_elsewhere = false; // where nothing else is wrong
    for (std::size_t lane = 0; lane < right.size(); ++lane)
        right_elsewhere = right_elsewhere || (right[lane] && wrong[lane] == 0);
    if (right_elsewhere) why.known_as = {{find_bug_class("AMAX_LANES"), std::string(amax_of_lanes)}};
    return why;
}

} // namespace mxcert::suites
