// SPDX-License-Identifier: Apache-2.0
#include "conformance/blocks/find_joining.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include <fmt/format.h>

namespace mxcert {
namespace {

constexpr std::size_t most_unexplained = 8; // that are put into words

/// A way to join.
struct Joining {
    JoinFault way;
    std::array<AmaxNan, 1> amax_nan{AmaxNan::ignored};
    std::array<AmaxInf, 1> amax_inf{AmaxInf::counted};
};

/// A part of it that may be another. The first value is the right one, or the default.
struct Parameter {
    struct Value {
        std::string_view name;
        std::function<void(Joining&)> take;
    };
    std::string_view name;
    std::vector<Value> values;
    bool said_if_other = false; ///< the others explain whatever the first one does
};

void add(Joining& joining, const JoinFault& fault) {
    if (fault.seen != nullptr) joining.way.seen = fault.seen;
    if (fault.scale != nullptr) joining.way.scale = fault.scale;
    if (fault.lane != nullptr) joining.way.lane = fault.lane;
    if (fault.other_scale) joining.way.other_scale = true;
}

/// The faults of one part.
template <class Is> Parameter of_faults(std::string_view name, std::string_view right, const Is& is) {
    Parameter parameter{name, {{right, [](Joining&) {}}}};
    for (const JoinFault& fault : join_faults())
        if (is(fault)) parameter.values.push_back({fault.name, [&fault](Joining& joining) { add(joining, fault); }});
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
    parameters.push_back(
        of_faults("elements", "by the scale given out", [](const JoinFault& fault) { return fault.other_scale; }));
    parameters.back().said_if_other = true;
    return parameters;
}

/// `gives(joining, seen, place)`: whether it gives a block; `title(asked, place)`: what a block is about.
template <class Case, class Gives, class Title> FoundCases search(std::span<const JoinSeen<Case>> seen,
                                                                  const std::vector<Parameter>& parameters,
                                                                  const Gives& gives, const Title& title) {
    using Way = std::vector<std::size_t>; // the value of each parameter
    // The blocks with their numbers, until visit() has seen enough.
    const auto for_each_block = [&](const auto& visit) {
        std::size_t number = 0;
        for (const JoinSeen<Case>& one : seen)
            for (std::uint64_t line = 0; line < one.asked->matrix.lines; ++line)
                for (std::uint64_t b = 0; b < one.asked->matrix.blocks_in_line(); ++b)
                    if (!visit(number++, one, BlockPlace{line, b})) return;
    };
    const auto joining_of = [&](const Way& way) {
        Joining joining;
        for (std::size_t i = 0; i < way.size(); ++i) parameters[i].values[way[i]].take(joining);
        return joining;
    };
    // Gives up after `enough` that it does not explain: those are left out.
    const auto explained_by = [&](const Way& way, std::uint64_t enough) {
        const Joining joining = joining_of(way);
        std::vector<bool> explained;
        std::uint64_t missed = 0;
        for_each_block([&](std::size_t, const JoinSeen<Case>& one, BlockPlace place) {
            explained.push_back(gives(joining, one, place));
            missed += explained.back() ? 0 : 1;
            return missed < enough;
        });
        return explained;
    };
    const auto count = [](const std::vector<bool>& all) {
        return static_cast<std::uint64_t>(std::count(all.begin(), all.end(), true));
    };
    const auto with = [](Way way, std::size_t parameter, std::size_t value) {
        way[parameter] = value;
        return way;
    };
    Way way(parameters.size());
    std::vector<bool> explained = explained_by(way, std::numeric_limits<std::uint64_t>::max());
    for (bool better = true; better && count(explained) != explained.size();) {
        better = false;
        const Way given = way;
        for (std::size_t i = 0; i < given.size(); ++i)
            for (std::size_t value = 0; value < parameters[i].values.size(); ++value) {
                const std::uint64_t missed = explained.size() - count(explained);
                if (value == given[i] || missed == 0) continue;
                std::vector<bool> now = explained_by(with(given, i, value), missed);
                if (now.size() != explained.size() || now.size() - count(now) >= missed) continue;
                explained = std::move(now);
                way = with(given, i, value);
                better = true;
            }
    }
    // How many the way explains and another does not; no more than `enough` are counted.
    const auto lost_by = [&](const Way& other, std::uint64_t enough) {
        const Joining joining = joining_of(other);
        std::uint64_t lost = 0;
        for_each_block([&](std::size_t number, const JoinSeen<Case>& one, BlockPlace place) {
            lost += explained[number] && !gives(joining, one, place) ? 1 : 0;
            return lost < enough;
        });
        return lost;
    };
    FoundCases found;
    found.asked = explained.size();
    found.explained = count(explained);
    for (std::size_t i = 0; i < way.size(); ++i) {
        if (parameters[i].said_if_other && way[i] == 0) continue;
        FoundParameter& one = found.parameters.emplace_back();
        one.name = parameters[i].name;
        one.value = parameters[i].values[way[i]].name;
        for (std::size_t value = 0; value < parameters[i].values.size(); ++value) {
            if (value == way[i]) continue;
            // What is alike is looked for after the fewest are known, too.
            const std::uint64_t fewest = one.decided_by.value_or(explained.size() + 1);
            const std::uint64_t lost = lost_by(with(way, i, value), std::max<std::uint64_t>(fewest, 1));
            if (lost == 0) one.alike.emplace_back(parameters[i].values[value].name);
            one.decided_by = std::min(fewest, lost);
        }
    }
    for_each_block([&](std::size_t number, const JoinSeen<Case>& one, BlockPlace place) {
        if (!explained[number])
            found.unexplained.push_back(fmt::format("{}, block {}", title(*one.asked, place.line), place.block));
        return found.unexplained.size() < most_unexplained;
    });
    return found;
}

} // namespace

FoundCases find_joining(const Quantize& quantize, const PermitTable& scale, const PermitTable& element,
                        std::span<const JoinSeen<QuantizeCase>> seen) {
    return search(
        seen, parameters_of_quantizing(),
        [&](const Joining& joining, const JoinSeen<QuantizeCase>& one, BlockPlace place) {
            Profile profile{};
            profile.amax_nan = joining.amax_nan;
            profile.amax_inf = joining.amax_inf;
            return gives(QuantizeRules{&quantize, &profile, &scale, &element}, joining.way, one, place);
        },
        [](const QuantizeCase& asked, std::uint64_t line) { return asked.title(line); });
}

FoundCases find_joining(const PermitTable& value, std::span<const JoinSeen<DequantizeCase>> seen) {
    return search(
        seen, parameters_of_places(false),
        [&](const Joining& joining, const JoinSeen<DequantizeCase>& one, BlockPlace place) {
            return gives(value, joining.way, one, place);
        },
        [](const DequantizeCase& asked, std::uint64_t line) { return fmt::format("{}: line {}", asked.name, line); });
}

} // namespace mxcert
