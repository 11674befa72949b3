// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/find_joining.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "conformance/suites/search.hpp"

namespace mxcert::suites {
namespace {

/// A way to join.
struct Joining {
    JoinFault way;
    std::array<AmaxNan, 1> amax_nan{AmaxNan::ignored};
    std::array<AmaxInf, 1> amax_inf{AmaxInf::counted};
};

using Parameter = SearchParameter<Joining>;

void add(Joining& joining, const JoinFault& fault) {
    if (fault.seen != nullptr) joining.way.seen = fault.seen;
    if (fault.scale != nullptr) joining.way.scale = fault.scale;
    if (fault.lane != nullptr) joining.way.lane = fault.lane;
    if (fault.other_scale) joining.way.other_scale = true;
    if (fault.below_smallest) joining.way.below_smallest = true;
}

/// The faults of one part.
template <class Is> Parameter of_faults(std::string_view name, std::string_view right, const Is& is) {
    Parameter parameter{name, {{std::string(right), [](Joining&) {}}}};
    for (const JoinFault& fault : join_faults())
        if (is(fault))
            parameter.values.push_back({std::string(fault.name), [&fault](Joining& joining) { add(joining, fault); }});
    return parameter;
}

std::vector<Parameter> parameters_of_places(bool quantizes) {
    return {of_faults("scales", "each in the place of its block",
                      [](const JoinFault& fault) { return fault.scale != nullptr && !fault.of_tails; }),
            of_faults("tail", "a block of its own",
                      [&](const JoinFault& fault) { return fault.of_tails && (quantizes || fault.scale != nullptr); }),
            of_faults("lanes", "in order", [](const JoinFault& fault) { return fault.lane != nullptr; })};
}

std::vector<Parameter> parameters_of_quantizing() {
    const auto nan = [](AmaxNan value) { return [value](Joining& joining) { joining.amax_nan = {value}; }; };
    const auto inf = [](AmaxInf value) { return [value](Joining& joining) { joining.amax_inf = {value}; }; };
    std::vector<Parameter> parameters{
        {"amax_nan",
         {{"ignored", nan(AmaxNan::ignored)},
          {"if_alone", nan(AmaxNan::if_alone)},
          {"propagated", nan(AmaxNan::propagated)}}},
        {"amax_inf", {{"counted", inf(AmaxInf::counted)}, {"left_out", inf(AmaxInf::left_out)}}}};
    parameters.push_back(of_faults("amax", "of the values of the block",
                                   [](const JoinFault& fault) { return fault.seen != nullptr && !fault.of_tails; }));
    for (Parameter& parameter : parameters_of_places(true)) parameters.push_back(std::move(parameter));
    parameters.push_back(of_faults("elements", "by the scale given out",
                                   [](const JoinFault& fault) { return fault.other_scale || fault.below_smallest; }));
    parameters.back().said_if_other = true;
    return parameters;
}

/// A block that was seen.
template <class Case> struct SeenBlock {
    const JoinSeen<Case>* seen = nullptr;
    BlockPlace place;
};

template <class Case> std::vector<SeenBlock<Case>> blocks_of(std::span<const JoinSeen<Case>> seen) {
    std::vector<SeenBlock<Case>> blocks;
    static_cast<void>(every_block(seen, [&](const JoinSeen<Case>& this_seen, BlockPlace place) {
        blocks.push_back({&this_seen, place});
        return true;
    }));
    return blocks;
}

/// `gives(joining, seen, place)`: whether it gives a block; `title(asked, line)`: what a line is about.
template <class Case, class Gives, class Title>
FoundCases search_joining(std::span<const JoinSeen<Case>> seen, const std::vector<Parameter>& parameters,
                          const Gives& gives, const Title& title, std::vector<std::size_t> start = {}) {
    const std::vector<SeenBlock<Case>> blocks = blocks_of(seen);
    return search<Joining>(
        parameters, blocks.size(),
        [&](const Joining& joining) {
            return [&gives, &blocks, joining](std::uint64_t number) {
                return gives(joining, *blocks[number].seen, blocks[number].place);
            };
        },
        [&](std::uint64_t number) {
            const SeenBlock<Case>& block = blocks[number];
            return fmt::format("{}, block {}", title(*block.seen->asked, block.place.line), block.place.block);
        },
        std::move(start));
}

} // namespace

FoundCases find_joining(const Quantize& quantize, const PermitTable& scale, const PermitTable& element,
                        std::span<const JoinSeen<QuantizeCase>> seen, const FoundCases* start) {
    const std::vector<Parameter> parameters = parameters_of_quantizing();
    return search_joining(
        seen, parameters,
        [&](const Joining& joining, const JoinSeen<QuantizeCase>& seen, BlockPlace place) {
            Profile profile{};
            profile.amax_nan = joining.amax_nan;
            profile.amax_inf = joining.amax_inf;
            return gives(QuantizeRules{&quantize, &profile, &scale, &element}, joining.way, seen, place);
        },
        [](const QuantizeCase& quantize_case, std::uint64_t line) { return quantize_case.title(line); },
        start == nullptr ? std::vector<std::size_t>() : values_by_name(parameters, start->parameters));
}

FoundCases find_joining(const PermitTable& value, std::span<const JoinSeen<DequantizeCase>> seen) {
    return search_joining(
        seen, parameters_of_places(false),
        [&](const Joining& joining, const JoinSeen<DequantizeCase>& seen, BlockPlace place) {
            return gives(value, joining.way, seen, place);
        },
        [](const DequantizeCase& dequantize_case, std::uint64_t line) {
            return fmt::format("{}: line {}", dequantize_case.name, line);
        });
}

} // namespace mxcert::suites
