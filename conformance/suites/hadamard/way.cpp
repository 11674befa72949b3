// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/hadamard/way.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "reference/fast/recipe/machine_float.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

using formats::bf16;
using formats::fp16;

std::uint64_t reversed_bits(std::uint64_t word, unsigned bits) {
    std::uint64_t reversed = 0;
    for (unsigned bit = 0; bit < bits; ++bit) reversed |= (word >> bit & 1U) << (bits - 1 - bit);
    return reversed;
}

template <auto member> void turn_on(HadamardWay& way) { way.*member = true; }
template <auto member, auto value> void set_member(HadamardWay& way) { way.*member = value; }
template <const Format& format, bool butterflies> void keep_in(HadamardWay& way) {
    way.kept_in = &format;
    way.butterflies = butterflies;
}
void change_side(HadamardWay& way) { way.transform.inverse = !way.transform.inverse; }
void leave_signs_out(HadamardWay& way) { way.transform.signs = 0; }
void reverse_signs(HadamardWay& way) {
    way.transform.signs = static_cast<std::uint16_t>(reversed_bits(way.transform.signs, 16));
}
void exchange_bytes(HadamardWay& way) {
    way.transform.signs = static_cast<std::uint16_t>(way.transform.signs << 8U | way.transform.signs >> 8U);
}
void take_te_signs(HadamardWay& way) { way.transform.signs = recipe::te_signs; }

// clang-format off
constexpr std::array hadamard_table{
    HadamardFault{"signs left out", "HADAMARD", leave_signs_out},
    HadamardFault{"signs on the other side of the sum", "HADAMARD", change_side},
    HadamardFault{"signs from the last bit of the mask to the first", "HADAMARD", reverse_signs},
    HadamardFault{"signs by a mask whose bytes are exchanged", "HADAMARD", exchange_bytes},
    HadamardFault{"the signs D7E8", "HADAMARD", take_te_signs},
    HadamardFault{"the factor 1/4 left out", "HADAMARD", set_member<&HadamardWay::power, 0>},
    HadamardFault{"a factor of 1/16", "HADAMARD", set_member<&HadamardWay::power, -4>},
    HadamardFault{"the rows of the matrix by their changes of sign", "HADAMARD", set_member<&HadamardWay::order, HadamardOrder::sequency>},
    HadamardFault{"the rows of the matrix in dyadic order", "HADAMARD", set_member<&HadamardWay::order, HadamardOrder::dyadic>},
    HadamardFault{"groups of 8", "HADAMARD", set_member<&HadamardWay::size, 8U>},
    HadamardFault{"groups of 32", "HADAMARD", set_member<&HadamardWay::size, 32U>},
    HadamardFault{"values that are not transformed", "HADAMARD", turn_on<&HadamardWay::left_out>},
    HadamardFault{"groups across the axis", "WRONG_AXIS", turn_on<&HadamardWay::other_axis>},
    HadamardFault{"every second group of a line repeats the one before", "LANE_REPEATED", turn_on<&HadamardWay::repeats>},
    HadamardFault{"sums kept in BF16", "REDUCED_ACCUMULATOR", keep_in<bf16, false>},
    HadamardFault{"sums kept in FP16", "REDUCED_ACCUMULATOR", keep_in<fp16, false>},
    HadamardFault{"sums of pairs kept in BF16", "REDUCED_ACCUMULATOR", keep_in<bf16, true>},
    HadamardFault{"sums of pairs kept in FP16", "REDUCED_ACCUMULATOR", keep_in<fp16, true>},
    HadamardFault{"values cut toward zero", "TRUNCATES", turn_on<&HadamardWay::truncated>},
    HadamardFault{"ties of values away from zero", "TIES_AWAY", turn_on<&HadamardWay::ties_away>},
    HadamardFault{"subnormal values flushed", "SUBNORMAL_FLUSH", turn_on<&HadamardWay::flushed>},
    HadamardFault{"values beyond the target saturated", "OVERFLOW_POLICY", turn_on<&HadamardWay::saturated>},
};
// clang-format on

/// A float in another format of values, or as it is.
float kept(const Format* format, float value) {
    if (format == nullptr || std::isnan(value)) return value;
    return fast::widened(*format, fast::rounded_to(*format, value));
}

Code narrowed_by(const HadamardWay& way, const Format& target, float value) {
    if (std::isnan(value)) return fast::code_in(target, value);
    const Code sign = std::signbit(value) ? target.sign_bit() : 0;
    const float magnitude = std::fabs(value);
    Code code = fast::rounded_to(target, magnitude);
    if (way.truncated && fast::widened(target, code) > magnitude) --code;
    if (way.ties_away && code < target.max_code()) {
        const double low = fast::widened(target, code);
        const double high = fast::widened(target, code + 1);
        if (low < magnitude && magnitude - low == high - magnitude) ++code;
    }
    if (way.flushed && code <= target.fraction_mask()) code = 0;
    if (way.saturated && code == target.inf_code() && std::isfinite(value)) code = target.max_code();
    return code | sign;
}

bool is_minus(const HadamardWay& way, std::uint64_t i, std::uint64_t j) {
    std::uint64_t row = j;
    const auto bits = static_cast<unsigned>(std::bit_width(way.size)) - 1;
    if (way.order == HadamardOrder::dyadic) row = reversed_bits(j, bits);
    if (way.order == HadamardOrder::sequency) row = reversed_bits(j ^ j >> 1U, bits);
    const std::uint64_t of_sign = (way.transform.inverse ? j : i) % recipe::hadamard_size;
    return (static_cast<unsigned>(std::popcount(i & row)) + (way.transform.signs >> of_sign)) % 2 != 0;
}

float two_to_power(int power) { return fast::two_to(power); }

/// The sums of a group, before they are rounded to the target.
std::vector<float> sums_by(const HadamardWay& way, std::vector<float> values) {
    std::vector<float> sums(values.size());
    // The factor comes first where sums are of binary32: none of them is beyond it then.
    const float before = way.kept_in == nullptr ? two_to_power(way.power) : 1;
    const float after = way.kept_in == nullptr ? 1 : two_to_power(way.power);
    if (way.butterflies) {
        for (std::uint64_t i = 0; i < values.size(); ++i)
            if (!way.transform.inverse && (way.transform.signs >> i % 16 & 1U) != 0) values[i] = -values[i];
        for (std::uint64_t step = 1; step < values.size(); step *= 2)
            for (std::uint64_t i = 0; i < values.size(); ++i) {
                if ((i & step) != 0) continue;
                const float sum = kept(way.kept_in, values[i] + values[i + step]);
                const float difference = kept(way.kept_in, values[i] - values[i + step]);
                values[i] = sum;
                values[i + step] = difference;
            }
        for (std::uint64_t j = 0; j < values.size(); ++j) {
            const bool negated = way.transform.inverse && (way.transform.signs >> j % 16 & 1U) != 0;
            sums[j] = (negated ? -values[j] : values[j]) * after;
        }
        return sums;
    }
    for (std::uint64_t j = 0; j < values.size(); ++j) {
        float sum = 0;
        for (std::uint64_t i = 0; i < values.size(); ++i) {
            const float value = values[i] * before;
            sum = kept(way.kept_in, is_minus(way, i, j) ? sum - value : sum + value);
        }
        sums[j] = sum * after;
    }
    return sums;
}

} // namespace

std::span<const HadamardFault> hadamard_faults() { return hadamard_table; }

std::vector<Code> values_by(const HadamardTransform& transform, const HadamardWay& way, const TileCase& tile_case) {
    const Extent& extent = tile_case.matrix.values;
    const bool along_rows = (transform.group.rows == 1) != way.other_axis;
    const std::uint64_t lines = along_rows ? extent.rows : extent.columns;
    const std::uint64_t length = along_rows ? extent.columns : extent.rows;
    const auto place = [&](std::uint64_t line, std::uint64_t at) {
        return along_rows ? line * extent.columns + at : at * extent.columns + line;
    };
    std::vector<Code> codes(tile_case.values.size());
    for (std::uint64_t line = 0; line < lines; ++line) {
        std::vector<float> before;
        for (std::uint64_t first = 0; first < length; first += way.size) {
            std::vector<float> values(way.size);
            const std::uint64_t here = std::min(way.size, length - first);
            for (std::uint64_t i = 0; i < here; ++i)
                values[i] = fast::widened(*transform.source, tile_case.values[place(line, first + i)]);
            std::vector<float> sums = way.left_out ? values : sums_by(way, values);
            if (way.repeats && first / way.size % 2 != 0) sums = before;
            for (std::uint64_t j = 0; j < here; ++j)
                codes[place(line, first + j)] = narrowed_by(way, *transform.target, sums[j]);
            before = std::move(sums);
        }
    }
    return codes;
}

bool HadamardSeen::has(const HadamardTransform& transform, const std::vector<Code>& values, std::uint64_t group) const {
    const BlockRange range = asked.matrix.block(group);
    for (std::uint64_t lane = 0; lane < count(range.size, "values"); ++lane) {
        const std::uint64_t place = asked.matrix.place(range, lane);
        const Code answer = outputs[0].get(place);
        const bool zeros = transform.target->magnitude_of(answer | values[place]) == 0;
        if (!zeros && !same(*transform.target, answer, values[place])) return false;
    }
    return true;
}

std::optional<std::uint16_t> signs_seen(const HadamardTransform& transform, std::span<const HadamardSeen> seen) {
    const Format& source = *transform.source;
    const Format& target = *transform.target;
    unsigned found = 0;
    unsigned signs = 0;
    for (const HadamardSeen& one_seen : seen)
        for (std::uint64_t group = 0; group < one_seen.asked.matrix.blocks(); ++group) {
            const std::vector<Code> values = one_seen.asked.values_of(group);
            const auto is_zero = [&](Code code) { return source.magnitude_of(code) == 0; };
            const auto at = std::find_if_not(values.begin(), values.end(), is_zero);
            if (at == values.end() || std::find_if_not(at + 1, values.end(), is_zero) != values.end()) continue;
            const auto alone = static_cast<std::uint64_t>(at - values.begin());
            const BlockRange range = one_seen.asked.matrix.block(group);
            const auto sign_of = [&](std::uint64_t lane, std::uint64_t bit) {
                const Code answer = one_seen.outputs[0].get(one_seen.asked.matrix.place(range, lane));
                if (!target.is_finite(answer) || target.magnitude_of(answer) == 0) return;
                found |= 1U << bit;
                const bool changed = source.is_negative(*at) != ((answer & target.sign_bit()) != 0);
                signs = changed ? signs | 1U << bit : signs & ~(1U << bit);
            };
            if (!transform.transform.inverse)
                sign_of(0, alone);
            else if (alone == 0)
                for (std::uint64_t lane = 0; lane < values.size(); ++lane) sign_of(lane, lane);
        }
    if (found != 0xFFFF) return std::nullopt;
    return static_cast<std::uint16_t>(signs);
}

std::vector<KnownFault> known_as(const HadamardTransform& transform, std::span<const HadamardSeen> seen) {
    const auto explains = [&](const HadamardWay& way) {
        return std::all_of(seen.begin(), seen.end(), [&](const HadamardSeen& one_seen) {
            const std::vector<Code> values = values_by(transform, way, one_seen.asked);
            for (std::uint64_t group = 0; group < one_seen.asked.matrix.blocks(); ++group)
                if (!one_seen.has(transform, values, group)) return false;
            return true;
        });
    };
    std::vector<KnownFault> known;
    if (explains(right_way(transform))) return known;
    for (const HadamardFault& fault : hadamard_table) {
        HadamardWay way = right_way(transform);
        fault.plant(way);
        if (way != right_way(transform) && explains(way))
            known.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
    }
    if (!known.empty()) return known;
    if (const std::optional<std::uint16_t> signs = signs_seen(transform, seen)) {
        HadamardWay way = right_way(transform);
        way.transform.signs = *signs;
        if (explains(way)) known.push_back({find_bug_class("HADAMARD"), "the signs " + recipe::signs_text(*signs)});
    }
    return known;
}

} // namespace mxcert::suites
