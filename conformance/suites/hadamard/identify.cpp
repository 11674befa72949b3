// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/hadamard/identify.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "conformance/suites/asked.hpp"
#include "conformance/suites/hadamard/way.hpp"
#include "conformance/suites/search.hpp"

namespace mxcert::suites {
namespace {

using HadamardParameter = SearchParameter<HadamardWay>;

constexpr std::uint64_t seed_of_groups = 1;

HadamardParameter::Value planted(std::string name, std::string_view fault) {
    const std::span<const HadamardFault> faults = hadamard_faults();
    const auto at =
        std::find_if(faults.begin(), faults.end(), [&](const HadamardFault& known) { return known.name == fault; });
    return {std::move(name), at->plant};
}

/// Of search(): its ways begin without signs, forward.
std::vector<HadamardParameter> parameters_of(const HadamardTransform& transform, std::optional<std::uint16_t> seen) {
    const auto usual = [](std::string name) { return HadamardParameter::Value{std::move(name), [](HadamardWay&) {}}; };
    const auto mask = [](std::uint16_t signs) {
        return HadamardParameter::Value{recipe::signs_text(signs),
                                        [signs](HadamardWay& way) { way.transform.signs = signs; }};
    };
    const auto side = [](const char* name, bool inverse) {
        return HadamardParameter::Value{name, [inverse](HadamardWay& way) { way.transform.inverse = inverse; }};
    };
    const std::uint16_t declared = transform.transform.signs;
    std::vector<HadamardParameter> parameters{
        {"signs", {mask(declared)}},
        {"signs of", {side("values that come in", false), side("values that come out", true)}},
        {"factor", {usual("1/4"), planted("1", "the factor 1/4 left out"), planted("1/16", "a factor of 1/16")}},
        {"rows of the matrix",
         {usual("in natural order"), planted("by changes of sign", "the rows of the matrix by their changes of sign"),
          planted("in dyadic order", "the rows of the matrix in dyadic order")}},
        {"groups", {usual("16"), planted("8", "groups of 8"), planted("32", "groups of 32")}},
        {"axis", {usual("as declared"), planted("the other one", "groups across the axis")}},
        {"sums",
         {usual("of binary32"), planted("in BF16, one by one", "sums kept in BF16"),
          planted("in FP16, one by one", "sums kept in FP16"),
          planted("in BF16, by pairs", "sums of pairs kept in BF16"),
          planted("in FP16, by pairs", "sums of pairs kept in FP16")}},
        {"rounding",
         {usual("nearest_even"), planted("toward_zero", "values cut toward zero"),
          planted("nearest_away", "ties of values away from zero")}},
        {"subnormal values", {usual("kept"), planted("flushed", "subnormal values flushed")}},
        {"overflow", {usual("nosat"), planted("sat", "values beyond the target saturated")}},
        {"second group of a line",
         {usual("its own"), planted("the group before", "every second group of a line repeats the one before")},
         true},
        {"transformed", {usual("yes"), planted("no", "values that are not transformed")}, true},
    };
    for (const std::uint16_t other : {std::uint16_t{0}, recipe::te_signs, seen.value_or(declared)}) {
        std::vector<HadamardParameter::Value>& masks = parameters.front().values;
        if (std::none_of(masks.begin(), masks.end(),
                         [&](const auto& known) { return known.name == recipe::signs_text(other); }))
            masks.push_back(mask(other));
    }
    return parameters;
}

} // namespace

FoundCases identify_hadamard(observe::Subject& subject, const Operation& operation) {
    const HadamardTransform transform = as_hadamard(operation);
    Asked<TileCase> asked_case(subject, operation, "places");
    // Sides that 16 does not divide may be refused.
    const auto ask = [&](const TileCase& tile_case) {
        return may_be_refused(tile_case) || asked_case.ask(transform, tile_case);
    };
    const bool answered = for_each_single_case(transform, Level::quick, seed_of_groups, ask) &&
                          for_each_group_size_case(transform, Level::smoke, ask) &&
                          for_each_sum_case(transform, Level::smoke, seed_of_groups, ask);
    if (!answered) return found_of(operation, asked_case);

    std::vector<HadamardSeen> seen;
    std::vector<std::pair<std::size_t, std::uint64_t>> groups; // of which case, and which
    for (const JoinSeen<TileCase>& answer : asked_case.seen) {
        for (std::uint64_t group = 0; group < answer.asked->matrix.blocks(); ++group)
            groups.emplace_back(seen.size(), group);
        seen.push_back({*answer.asked, answer.outputs});
    }
    const auto explains = [&](const HadamardWay& way) {
        return [&seen, &groups, &transform, way, of = seen.size(),
                values = std::vector<Code>()](std::uint64_t at) mutable {
            const auto& [number, group] = groups[at];
            if (of != number) {
                of = number;
                values = values_by(transform, way, seen[number].asked);
            }
            return seen[number].has(transform, values, group);
        };
    };
    std::optional<std::uint16_t> signs = signs_seen(transform, seen);
    HadamardTransform other = transform;
    other.transform.inverse = !transform.transform.inverse;
    if (!signs) signs = signs_seen(other, seen);
    const std::vector<HadamardParameter> parameters = parameters_of(transform, signs);
    FoundCases searched = search<HadamardWay>(
        parameters, groups.size(), explains,
        [&](std::uint64_t at) {
            const auto& [number, group] = groups[at];
            return fmt::format("{}, group {}", seen[number].asked.title(group), group);
        },
        values_of_way(parameters, right_way(transform)));
    searched.noun = "group";
    return found_of(operation, asked_case, std::move(searched));
}

} // namespace mxcert::suites
