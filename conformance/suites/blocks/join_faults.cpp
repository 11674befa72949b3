// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/join_faults.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "conformance/suites/blocks/moved_faults.hpp"
#include "conformance/suites/blocks/requantized.hpp"

namespace mxcert::suites {
namespace {

using BlockValues = std::vector<Code>;

bool is_tail(const BlockMatrix& matrix, BlockPlace place) {
    return place.block > 0 && matrix.size_of(place.block) < matrix.block;
}

BlockValues without_first(const Format& /*format*/, const QuantizeCase& quantize_case, BlockPlace place) {
    BlockValues values = values_of(quantize_case, place);
    values.front() = 0;
    return values;
}
BlockValues without_last(const Format& /*format*/, const QuantizeCase& quantize_case, BlockPlace place) {
    BlockValues values = values_of(quantize_case, place);
    values.back() = 0;
    return values;
}
BlockValues without_negative(const Format& format, const QuantizeCase& quantize_case, BlockPlace place) {
    BlockValues values = values_of(quantize_case, place);
    for (Code& value : values)
        if ((value & format.sign_bit()) != 0) value = 0;
    return values;
}
/// Compared with its sign bit, the smallest negative value is larger than every positive one.
BlockValues negative_first(const Format& format, const QuantizeCase& quantize_case, BlockPlace place) {
    BlockValues values = values_of(quantize_case, place);
    const auto is_negative = [&](Code value) { return (value & format.sign_bit()) != 0 && !format.is_nan(value); };
    if (std::any_of(values.begin(), values.end(), is_negative))
        std::erase_if(values, [&](Code value) { return !is_negative(value); });
    return values;
}
/// The magnitude of the largest value: of a block of negative values the smallest one.
BlockValues largest_value(const Format& format, const QuantizeCase& quantize_case, BlockPlace place) {
    BlockValues values = values_of(quantize_case, place);
    if (std::any_of(values.begin(), values.end(), [&](Code value) { return format.is_nan(value); })) return {};
    const Code sign = format.sign_bit();
    const bool negative = std::all_of(values.begin(), values.end(), [&](Code value) { return (value & sign) != 0; });
    if (negative) return {*std::min_element(values.begin(), values.end())};
    std::erase_if(values, [&](Code value) { return (value & sign) != 0; });
    return values;
}
/// One half of a block, or one half of a tail.
BlockValues first_half(const Format& /*format*/, const QuantizeCase& quantize_case, BlockPlace place) {
    BlockValues values = values_of(quantize_case, place);
    values.resize((values.size() + 1) / 2);
    return values;
}
BlockValues second_half(const Format& /*format*/, const QuantizeCase& quantize_case, BlockPlace place) {
    BlockValues values = values_of(quantize_case, place);
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    return values;
}
/// A fault of which only tails are made.
template <auto seen> BlockValues in_tail(const Format& format, const QuantizeCase& quantize_case, BlockPlace place) {
    // A tail may be the only block of its line.
    const bool tail = quantize_case.matrix.size_of(place.block) < quantize_case.matrix.block;
    return tail ? seen(format, quantize_case, place) : values_of(quantize_case, place);
}
BlockValues across_lines(const Format& /*format*/, const QuantizeCase& quantize_case, BlockPlace place) {
    BlockValues values = values_of(quantize_case, place);
    const BlockMatrix& matrix = quantize_case.matrix;
    for (std::uint64_t i = 0; i < values.size(); ++i)
        values[i] = quantize_case.values[(place.line + i) % matrix.lines * matrix.length + place.block * matrix.block];
    return values;
}
BlockValues first_of_line(const Format& /*format*/, const QuantizeCase& quantize_case, BlockPlace place) {
    return values_of(quantize_case, {place.line, 0});
}
BlockValues whole_line(const Format& /*format*/, const QuantizeCase& quantize_case, BlockPlace place) {
    const Code* first = quantize_case.values.data() + place.line * quantize_case.matrix.length;
    return {first, first + quantize_case.matrix.length};
}
BlockValues all_so_far(const Format& format, const QuantizeCase& quantize_case, BlockPlace place) {
    Code largest = 0;
    const std::uint64_t last = place.line * quantize_case.matrix.length + place.block * quantize_case.matrix.block +
                               quantize_case.matrix.size_of(place.block);
    // A magnitude beyond Inf is a NaN. Nothing in the loop is a call: matrices have many blocks.
    const Code mask = format.magnitude_mask();
    const Code inf = format.inf_code();
    for (std::uint64_t i = 0; i < last; ++i) {
        const Code magnitude = quantize_case.values[i] & mask;
        largest = std::max(largest, magnitude > inf ? 0 : magnitude);
    }
    return {largest};
}
BlockValues block_before(const Format& /*format*/, const QuantizeCase& quantize_case, BlockPlace place) {
    if (place.block > 0) return values_of(quantize_case, {place.line, place.block - 1});
    if (place.line > 0) return values_of(quantize_case, {place.line - 1, quantize_case.matrix.blocks_in_line() - 1});
    return {};
}
BlockValues tail_reads_back(const Format& /*format*/, const QuantizeCase& quantize_case, BlockPlace place) {
    if (!is_tail(quantize_case.matrix, place)) return values_of(quantize_case, place);
    const Code* last = quantize_case.values.data() + (place.line + 1) * quantize_case.matrix.length;
    return {last - quantize_case.matrix.block, last};
}
BlockValues tail_as_before(const Format& /*format*/, const QuantizeCase& quantize_case, BlockPlace place) {
    return values_of(quantize_case,
                     is_tail(quantize_case.matrix, place) ? BlockPlace{place.line, place.block - 1} : place);
}

/// Magnitudes are compared, from zero on, without the highest bit of their exponent: the first of the largest is taken,
/// as it is.
BlockValues compared_by_fewer_bits(const Format& format, const QuantizeCase& quantize_case, BlockPlace place) {
    const BlockValues values = values_of(quantize_case, place);
    const Code compared = format.magnitude_mask() >> 1U;
    const Code largest = *std::max_element(values.begin(), values.end(),
                                           [&](Code a, Code b) { return (a & compared) < (b & compared); });
    return {(largest & compared) == 0 ? 0 : largest};
}

Code nan_of(const Format& format) { return format.inf_code() | 1; }
/// A NaN, of which there is one at least, counts as Inf, and an Inf without it as NaN.
BlockValues specials_exchanged(const Format& format, const QuantizeCase& quantize_case, BlockPlace place) {
    BlockValues values = values_of(quantize_case, place);
    if (std::any_of(values.begin(), values.end(), [&](Code value) { return format.is_nan(value); }))
        return {format.inf_code()};
    for (Code& value : values)
        if (format.is_inf(value)) value = nan_of(format);
    return values;
}
Code inf_as_nan(const Format& format, Code value) { return format.is_inf(value) ? nan_of(format) : value; }
Code nan_as_inf(const Format& format, Code value) {
    return format.is_nan(value) ? format.inf_code() | (value & format.sign_bit()) : value;
}
Code specials_as_each_other(const Format& format, Code value) {
    return format.is_nan(value) ? nan_as_inf(format, value) : inf_as_nan(format, value);
}

template <AmaxNan how> void nan_is(BlockChoices& choices) { choices.amax_nan = how; }
template <AmaxInf how> void inf_is(BlockChoices& choices) { choices.amax_inf = how; }

BlockPlace transposed(const BlockMatrix& matrix, BlockPlace place) {
    const std::uint64_t at = place.block * matrix.lines + place.line;
    return {at / matrix.blocks_in_line(), at % matrix.blocks_in_line()};
}
BlockPlace next(const BlockMatrix& matrix, BlockPlace place) {
    return {place.line, (place.block + 1) % matrix.blocks_in_line()};
}
BlockPlace first(const BlockMatrix& /*matrix*/, BlockPlace place) { return {place.line, 0}; }
BlockPlace tail_before(const BlockMatrix& matrix, BlockPlace place) {
    return is_tail(matrix, place) ? BlockPlace{place.line, place.block - 1} : place;
}
std::uint64_t neighbours(const BlockMatrix& matrix, std::uint64_t at) { return neighbour(at, matrix.length); }
/// One lane of an even number and the next one, of blocks of 32.
constexpr std::size_t lanes_of_a_block = 32;
template <std::size_t pair> std::uint64_t exchanged(const BlockMatrix& matrix, std::uint64_t at) {
    return at % lanes_of_a_block / 2 == pair ? neighbours(matrix, at) : at;
}

JoinFault of_tails(JoinFault fault) {
    fault.of_tails = true;
    return fault;
}
JoinFault of_amax(std::string_view name, std::string_view bug_class, decltype(JoinFault::seen) seen) {
    JoinFault fault{name, bug_class};
    fault.seen = seen;
    return fault;
}
JoinFault of_special(std::string_view name, std::string_view bug_class, decltype(JoinFault::amax) amax) {
    JoinFault fault{name, bug_class};
    fault.amax = amax;
    return fault;
}
JoinFault of_value(std::string_view name, std::string_view bug_class, decltype(JoinFault::value) value) {
    JoinFault fault{name, bug_class};
    fault.value = value;
    return fault;
}
JoinFault of_lanes(std::string_view name, decltype(JoinFault::lane) lane) {
    JoinFault fault{name, "LANES_EXCHANGED"};
    fault.lane = lane;
    return fault;
}
template <std::size_t... pairs> std::vector<JoinFault> exchanged_pairs(std::index_sequence<pairs...> /*all*/) {
    static const std::array<std::string, sizeof...(pairs)> names{
        fmt::format("lanes {} and {} exchanged", 2 * pairs, 2 * pairs + 1)...};
    return {of_lanes(names[pairs], exchanged<pairs>)...};
}
JoinFault of_place(std::string_view name, std::string_view bug_class, decltype(JoinFault::scale) scale) {
    JoinFault fault{name, bug_class};
    fault.scale = scale;
    return fault;
}

std::vector<JoinFault> make_faults() {
    std::vector<JoinFault> faults{
        of_amax("the amax without the first lane", "AMAX_LANES", without_first),
        of_amax("the amax without the last lane", "AMAX_LANES", without_last),
        of_amax("the amax of the first block of the line", "AMAX_LANES", first_of_line),
        of_amax("the amax of the whole line", "AMAX_LANES", whole_line),
        of_amax("the amax of all blocks so far", "AMAX_LANES", all_so_far),
        of_amax("the amax of the first half of the block", "AMAX_LANES", first_half),
        of_amax("the amax of the second half of the block", "AMAX_LANES", second_half),
        of_tails(of_amax("the amax of a tail with values before it", "AMAX_LANES", tail_reads_back)),
        of_tails(of_amax("the amax of a tail without its first lane", "AMAX_LANES", in_tail<without_first>)),
        of_tails(of_amax("the amax of a tail without its last lane", "AMAX_LANES", in_tail<without_last>)),
        of_tails(of_amax("the amax of the first half of a tail", "AMAX_LANES", in_tail<first_half>)),
        of_tails(of_amax("the amax of the second half of a tail", "AMAX_LANES", in_tail<second_half>)),
        of_amax("the amax without negative values", "AMAX_SIGN", without_negative),
        of_amax("the amax of codes with their sign", "AMAX_SIGN", negative_first),
        of_amax("the magnitude of the largest value as the amax", "AMAX_SIGN", largest_value),
        of_amax("the first of the largest without the highest bit of the exponent as the amax", "AMAX_COMPARED",
                compared_by_fewer_bits),
        of_amax("the amax across the lines", "WRONG_AXIS", across_lines),
        of_amax("the amax of the block before", "OOB_SCALE", block_before),
        of_tails(of_amax("the previous block's amax in a tail", "OOB_SCALE", tail_as_before)),
        of_special("amax_nan=ignored", "AMAX_NAN_DROPPED", nan_is<AmaxNan::ignored>),
        of_special("amax_nan=if_alone", "AMAX_NAN_DROPPED", nan_is<AmaxNan::if_alone>),
        of_special("amax_nan=propagated", "AMAX_NAN_DROPPED", nan_is<AmaxNan::propagated>),
        of_special("amax_inf=counted", "AMAX_INF", inf_is<AmaxInf::counted>),
        of_special("amax_inf=left_out", "AMAX_INF", inf_is<AmaxInf::left_out>),
        of_amax("NaN and Inf taken for each other in the amax", "AMAX_INF", specials_exchanged),
        of_value("NaN and Inf taken for each other in elements", "INF_POLICY", specials_as_each_other),
        of_value("Inf taken for NaN in elements", "INF_POLICY", inf_as_nan),
        of_value("NaN taken for Inf in elements", "NAN_LOST", nan_as_inf),
        of_place("the scale matrix transposed", "WRONG_AXIS", transposed),
        of_place("the scale of the next block", "OOB_SCALE", next),
        of_place("the scale of the first block of the line", "OOB_SCALE", first),
        of_tails(of_place("the previous block's scale in a tail", "OOB_SCALE", tail_before)),
    };
    faults.push_back(of_lanes("neighbouring lanes exchanged", neighbours));
    for (const JoinFault& fault : exchanged_pairs(std::make_index_sequence<lanes_of_a_block / 2>()))
        faults.push_back(fault);
    JoinFault other_fault{"elements by another scale than the one given out", "SCALE_USED_IS_NOT_STORED"};
    other_fault.other_scale = true;
    faults.push_back(other_fault);
    JoinFault unclamped{"elements by a scale below the smallest, which is given out", "SCALE_USED_IS_NOT_STORED"};
    unclamped.below_smallest = true;
    faults.push_back(unclamped);
    return faults;
}

template <class Rules, class Case>
std::vector<KnownFault> explanations(const Rules& rules, std::span<const JoinSeen<Case>> seen, bool quantizes) {
    std::vector<KnownFault> known;
    if (seen.empty() || gives_all(rules, JoinFault{}, seen)) return known;
    for (const JoinFault& fault : join_faults()) {
        const bool of_places = fault.scale != nullptr || fault.lane != nullptr;
        if ((!quantizes && !of_places) || !gives_all(rules, fault, seen)) continue;
        known.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
    }
    return known;
}

} // namespace

std::span<const JoinFault> join_faults() {
    static const std::vector<JoinFault> faults = make_faults();
    return faults;
}

std::vector<KnownFault> known_as(const QuantizeRules& rules, std::span<const JoinSeen<QuantizeCase>> seen) {
    std::vector<KnownFault> known = explanations(rules, seen, true);
    if (known.empty() && rules.quantize->axis == Axis::column && gives_requantized(rules, seen))
        known.push_back({find_bug_class("REQUANTIZED"), std::string(requantized)});
    if (known.empty()) known = known_by_moving(rules, seen);
    return known;
}
std::vector<KnownFault> known_as(const PermitTable& permitted, std::span<const JoinSeen<DequantizeCase>> seen) {
    return explanations(permitted, seen, false);
}

} // namespace mxcert::suites
