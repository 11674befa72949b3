// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "conformance/known_fault.hpp"
#include "conformance/suites/partial_cast/cases.hpp"
#include "reference/choices.hpp"

// Casting a shard as somebody may do it, right or wrong, by the machine's arithmetic.
namespace mxcert::suites {

/// Where the shard's values are written.
enum class ShardPlace : std::uint8_t {
    exact,
    one_later,
    one_earlier,
    group_before, ///< from the multiple of 4 at or before its first element on
    row_before,   ///< from the beginning of the row of its first element on
    buffer_start, ///< from the beginning of the buffer on
    pairs,        ///< each in the place of the other one of its pair
};
/// Which of its elements are left as they were.
enum class ShardLeft : std::uint8_t {
    none,
    first,     ///< the first element
    last,      ///< the last element
    head,      ///< those before its first multiple of 4
    tail,      ///< those from its last multiple of 4 on
    rest,      ///< those that are left over when the shard is taken four by four
    last_row,  ///< those of its last row, where that is not whole
    first_row, ///< those of its first row, where that is not whole
};
/// What may be changed outside of it.
enum class ShardSpill : std::uint8_t {
    none,
    pair,  ///< the rest of a pair of elements
    group, ///< the rest of a group of 4 elements, counted from the first of the buffer
    row,   ///< the rest of its rows
    strip, ///< the rest of its strips of 16x128 elements
    block, ///< the rest of its blocks
    all_0, ///< everything is zero
};
/// Whose scale a value has.
enum class ShardScale : std::uint8_t {
    own,
    shard_place, ///< of the block of its place in the shard, as if the shard began at the first row and column
    transposed,  ///< blocks are counted down columns
    other_sides, ///< the sides of a block exchanged
    left,        ///< of the block to the left
    above,       ///< of the block above
    first_of_row,
    first_of_shard, ///< of the block of the shard's first element
    first,          ///< of the first block
};
/// What a value is multiplied by.
enum class ShardFactor : std::uint8_t {
    right,
    inverse, ///< its reciprocal
    one,
    flushed,         ///< zero where it is subnormal
    nan_is_one,      ///< 1 where it is NaN
    no_tensor_scale, ///< nvfp4: as if that of the tensor were 1
    unrounded_scale, ///< nvfp4: by the scale of the block before it is rounded to E4M3
    unlimited,       ///< nvfp4: Inf or NaN where it is beyond binary32
    tensor_as_given, ///< nvfp4: by that of the tensor where it is zero or negative, too
};
/// How the product is rounded.
enum class ShardProduct : std::uint8_t {
    binary32,
    once,      ///< to the element alone
    in_source, ///< to the type of the source, and then to the element
    divided,   ///< the quotient of the value and the reciprocal
};

/// What casting a shard does.
struct ShardWay {
    ShardPlace place = ShardPlace::exact;
    ShardLeft left = ShardLeft::none;
    ShardSpill spill = ShardSpill::none;
    ShardScale scale = ShardScale::own;
    ShardFactor factor = ShardFactor::right;
    ShardProduct product = ShardProduct::binary32;
    Rounding rounding = Rounding::nearest_even;
    bool sat = true;
    bool inf_kept = false; ///< finite values saturate, Inf does not
    bool zero_sign_lost = false;
    bool flushed = false;     ///< subnormal elements are zero
    bool nan_is_zero = false; ///< a NaN becomes zero
    bool nan_is_largest = false;
    bool joined = false;     ///< the bits of an element are added to those that were there
    bool moved_late = false; ///< the scale is that of the place where a value belongs, not of that where it is written

    friend bool operator==(const ShardWay&, const ShardWay&) = default;
};

/// A slip with a name and the class it is of.
struct ShardFault {
    std::string_view name;
    std::string_view bug_class;
    void (*plant)(ShardWay&);
};
[[nodiscard]] std::span<const ShardFault> shard_faults();

/// An element that a way says nothing of.
inline constexpr Code any_element = ~Code{0};

/// All elements of a case afterwards. `may_change`: undefined_elements() of the case; where it says so, any_element.
[[nodiscard]] std::vector<Code> elements_by(const recipe::PartialCast& cast, const ShardWay& way,
                                            const ShardCase& shard_case, const std::vector<bool>& may_change);

/// A case and what came back.
struct ShardSeen {
    ShardCase asked;
    std::vector<bool> may_change;
    frames::Values answer;
};

/// Whether a way gives all of an answer.
[[nodiscard]] bool explains(const recipe::PartialCast& cast, const ShardWay& way, const ShardSeen& seen);

/// Whether something outside the shard changed that only the way's spill may change.
[[nodiscard]] bool shows_spill(const recipe::PartialCast& cast, const ShardWay& way, const ShardSeen& seen);

/// What is known to give all of these answers; nothing if they are right.
[[nodiscard]] std::vector<KnownFault> known_as(const recipe::PartialCast& cast, std::span<const ShardSeen> seen);

} // namespace mxcert::suites
