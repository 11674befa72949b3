// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/known_fault.hpp"
#include "conformance/suites/matmul/cases.hpp"

// Mistakes inside a unit that adds the products of a group and c exactly and rounds once, as a dot product of hardware
// or a fused multiply-add does. No other operands and no other accumulator give its answers.
namespace mxcert::suites {

enum class GroupMistake : std::uint8_t {
    none,
    sticky_bit,         ///< of the bits below the guard bit the one at `place` is not looked at; the highest is 1
    sticky_below,       ///< nor is any from `place` down
    sticky_above,       ///< nor is any from the highest down to `place`
    c_cut,              ///< c has no bits below 2^place
    product_width,      ///< the product of two significands has `place` bits
    sum_width,          ///< the sum of the products wraps at 2^place
    large_c,            ///< a c of 2^place or more is the result, whatever the products are
    subnormal_exponent, ///< the exponent of subnormal elements is off by `place`
    nan_as_number, ///< elements of NaN are numbers: 0 all of them, 1 those with a clear sign, -1 those with a set one
    sign_of_a,     ///< the product at `place` of a group has the sign of its element of A
    sign_of_b,     ///< or of B
    zero_of_c,     ///< where all products add up to zero and c is a zero, c is the result
    stale_c,       ///< c is that of the group before: elements of D are taken one after the other, then the next group
};

struct GroupFault {
    GroupMistake mistake = GroupMistake::none;
    int place = 0;

    friend bool operator==(const GroupFault&, const GroupFault&) = default;
};

/// "c without its bits below 2^-48"; of any place from its own to the last one "c without its bits below 2^(-48 to
/// -46)".
[[nodiscard]] std::string name_of(const GroupFault& fault, int last);
[[nodiscard]] inline std::string name_of(const GroupFault& fault) { return name_of(fault, fault.place); }
/// The id of its class.
[[nodiscard]] std::string_view bug_class_of(const GroupFault& fault);

/// Every such fault of a product; none if its accumulator does not add so, or if the product has scales or an epilogue.
[[nodiscard]] std::vector<GroupFault> group_faults(const Matmul& matmul);

/// All of them, "N" in the place of numbers.
[[nodiscard]] std::vector<KnownFault> known_group_faults();

/// Each element of D in rows, of a unit with this fault; nothing where it depends on what was computed before the case.
/// Precondition: group_faults() has one.
[[nodiscard]] std::vector<std::optional<Code>> product_of(const GroupFault& fault, const Matmul& matmul,
                                                          const MatmulCase& matmul_case);

} // namespace mxcert::suites
