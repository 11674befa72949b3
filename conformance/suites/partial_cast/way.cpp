// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/partial_cast/way.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <unordered_map>

#include "reference/exact/exact.hpp"
#include "reference/fast/convert.hpp"
#include "reference/fast/recipe/machine_float.hpp"
#include "reference/fast/recipe/partial_cast.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

using formats::e2m1;
using formats::fp32;
using formats::fp64;
using recipe::GivenScale;
using recipe::PartialCast;
using recipe::Shard;

constexpr std::uint64_t elements_of_group = 4;
constexpr BlockShape te_strip{16, 128};

template <auto member, auto value> void set_way(ShardWay& way) { way.*member = value; }

// clang-format off
constexpr std::array shard_table{
    ShardFault{"the shard written one element later", "SHARD_BOUNDS", set_way<&ShardWay::place, ShardPlace::one_later>},
    ShardFault{"the shard written one element earlier", "SHARD_BOUNDS", set_way<&ShardWay::place, ShardPlace::one_earlier>},
    ShardFault{"the shard written from the beginning of its group of 4", "SHARD_BOUNDS", set_way<&ShardWay::place, ShardPlace::group_before>},
    ShardFault{"the shard written from the beginning of its first row", "SHARD_BOUNDS", set_way<&ShardWay::place, ShardPlace::row_before>},
    ShardFault{"the shard written from the beginning of the buffer", "SHARD_BOUNDS", set_way<&ShardWay::place, ShardPlace::buffer_start>},
    ShardFault{"the two elements of a pair exchanged", "PACK_ORDER", set_way<&ShardWay::place, ShardPlace::pairs>},
    ShardFault{"the first element of the shard left", "SHARD_BOUNDS", set_way<&ShardWay::left, ShardLeft::first>},
    ShardFault{"the last element of the shard left", "SHARD_BOUNDS", set_way<&ShardWay::left, ShardLeft::last>},
    ShardFault{"elements before the first whole group of 4 left", "SHARD_BOUNDS", set_way<&ShardWay::left, ShardLeft::head>},
    ShardFault{"elements after the last whole group of 4 left", "SHARD_BOUNDS", set_way<&ShardWay::left, ShardLeft::tail>},
    ShardFault{"what is left over of the shard, four by four, left", "SHARD_BOUNDS", set_way<&ShardWay::left, ShardLeft::rest>},
    ShardFault{"a last row that is not whole left", "SHARD_BOUNDS", set_way<&ShardWay::left, ShardLeft::last_row>},
    ShardFault{"a first row that is not whole left", "SHARD_BOUNDS", set_way<&ShardWay::left, ShardLeft::first_row>},
    ShardFault{"the rest of pairs changed", "SHARD_BOUNDS", set_way<&ShardWay::spill, ShardSpill::pair>},
    ShardFault{"the rest of groups of 4 changed", "SHARD_BOUNDS", set_way<&ShardWay::spill, ShardSpill::group>},
    ShardFault{"the rest of rows changed", "SHARD_BOUNDS", set_way<&ShardWay::spill, ShardSpill::row>},
    ShardFault{"the rest of strips of 16x128 changed", "SHARD_BOUNDS", set_way<&ShardWay::spill, ShardSpill::strip>},
    ShardFault{"the rest of blocks changed", "SHARD_BOUNDS", set_way<&ShardWay::spill, ShardSpill::block>},
    ShardFault{"everything outside the shard zero", "SHARD_BOUNDS", set_way<&ShardWay::spill, ShardSpill::all_0>},
    ShardFault{"the scale of the place in the shard, not in the matrix", "OOB_SCALE", set_way<&ShardWay::scale, ShardScale::shard_place>},
    ShardFault{"the scales of blocks counted down columns", "WRONG_AXIS", set_way<&ShardWay::scale, ShardScale::transposed>},
    ShardFault{"the sides of a block exchanged", "WRONG_AXIS", set_way<&ShardWay::scale, ShardScale::other_sides>},
    ShardFault{"the scale of the block to the left", "OOB_SCALE", set_way<&ShardWay::scale, ShardScale::left>},
    ShardFault{"the scale of the block above", "OOB_SCALE", set_way<&ShardWay::scale, ShardScale::above>},
    ShardFault{"the scale of the first block of the row", "OOB_SCALE", set_way<&ShardWay::scale, ShardScale::first_of_row>},
    ShardFault{"the scale of the shard's first element for all", "OOB_SCALE", set_way<&ShardWay::scale, ShardScale::first_of_shard>},
    ShardFault{"the scale of the first block for all", "OOB_SCALE", set_way<&ShardWay::scale, ShardScale::first>},
    ShardFault{"values divided by what they are to be multiplied by", "SCALE_INVERTED", set_way<&ShardWay::factor, ShardFactor::inverse>},
    ShardFault{"values without their scale", "MISSING_SCALE_DEFAULT", set_way<&ShardWay::factor, ShardFactor::one>},
    ShardFault{"subnormal multipliers flushed", "SUBNORMAL_SCALE_FTZ", set_way<&ShardWay::factor, ShardFactor::flushed>},
    ShardFault{"a scale of NaN taken for 1", "NAN_X_ZERO_SCALE", set_way<&ShardWay::factor, ShardFactor::nan_is_one>},
    ShardFault{"the scale of the tensor left out", "MISSING_SCALE_DEFAULT", set_way<&ShardWay::factor, ShardFactor::no_tensor_scale>},
    ShardFault{"the scale of a block that is not rounded to E4M3", "SCALE_USED_IS_NOT_STORED", set_way<&ShardWay::factor, ShardFactor::unrounded_scale>},
    ShardFault{"no limit of multipliers beyond binary32", "AMAX_INF", set_way<&ShardWay::factor, ShardFactor::unlimited>},
    ShardFault{"a scale of the tensor of zero or less that is not 1", "ZERO_BLOCK", set_way<&ShardWay::factor, ShardFactor::tensor_as_given>},
    ShardFault{"the product rounded once, to the element", "PER_PRODUCT_ROUNDING", set_way<&ShardWay::product, ShardProduct::once>},
    ShardFault{"the product rounded to the type of the source", "ROUNDED_IN_SOURCE", set_way<&ShardWay::product, ShardProduct::in_source>},
    ShardFault{"values divided by the reciprocal", "SCALING_RECIPE", set_way<&ShardWay::product, ShardProduct::divided>},
    ShardFault{"elements cut toward zero", "TRUNCATES", set_way<&ShardWay::rounding, Rounding::toward_zero>},
    ShardFault{"ties of elements away from zero", "TIES_AWAY", set_way<&ShardWay::rounding, Rounding::nearest_away>},
    ShardFault{"ties of elements toward zero", "TIES_TO_ZERO", set_way<&ShardWay::rounding, Rounding::nearest_zero>},
    ShardFault{"elements that do not saturate", "OVERFLOW_POLICY", set_way<&ShardWay::sat, false>},
    ShardFault{"an Inf that does not saturate", "INF_POLICY", set_way<&ShardWay::inf_kept, true>},
    ShardFault{"elements without the sign of zero", "NEG_ZERO", set_way<&ShardWay::zero_sign_lost, true>},
    ShardFault{"subnormal elements flushed", "SUBNORMAL_FLUSH", set_way<&ShardWay::flushed, true>},
    ShardFault{"a NaN that is zero", "NAN_LOST", set_way<&ShardWay::nan_is_zero, true>},
    ShardFault{"elements joined with what was there", "STALE_ELEMENT", set_way<&ShardWay::joined, true>},
    ShardFault{"a NaN that is the largest element", "NAN_LOST", set_way<&ShardWay::nan_is_largest, true>},
};
// clang-format on

/// Where an element is written; beyond the matrix: nowhere.
std::uint64_t place_by(ShardPlace place, const Shard& shard, std::uint64_t element) {
    switch (place) {
    case ShardPlace::exact: break;
    case ShardPlace::one_later: return element + 1;
    case ShardPlace::one_earlier: return element - 1;
    case ShardPlace::group_before: return element - shard.first % elements_of_group;
    case ShardPlace::row_before: return element - shard.first % shard.matrix.columns;
    case ShardPlace::buffer_start: return element - shard.first;
    case ShardPlace::pairs: return element ^ 1U;
    }
    return element;
}

/// Whether an element of the shard is left as it was.
bool is_left(ShardLeft left, const Shard& shard, std::uint64_t element) {
    const std::uint64_t columns = shard.matrix.columns;
    const std::uint64_t first = shard.first;
    const std::uint64_t end = shard.end();
    switch (left) {
    case ShardLeft::none: break;
    case ShardLeft::first: return element == first;
    case ShardLeft::last: return element + 1 == end;
    case ShardLeft::head: return element < (first + elements_of_group - 1) / elements_of_group * elements_of_group;
    case ShardLeft::tail: return element >= end / elements_of_group * elements_of_group;
    case ShardLeft::rest: return element >= first + shard.values.size() / elements_of_group * elements_of_group;
    case ShardLeft::last_row: return element >= end / columns * columns;
    case ShardLeft::first_row: return element < (first + columns - 1) / columns * columns;
    }
    return false;
}

/// The elements that a spill may change, where it is not of all.
std::vector<bool> spilt(const PartialCast& cast, ShardSpill spill, const Shard& shard) {
    PartialCast other = cast;
    switch (spill) {
    case ShardSpill::row: other.strip = BlockShape{1, shard.matrix.columns}; break;
    case ShardSpill::strip: other.strip = te_strip; break;
    case ShardSpill::block: other.strip = cast.block; break;
    default: {
        std::vector<bool> changed(shard.before.size());
        const std::uint64_t group = spill == ShardSpill::pair ? 2 : elements_of_group;
        if ((spill != ShardSpill::group && spill != ShardSpill::pair) || shard.values.empty()) return changed;
        const std::uint64_t begin = shard.first / group * group;
        const std::uint64_t end = (shard.end() + group - 1) / group * group;
        for (std::uint64_t at = begin; at < std::min<std::uint64_t>(end, changed.size()); ++at)
            changed[at] = !shard.has(at);
        return changed;
    }
    }
    std::vector<bool> changed = undefined_elements(other, shard);
    changed.resize(shard.before.size());
    return changed;
}

/// Which scale an element has.
std::uint64_t block_by(const PartialCast& cast, ShardScale by, const ShardCase& shard_case, std::uint64_t element) {
    const Shard& shard = shard_case.shard;
    const Extent blocks = shard_case.matrix.scales();
    const auto of = [&](std::uint64_t at) {
        return Place{at / shard.matrix.columns / cast.block.rows, at % shard.matrix.columns / cast.block.columns};
    };
    const auto number = [&](const Place& place) { return place.row * blocks.columns + place.column; };
    const Place own = of(element);
    switch (by) {
    case ShardScale::own: break;
    case ShardScale::shard_place: return number(of(element - std::min(element, shard.first)));
    case ShardScale::transposed: return own.column * blocks.rows + own.row;
    case ShardScale::other_sides:
        return (element / shard.matrix.columns / cast.block.columns * blocks.columns +
                element % shard.matrix.columns / cast.block.rows) %
               shard.scales.size();
    case ShardScale::left: return number({own.row, own.column == 0 ? 0 : own.column - 1});
    case ShardScale::above: return number({own.row == 0 ? 0 : own.row - 1, own.column});
    case ShardScale::first_of_row: return number({own.row, 0});
    case ShardScale::first_of_shard: return number(of(shard.first));
    case ShardScale::first: return 0;
    }
    return number(own);
}

/// What follows from the two scales of NVFP4 where one step is another.
float nvfp4_factor_by(ShardFactor by, Code scale, Code encode_scale, float right) {
    const float largest = fast::as_float(fp32.max_code());
    const float encode = fast::as_float(encode_scale);
    const float decode = 1 / (encode <= 0 && by != ShardFactor::tensor_as_given ? 1 : encode);
    const float rounded =
        fast::as_float(fast::convert(formats::e4m3, fp32, {}, fast::convert(fp32, formats::e4m3, {}, scale)));
    const float block = by == ShardFactor::unrounded_scale ? fast::as_float(scale) : rounded;
    if (!(block > 0)) return right;
    const float factor = 1 / (block * decode);
    return by == ShardFactor::unlimited || factor <= largest ? factor : largest;
}

float factor_by(const PartialCast& cast, ShardFactor by, Code scale, Code encode_scale) {
    const float right = fast::as_float(fast::multiplier_of(cast.scale, scale, encode_scale));
    const bool nvfp4 = cast.scale == GivenScale::nvfp4;
    switch (by) {
    case ShardFactor::right: break;
    case ShardFactor::inverse: return 1 / right;
    case ShardFactor::one: return 1;
    case ShardFactor::flushed: return std::fabs(right) < fast::two_to(-126) ? std::copysign(0.0F, right) : right;
    case ShardFactor::nan_is_one: return std::isnan(right) ? 1 : right;
    case ShardFactor::no_tensor_scale:
        return nvfp4 ? fast::as_float(fast::multiplier_of(cast.scale, scale, fp32.one_code())) : right;
    case ShardFactor::unrounded_scale:
    case ShardFactor::unlimited:
    case ShardFactor::tensor_as_given: return nvfp4 ? nvfp4_factor_by(by, scale, encode_scale, right) : right;
    }
    return right;
}

Code element_by(const PartialCast& cast, const ShardWay& way, float factor, Code code) {
    const Format& element = *cast.element;
    const float value = fast::widened(*cast.source, code);
    float product = way.product == ShardProduct::divided ? value / (1 / factor) : value * factor;
    if (way.product == ShardProduct::in_source && !std::isnan(product))
        product = fast::widened(*cast.source, fast::rounded_to(*cast.source, product));
    Choices choices;
    choices.rounding = way.rounding;
    choices.overflow = !way.sat ? Overflow::nosat : way.inf_kept ? Overflow::sat_finite : Overflow::sat;
    if (way.zero_sign_lost) choices.zero_sign = ZeroSign::dropped;
    if (way.flushed) choices.flush = Flush::output;
    if (std::isnan(product)) {
        if (way.nan_is_zero) return 0;
        return way.nan_is_largest || &element == &e2m1 ? element.max_code() : element.magnitude_mask();
    }
    // The product of two binary32 is exact in binary64.
    if (way.product == ShardProduct::once)
        return exact::convert(fp64, element, choices,
                              std::bit_cast<std::uint64_t>(static_cast<double>(value) * static_cast<double>(factor)))
            .code;
    return exact::convert(fp32, element, choices, fast::bits_of(product)).code;
}

/// The elements of values by their factors; what was asked once is remembered.
class ElementsBy {
  public:
    ElementsBy(const PartialCast& cast, const ShardWay& way) : cast_(cast), way_(way) {}

    [[nodiscard]] Code of(Code scale, Code encode_scale, Code value) {
        const float factor = factor_by(cast_, way_.factor, scale, encode_scale);
        const std::uint64_t key = fast::bits_of(factor) << 32U | value;
        const auto [at, is_new] = known_.try_emplace(key, 0);
        if (is_new) at->second = element_by(cast_, way_, factor, value);
        return at->second;
    }

  private:
    const PartialCast& cast_;
    const ShardWay& way_;
    std::unordered_map<std::uint64_t, Code> known_;
};

} // namespace

std::span<const ShardFault> shard_faults() { return shard_table; }

std::vector<Code> elements_by(const PartialCast& cast, const ShardWay& way, const ShardCase& shard_case,
                              const std::vector<bool>& may_change) {
    const Shard& shard = shard_case.shard;
    std::vector<Code> after = shard.before;
    if (way.spill == ShardSpill::all_0) std::fill(after.begin(), after.end(), 0);
    const std::vector<bool> changed = spilt(cast, way.spill, shard);
    for (std::uint64_t at = 0; at < after.size(); ++at)
        if (changed[at] || (!may_change.empty() && may_change[at])) after[at] = any_element;
    ElementsBy elements(cast, way);
    for (std::uint64_t k = 0; k < shard.values.size(); ++k) {
        const std::uint64_t element = shard.first + k;
        const std::uint64_t to = place_by(way.place, shard, element);
        if (to >= after.size() || is_left(way.left, shard, element)) continue;
        const std::uint64_t of_scale = way.moved_late ? element : to;
        const Code scale = shard.scales[block_by(cast, way.scale, shard_case, of_scale)];
        const Code code = elements.of(scale, shard.encode_scale, shard.values[k]);
        after[to] = way.joined ? code | shard.before[to] : code;
    }
    return after;
}

bool explains(const PartialCast& cast, const ShardWay& way, const ShardSeen& seen) {
    const std::vector<Code> wanted = elements_by(cast, way, seen.asked, seen.may_change);
    for (std::uint64_t at = 0; at < wanted.size(); ++at)
        if (wanted[at] != any_element && !same(*cast.element, seen.answer.get(at), wanted[at])) return false;
    return true;
}

bool shows_spill(const PartialCast& cast, const ShardWay& way, const ShardSeen& seen) {
    const std::vector<bool> changed = spilt(cast, way.spill, seen.asked.shard);
    for (std::uint64_t at = 0; at < changed.size(); ++at)
        if (changed[at] && (seen.may_change.empty() || !seen.may_change[at]) &&
            seen.answer.get(at) != seen.asked.shard.before[at])
            return true;
    return false;
}

std::vector<KnownFault> known_as(const PartialCast& cast, std::span<const ShardSeen> seen) {
    const auto explains_all = [&](const ShardWay& way) {
        return std::all_of(seen.begin(), seen.end(),
                           [&](const ShardSeen& one_seen) { return explains(cast, way, one_seen); });
    };
    std::vector<KnownFault> known;
    if (explains_all({})) return known;
    for (const ShardFault& fault : shard_table) {
        ShardWay way;
        fault.plant(way);
        ShardWay late = way;
        late.moved_late = true;
        if (explains_all(way) || (way.place != ShardPlace::exact && explains_all(late)))
            known.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
    }
    return known;
}

} // namespace mxcert::suites
