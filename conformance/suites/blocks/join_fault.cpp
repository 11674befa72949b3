// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/join_fault.hpp"

#include <set>

#include "reference/exact/block.hpp"
#include "reference/exact/exact.hpp"

namespace mxcert::suites {
namespace {

using BlockValues = std::vector<Code>;

BlockPlace scale_place(const JoinFault& fault, const BlockMatrix& matrix, BlockPlace place) {
    return fault.scale == nullptr ? place : fault.scale(matrix, place);
}
std::uint64_t lane(const JoinFault& fault, const BlockMatrix& matrix, std::uint64_t at) {
    return fault.lane == nullptr ? at : fault.lane(matrix, at);
}

std::set<Code> amaxes(const QuantizeRules& rules, const JoinFault& fault, const BlockValues& values) {
    if (fault.amax == nullptr) return suites::amaxes(rules, values);
    std::set<Code> all;
    for (const AmaxNan nan : rules.profile->amax_nan)
        for (const AmaxInf inf : rules.profile->amax_inf) {
            BlockChoices choices;
            choices.amax_nan = nan;
            choices.amax_inf = inf;
            fault.amax(choices);
            all.insert(exact::amax(rules.quantize->format, choices, values));
        }
    return all;
}

/// The value times a power of two, or as it is where that is beyond the format.
Code times_power(const Format& format, Code value, int exponent) {
    const exact::Value number = exact::decode(format, value);
    if (number.kind != exact::Kind::finite || number.magnitude.is_zero()) return value;
    if (exact::floor_log2(number.magnitude) + exponent > format.emax()) return value;
    return (value & format.sign_bit()) | exact::encode(format, number.magnitude * exact::power_of_two(exponent));
}

/// Whether the elements are those of one scale from 2^-128 down: as the values would be, so many times larger, under
/// the smallest scale.
bool gives_unclamped(const QuantizeRules& rules, const JoinFault& way, const JoinSeen<QuantizeCase>& seen,
                     BlockPlace place, const BlockValues& values) {
    constexpr int most = 32; // binades that a source has below the smallest scale, and those of the element above 1
    const Format& format = *rules.quantize->format.value;
    const BlockMatrix& matrix = seen.asked->matrix;
    for (int below = 1; below <= most; ++below) {
        bool all = true;
        for (std::uint64_t i = 0; all && i < values.size(); ++i) {
            const std::uint64_t to = lane(way, matrix, place.block * matrix.block + i);
            all = permits_element(rules, 0, times_power(format, values[i], below),
                                  seen.outputs[0].get(matrix.place(place.line, to)));
        }
        if (all) return true;
    }
    return false;
}

/// Whether a scale is that of the block before, and not smaller than the block's own; or is its own, and not smaller.
/// Of the block before the first nothing is known.
bool gives_largest_so_far(const QuantizeRules& rules, const std::set<Code>& possible,
                          const JoinSeen<QuantizeCase>& seen, BlockPlace place) {
    const BlockMatrix& matrix = seen.asked->matrix;
    const auto scale_of = [&](BlockPlace of) { return seen.outputs[1].get(matrix.scale_place(of.line, of.block)); };
    const Code scale = scale_of(place);
    const std::optional<BlockPlace> before = place_after(matrix, place, -1);
    if (before && scale < scale_of(*before)) return false;
    if (permits_scale(rules, possible, scale)) return true;
    if (before && scale != scale_of(*before)) return false;
    for (Code smaller = 0; smaller < scale; ++smaller)
        if (permits_scale(rules, possible, smaller)) return true;
    return false;
}

} // namespace

BlockPlace block_in(const BlockMatrix& matrix, std::uint64_t number) {
    const std::uint64_t inner = matrix.axis == Axis::row ? matrix.blocks_in_line() : matrix.lines;
    const std::uint64_t outer_number = number / inner;
    const std::uint64_t inner_number = number % inner;
    return matrix.axis == Axis::row ? BlockPlace{outer_number, inner_number} : BlockPlace{inner_number, outer_number};
}

std::optional<BlockPlace> place_after(const BlockMatrix& matrix, BlockPlace place, int later) {
    const auto after = static_cast<std::int64_t>(matrix.scale_place(place.line, place.block)) + later;
    if (after < 0 || static_cast<std::uint64_t>(after) >= matrix.blocks()) return {};
    return block_in(matrix, static_cast<std::uint64_t>(after));
}

std::vector<Code> values_of(const QuantizeCase& quantize_case, BlockPlace place) {
    const Code* first = quantize_case.values.data() + place.line * quantize_case.matrix.length +
                        place.block * quantize_case.matrix.block;
    return {first, first + quantize_case.matrix.size_of(place.block)};
}

bool gives(const QuantizeRules& rules, const JoinFault& way, const JoinSeen<QuantizeCase>& seen, BlockPlace place) {
    const QuantizeCase& quantize_case = *seen.asked;
    const BlockMatrix& matrix = quantize_case.matrix;
    if (way.later != 0 && gives(rules, {}, seen, place)) return true;
    BlockValues values = values_of(quantize_case, place);
    if (way.later != 0) {
        const std::optional<BlockPlace> other = place_after(matrix, place, way.later);
        if (!other) return true; // of another case
        values = values_of(quantize_case, *other);
        values.resize(matrix.size_of(place.block));
    }
    const BlockPlace at = scale_place(way, matrix, place);
    const Code scale = seen.outputs[1].get(matrix.scale_place(at.line, at.block));
    const BlockValues made_of =
        way.seen == nullptr ? values : way.seen(*rules.quantize->format.value, quantize_case, place);
    if (way.never_falls) {
        if (!gives_largest_so_far(rules, suites::amaxes(rules, values), seen, place)) return false;
    } else if (!made_of.empty() && !permits_scale(rules, amaxes(rules, way, made_of), scale)) {
        return false;
    }
    if (way.value != nullptr)
        for (Code& value : values) value = way.value(*rules.quantize->format.value, value);
    const auto elements_by = [&](Code used) {
        for (std::uint64_t i = 0; i < values.size(); ++i) {
            const std::uint64_t to = lane(way, matrix, place.block * matrix.block + i);
            if (!permits_element(rules, used, values[i], seen.outputs[0].get(matrix.place(place.line, to))))
                return false;
        }
        return true;
    };
    // An amax so small that its scale would be 2^-128 or less.
    if (way.below_smallest && scale == 0 && gives_unclamped(rules, way, seen, place, values)) return true;
    if (elements_by(scale)) return true;
    if (!way.other_scale) return false;
    for (Code used = 0; used < rules.scale->to->last_code(); ++used)
        if (elements_by(used)) return true;
    // By a scale that is NaN every element is.
    for (std::uint64_t i = 0; i < values.size(); ++i)
        if (!rules.element->to->is_nan(seen.outputs[0].get(matrix.place(place.line, place.block * matrix.block + i))))
            return false;
    return true;
}

bool gives(const PermitTable& permitted, const JoinFault& way, const JoinSeen<DequantizeCase>& seen, BlockPlace place) {
    const DequantizeCase& dequantize_case = *seen.asked;
    const BlockMatrix& matrix = dequantize_case.matrix;
    const BlockPlace at = scale_place(way, matrix, place);
    const Code scale = dequantize_case.scales[at.line * matrix.blocks_in_line() + at.block];
    for (std::uint64_t i = 0; i < matrix.size_of(place.block); ++i) {
        const std::uint64_t to = place.block * matrix.block + i;
        const Code element = dequantize_case.elements[place.line * matrix.length + lane(way, matrix, to)];
        if (!permits_value(permitted, scale, element, seen.outputs[0].get(matrix.place(place.line, to)))) return false;
    }
    return true;
}

} // namespace mxcert::suites
