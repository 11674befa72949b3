// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/moved_faults.hpp"

#include <optional>
#include <string>

#include <fmt/format.h>

namespace mxcert::suites {
namespace {

constexpr std::uint64_t most_lanes = 32;

JoinFault of_blocks(std::string_view name, int later) {
    JoinFault fault{name, "STALE_ELEMENT"};
    fault.later = later;
    return fault;
}
JoinFault largest_so_far() {
    JoinFault fault{"the scale of the block before where its own is smaller", "AMAX_LANES"};
    fault.never_falls = true;
    return fault;
}
const std::vector<JoinFault>& joined() {
    static const std::vector<JoinFault> faults{
        largest_so_far(),
        of_blocks("the answer of the next block in the place of some", 1),
        of_blocks("the answer of the block before in the place of some", -1),
    };
    return faults;
}

/// Whether there is a block that has the answer of another one of its case: of the ends of a case nothing is known.
bool shows_another(const QuantizeRules& rules, const JoinFault& fault, std::span<const JoinSeen<QuantizeCase>> all) {
    return !every_block(all, [&](const JoinSeen<QuantizeCase>& seen, BlockPlace place) {
        return !place_after(seen.asked->matrix, place, fault.later) || gives(rules, {}, seen, place);
    });
}

/// Where an element lies: at which place of which line.
struct ElementPlace {
    std::uint64_t line = 0;
    std::uint64_t at = 0;
};

/// Elements or scales that lie in the places of others. Where a function is null they are in their own. Nothing: an
/// answer that is nowhere.
struct OrderFault {
    std::string_view name;
    std::string_view bug_class;
    std::optional<ElementPlace> (*element)(const BlockMatrix& matrix, ElementPlace place) = nullptr;
    std::optional<BlockPlace> (*scale)(const BlockMatrix& matrix, BlockPlace place) = nullptr;
};

/// In groups of so many, as far as they are whole, from the last to the first.
std::uint64_t in_reverse(std::uint64_t number, std::uint64_t count, std::uint64_t group) {
    const std::uint64_t first = number / group * group;
    return first + group <= count ? first + group - 1 - (number - first) : number;
}

template <std::uint64_t group>
std::optional<ElementPlace> reversed_elements(const BlockMatrix& matrix, ElementPlace place) {
    const std::uint64_t block = place.at / matrix.block;
    const std::uint64_t lane = place.at - block * matrix.block;
    return ElementPlace{place.line, block * matrix.block + in_reverse(lane, matrix.size_of(block), group)};
}
std::optional<ElementPlace> exchanged_halves(const BlockMatrix& matrix, ElementPlace place) {
    const std::uint64_t block = place.at / matrix.block;
    if (matrix.size_of(block) < matrix.block || matrix.block % 2 != 0) return place;
    const std::uint64_t half = matrix.block / 2;
    const std::uint64_t lane = place.at - block * matrix.block;
    return ElementPlace{place.line, block * matrix.block + (lane + half) % matrix.block};
}
std::optional<ElementPlace> in_the_next_line(const BlockMatrix& matrix, ElementPlace place) {
    if (place.line + 1 == matrix.lines) return {};
    return ElementPlace{place.line + 1, place.at};
}
std::optional<ElementPlace> in_the_other_line(const BlockMatrix& matrix, ElementPlace place) {
    return ElementPlace{neighbour(place.line, matrix.lines), place.at};
}
/// Of two whole blocks of a line.
BlockPlace other_block(const BlockMatrix& matrix, BlockPlace place) {
    const std::uint64_t other = neighbour(place.block, matrix.blocks_in_line());
    const bool whole = matrix.size_of(other) == matrix.block && matrix.size_of(place.block) == matrix.block;
    return whole ? BlockPlace{place.line, other} : place;
}
std::optional<ElementPlace> in_the_other_block(const BlockMatrix& matrix, ElementPlace place) {
    const std::uint64_t block = place.at / matrix.block;
    const std::uint64_t lane = place.at - block * matrix.block;
    return ElementPlace{place.line, other_block(matrix, {place.line, block}).block * matrix.block + lane};
}

std::optional<BlockPlace> next_scale(const BlockMatrix& matrix, BlockPlace place) {
    return place_after(matrix, place, 1);
}
std::optional<BlockPlace> other_scale(const BlockMatrix& matrix, BlockPlace place) {
    return block_in(matrix, neighbour(matrix.scale_place(place.line, place.block), matrix.blocks()));
}
std::optional<BlockPlace> reversed_scales(const BlockMatrix& matrix, BlockPlace place) {
    return block_in(matrix, in_reverse(matrix.scale_place(place.line, place.block), matrix.blocks(), 4));
}
std::optional<BlockPlace> scale_in_the_other_line(const BlockMatrix& matrix, BlockPlace place) {
    return BlockPlace{neighbour(place.line, matrix.lines), place.block};
}
std::optional<BlockPlace> scale_in_the_other_block(const BlockMatrix& matrix, BlockPlace place) {
    return other_block(matrix, place);
}

constexpr OrderFault order_faults[] = {
    {"every 4 elements in reverse order", "PACK_ORDER", reversed_elements<4>},
    {"every 8 elements in reverse order", "PACK_ORDER", reversed_elements<8>},
    {"the halves of blocks exchanged", "LANES_EXCHANGED", exchanged_halves},
    {"elements in the place of those of the next line", "STALE_ELEMENT", in_the_next_line},
    {"the elements of two lines exchanged", "LANES_EXCHANGED", in_the_other_line},
    {"scales in the place of the next one", "STALE_ELEMENT", nullptr, next_scale},
    {"two scales exchanged", "LANES_EXCHANGED", nullptr, other_scale},
    {"every 4 scales in reverse order", "PACK_ORDER", nullptr, reversed_scales},
    {"two lines exchanged", "LANES_EXCHANGED", in_the_other_line, scale_in_the_other_line},
    {"two blocks of a line exchanged", "LANES_EXCHANGED", in_the_other_block, scale_in_the_other_block},
};

/// Whether all answers are right, in the places that the fault gives them, and one block is that is wrong in its own:
/// of the only line of a matrix nothing is known that could lie in the next one.
bool gives_all(const QuantizeRules& rules, const OrderFault& fault, std::span<const JoinSeen<QuantizeCase>> all) {
    bool tells = false;
    const bool fits = every_block(all, [&](const JoinSeen<QuantizeCase>& seen, BlockPlace place) {
        const BlockMatrix& matrix = seen.asked->matrix;
        const auto scale_at = fault.scale == nullptr ? std::optional(place) : fault.scale(matrix, place);
        if (!scale_at) return true; // nothing can be said of its elements either
        const std::vector<Code> values = values_of(*seen.asked, place);
        const Code scale = seen.outputs[1].get(matrix.scale_place(scale_at->line, scale_at->block));
        if (!permits_scale(rules, amaxes(rules, values), scale)) return false;
        bool is_known = true;
        for (std::uint64_t lane = 0; lane < values.size(); ++lane) {
            const ElementPlace own{place.line, place.block * matrix.block + lane};
            const auto at = fault.element == nullptr ? std::optional(own) : fault.element(matrix, own);
            is_known = is_known && at;
            if (at && !permits_element(rules, scale, values[lane], seen.outputs[0].get(matrix.place(at->line, at->at))))
                return false;
        }
        tells = tells || (is_known && !gives(rules, {}, seen, place));
        return true;
    });
    return fits && tells;
}

/// The value of a lane of a block; a shorter block is filled up with zeros. Of the block before the first nothing is
/// known.
std::optional<Code> value_of(const QuantizeCase& quantize_case, std::optional<BlockPlace> place, std::uint64_t lane) {
    if (!place) return {};
    const std::vector<Code> values = values_of(quantize_case, *place);
    return lane < values.size() ? values[lane] : Code{0};
}

/// The one lane whose elements are wrong, if those are all that is wrong.
std::optional<std::uint64_t> wrong_lane(const QuantizeRules& rules, std::span<const JoinSeen<QuantizeCase>> all) {
    std::optional<std::uint64_t> wrong;
    const bool one = every_block(all, [&](const JoinSeen<QuantizeCase>& seen, BlockPlace place) {
        const BlockMatrix& matrix = seen.asked->matrix;
        const std::vector<Code> values = values_of(*seen.asked, place);
        const Code scale = seen.outputs[1].get(matrix.scale_place(place.line, place.block));
        if (!permits_scale(rules, amaxes(rules, values), scale)) return false;
        for (std::uint64_t lane = 0; lane < values.size(); ++lane) {
            const std::uint64_t at = matrix.place(place.line, place.block * matrix.block + lane);
            if (permits_element(rules, scale, values[lane], seen.outputs[0].get(at))) continue;
            if (wrong && *wrong != lane) return false;
            wrong = lane;
        }
        return true;
    });
    return one ? wrong : std::nullopt;
}

/// Whose values a lane has.
struct LaneSource {
    bool own;    ///< those of its block
    bool before; ///< those of the block before; with `own` now these, now those
    std::string_view bug_class;
    std::string_view of;
};
constexpr LaneSource lane_sources[] = {
    {true, false, "LANE_REPEATED", "its block"},
    {false, true, "STALE_ELEMENT", "the block before"},
    {true, true, "STALE_ELEMENT", "its block, or of the one before"},
};

/// The lanes whose values a lane has.
std::vector<std::uint64_t> lanes_given(const QuantizeRules& rules, std::span<const JoinSeen<QuantizeCase>> all,
                                       std::uint64_t lane, const LaneSource& source) {
    std::vector<std::uint64_t> lanes;
    for (std::uint64_t from = 0; from < most_lanes; ++from) {
        bool tells = false;
        const bool gives_it = every_block(all, [&](const JoinSeen<QuantizeCase>& seen, BlockPlace place) {
            const BlockMatrix& matrix = seen.asked->matrix;
            if (lane >= matrix.size_of(place.block)) return true;
            const Code scale = seen.outputs[1].get(matrix.scale_place(place.line, place.block));
            const Code element = seen.outputs[0].get(matrix.place(place.line, place.block * matrix.block + lane));
            const auto gives_lane = [&](std::optional<BlockPlace> of, std::uint64_t number) {
                const std::optional<Code> value = value_of(*seen.asked, of, number);
                return !value || permits_element(rules, scale, *value, element);
            };
            const std::optional<BlockPlace> before = place_after(matrix, place, -1);
            tells = tells || (before && !gives_lane(place, lane));
            return (source.own && gives_lane(place, from)) || (source.before && gives_lane(before, from));
        });
        if (gives_it && tells) lanes.push_back(from);
    }
    return lanes;
}

/// A lane that has the value of another lane, of its block or of the one before: all ways that give what came.
std::vector<KnownFault> lane_of_another(const QuantizeRules& rules, std::span<const JoinSeen<QuantizeCase>> all) {
    std::vector<KnownFault> known;
    const std::optional<std::uint64_t> lane = wrong_lane(rules, all);
    if (!lane) return known;
    for (const LaneSource& source : lane_sources) {
        if (source.own && source.before && !known.empty()) continue;
        const std::vector<std::uint64_t> lanes = lanes_given(rules, all, *lane, source);
        if (lanes.empty()) continue;
        const std::string other = lanes.size() == 1 ? fmt::format("lane {}", lanes.front()) : "another lane";
        known.push_back({find_bug_class(source.bug_class),
                         fmt::format("lane {} with the value of {} of {}", *lane, other, source.of)});
    }
    return known;
}

} // namespace

std::vector<KnownFault> known_by_moving(const QuantizeRules& rules, std::span<const JoinSeen<QuantizeCase>> seen) {
    std::vector<KnownFault> known;
    for (const JoinFault& fault : joined())
        if (gives_all(rules, fault, seen) && (fault.later == 0 || shows_another(rules, fault, seen)))
            known.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
    if (known.empty()) known = lane_of_another(rules, seen);
    if (!known.empty()) return known;
    for (const OrderFault& fault : order_faults)
        if (gives_all(rules, fault, seen)) known.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
    return known;
}

std::vector<KnownFault> moved_faults() {
    std::vector<KnownFault> all;
    for (const JoinFault& fault : joined()) all.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
    for (const OrderFault& fault : order_faults)
        all.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
    for (const LaneSource& source : lane_sources)
        all.push_back(
            {find_bug_class(source.bug_class), fmt::format("a lane with the value of another of {}", source.of)});
    return all;
}

} // namespace mxcert::suites
