// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "conformance/planted/operations_api.hpp"

// Bugs of place that operations on blocks have in common: a few blocks of a call get the answer, or the scale, of
// another.
namespace mxcert::planted {

/// One block in so many is wrong: more would be seen by any case.
[[nodiscard]] inline bool is_unlucky(std::uint64_t block) { return block % 4096 == 203; }

/// The block whose values are taken for those of a block, of `all`.
[[nodiscard]] inline std::uint64_t block_taken(std::uint64_t block, std::uint64_t all) {
    if (is("one block in 2^12 repeats the one before") && is_unlucky(block)) return block - 1;
    if (is("two blocks in 2^12 exchanged")) {
        if (is_unlucky(block)) return block - 1;
        if (is_unlucky(block + 1) && block + 1 < all) return block + 1;
    }
    if (is("a block index of 16 bits") || is("lines in groups of 32, and a block index of 16 bits"))
        return block & 0xFFFF;
    if (is("a block index of 2^19")) return block & 0x7FFFF;
    return block;
}

/// The element that is taken for one of that index.
[[nodiscard]] inline std::uint64_t element_taken(std::uint64_t index) {
    if (is("an element index in FP32") && index > (std::uint64_t{1} << 24U))
        return index - index % 2; // as one that cuts
    if (is("an element index of 31 bits")) return index & 0x7FFFFFFF;
    return index;
}

/// The block whose scale is taken for that of a block.
[[nodiscard]] inline std::uint64_t scale_taken(std::uint64_t block, std::uint64_t all) {
    return is("one stale scale in 2^12") && is_unlucky(block) ? block - 1 : block_taken(block, all);
}

/// The lane that the element of a lane is written to.
[[nodiscard]] inline std::uint64_t lane_given(std::uint64_t block, std::uint64_t lane) {
    if (!is("two lanes of one block in 2^12 exchanged") || !is_unlucky(block) || lane < 5 || lane > 6) return lane;
    return 11 - lane;
}

/// Whether NaN is taken for something ordinary there, by a path of its own for such matrices.
[[nodiscard]] inline bool overlooks_nan(std::uint64_t rows, std::uint64_t columns, bool is_tail) {
    return (is("no NaN in a tail") && is_tail) || (is("no NaN in several tiles") && rows > 128 && columns > 128) ||
           (is("no NaN beyond 2^20 elements") && rows * columns > 1U << 20U);
}

/// A vector of nothing but zeros takes a path of its own.
inline void lose_signs_of_zeros(const mxcert_array& values) {
    constexpr std::uint64_t at_once = 16;
    if (!is("16 zeros at once lose their signs")) return;
    auto* const bytes = static_cast<std::byte*>(values.data);
    const std::uint64_t magnitude = (std::uint64_t{1} << (8 * values.width - 1)) - 1;
    for (std::uint64_t first = 0; first + at_once <= values.count; first += at_once) {
        std::uint64_t any = 0;
        for (std::uint64_t i = first; i < first + at_once; ++i)
            any |= frames::load(bytes + i * values.width, values.width);
        if ((any & magnitude) == 0) std::fill_n(bytes + first * values.width, at_once * values.width, std::byte{0});
    }
}

} // namespace mxcert::planted
