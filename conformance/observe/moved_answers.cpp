// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/moved_answers.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "conformance/print/text.hpp"

namespace mxcert::observe {
namespace {

constexpr std::size_t fewest = 3;        ///< fewer may be there by chance
constexpr std::int64_t near = 16;        ///< lanes of one vector are not farther apart
constexpr std::uint64_t most_lanes = 64; ///< of a vector

using Moved = std::span<const MovedAnswer>;

KnownFault fault(std::string_view id, std::string how) { return {find_bug_class(id), std::move(how)}; }

/// The answers that come from each lane of vectors of so many values.
std::map<std::uint64_t, std::set<std::int64_t>> shifts_of(Moved moved, std::uint64_t lanes) {
    std::map<std::uint64_t, std::set<std::int64_t>> shifts;
    for (const MovedAnswer& this_moved : moved) shifts[this_moved.place % lanes].insert(this_moved.shift);
    return shifts;
}

/// Every place has the answer of one and the same.
std::optional<KnownFault> one_for_all(Moved moved, std::uint64_t /*count*/, std::string_view what) {
    std::set<std::uint64_t> places;
    for (const MovedAnswer& this_moved : moved) {
        if (this_moved.source != moved.front().source) return {};
        places.insert(this_moved.place);
    }
    if (places.size() < fewest) return {};
    return fault("LANE_REPEATED", fmt::format("the {} of place {} of a call in others", what, moved.front().source));
}

/// All lanes of a vector have the answer of one of them.
std::optional<KnownFault> one_for_vector(Moved moved, std::uint64_t count, std::string_view what) {
    for (std::uint64_t lanes = 4; lanes <= most_lanes; lanes *= 2) { // of 2 it is one lane that is repeated
        const std::int64_t lane = static_cast<std::int64_t>(moved.front().place % lanes) + moved.front().shift;
        const bool of_one = std::all_of(moved.begin(), moved.end(), [&](const MovedAnswer& moved) {
            return static_cast<std::int64_t>(moved.place % lanes) + moved.shift == lane;
        });
        if (!of_one || lane < 0 || lane >= static_cast<std::int64_t>(lanes)) continue;
        if (shifts_of(moved, lanes).size() + 1 != lanes) continue;
        if (moved.size() * lanes < count * (lanes - 1) * 3 / 4) continue;
        return fault("LANE_REPEATED", fmt::format("the {} of lane {} of {} in all of them", what, lane, lanes));
    }
    return {};
}

/// Lanes of a vector that have each other's answers.
std::optional<KnownFault> exchanged(Moved moved, std::uint64_t count, std::string_view what) {
    for (std::uint64_t lanes = 2; lanes <= most_lanes; lanes *= 2) {
        const auto shifts = shifts_of(moved, lanes);
        const auto partner_of = [&](std::uint64_t lane, const std::set<std::int64_t>& of_lane) {
            return static_cast<std::int64_t>(lane) + *of_lane.begin();
        };
        const bool in_pairs = std::all_of(shifts.begin(), shifts.end(), [&](const auto& lane) {
            const std::int64_t partner = partner_of(lane.first, lane.second);
            const auto other_partners = shifts.find(static_cast<std::uint64_t>(partner));
            return lane.second.size() == 1 && partner >= 0 && other_partners != shifts.end() &&
                   other_partners->second == std::set{-*lane.second.begin()};
        });
        // All that are in such lanes: not some that happen to lie in them.
        if (!in_pairs || moved.size() * lanes < count * shifts.size() * 3 / 4) continue;
        const auto& [lane, of_lane] = *shifts.begin();
        const auto partner = static_cast<std::uint64_t>(partner_of(lane, of_lane));
        if (shifts.size() == lanes && partner == lanes - 1)
            return fault("PACK_ORDER", fmt::format("the {}s of every {} values in the reverse order", what, lanes));
        return fault("LANE_SWAPPED",
                     fmt::format("the {}s of lanes {} and {} of {} exchanged", what, lane, partner, lanes));
    }
    return {};
}

/// Lanes of a vector that have the answer of another.
std::optional<KnownFault> repeated(Moved moved, std::uint64_t count, std::string_view what) {
    const std::int64_t shift = moved.front().shift;
    const bool alike =
        std::all_of(moved.begin(), moved.end(), [&](const MovedAnswer& moved) { return moved.shift == shift; });
    if (!alike || std::abs(shift) > near) return {};
    for (std::uint64_t lanes = most_lanes; lanes >= 2; lanes /= 2) {
        const auto shifts = shifts_of(moved, lanes);
        if (shifts.size() != 1 || moved.size() * lanes < count * 3 / 4) continue;
        const std::uint64_t lane = shifts.begin()->first;
        const std::int64_t from = static_cast<std::int64_t>(lane) + shift;
        if (from >= 0 && from < static_cast<std::int64_t>(lanes))
            return fault("LANE_REPEATED", fmt::format("the {} of lane {} of {} in lane {}", what, from, lanes, lane));
    }
    return {};
}

/// Values here and there that have the answer of the one before, or so many places before or after. In a stream the
/// first values of a call have those of an earlier call, and the last those of a later one.
std::optional<KnownFault> stale(Moved moved, std::uint64_t count, std::string_view what) {
    std::map<std::int64_t, std::size_t> counts;
    for (const MovedAnswer& this_moved : moved) ++counts[this_moved.shift];
    const std::int64_t shift = std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
                                   return a.second < b.second;
                               })->first;
    const auto fits = [&](const MovedAnswer& moved) {
        const std::int64_t source = static_cast<std::int64_t>(moved.place) + shift;
        return moved.shift == shift || source < 0 || source >= static_cast<std::int64_t>(moved.length);
    };
    if (std::abs(shift) > near || counts[shift] < fewest || !std::all_of(moved.begin(), moved.end(), fits)) return {};
    if (shift == -1 && std::all_of(moved.begin(), moved.end(),
                                   [](const MovedAnswer& moved) { return moved.place + 1 == moved.length; }))
        return fault("STALE_ELEMENT", fmt::format("the {} of the value before in the last of a call", what));
    const std::string places = std::abs(shift) == 1 ? "" : fmt::format("{} places ", std::abs(shift));
    return fault("STALE_ELEMENT",
                 fmt::format("the {} of the value {}{} in {} of {} values", what, places,
                             shift < 0 ? "before" : "after", print::grouped(moved.size()), print::grouped(count)));
}

} // namespace

std::optional<KnownFault> name_moved(std::span<const MovedAnswer> moved, std::uint64_t count, std::string_view what) {
    if (moved.size() < fewest) return {};
    for (const auto& name : {one_for_all, one_for_vector, exchanged, repeated, stale})
        if (std::optional<KnownFault> known = name(moved, count, what)) return known;
    return {};
}

std::optional<KnownFault> name_left_flags(const std::vector<Step>& steps, const PermitTable& expected) {
    std::uint64_t wrong = 0;
    auto permitted = expected.steps.begin();
    for (const Step& step : steps) {
        while (permitted != expected.steps.end() && permitted->last < step.first) ++permitted;
        for (auto at = permitted; at != expected.steps.end() && at->first <= step.last; ++at) {
            const std::vector<Code>& codes = at->permit.codes;
            if (std::find(codes.begin(), codes.end(), step.code) != codes.end()) continue;
            // Flags of others in the same call are none of earlier ones.
            if ((step.code & formats::raised_in_batch) != 0) return {};
            const bool has_more =
                std::any_of(codes.begin(), codes.end(), [&](Code code) { return (step.code & code) == code; });
            if (!has_more) return {};
            wrong += std::min(step.last, at->last) - std::max(step.first, at->first) + 1;
        }
    }
    if (wrong == 0) return {};
    return fault("FLAG_LEFT", fmt::format("flags of earlier values are left in {} inputs", print::grouped(wrong)));
}

} // namespace mxcert::observe
