// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "conformance/suites/blocks/judge.hpp"
#include "conformance/suites/blocks/quantize_cases.hpp"

// A way to join values to blocks wrongly: which values make an amax, where its scale lies, and which scale and which
// place an element has.
namespace mxcert::suites {

/// A block by its line and its number in it.
struct BlockPlace {
    std::uint64_t line = 0;
    std::uint64_t block = 0;

    friend bool operator==(const BlockPlace&, const BlockPlace&) = default;
};

/// One such way. Where a function is null that part is right.
struct JoinFault {
    std::string_view name;      ///< "the amax without the first lane"
    std::string_view bug_class; ///< the id of its class
    /// Quantizing: the values that make the amax; none: nothing is known of this block.
    std::vector<Code> (*seen)(const Format& format, const QuantizeCase& quantize_case, BlockPlace place) = nullptr;
    /// Quantizing: what a NaN or an Inf among the values does.
    void (*amax)(BlockChoices& choices) = nullptr;
    /// Where the scale of a block lies.
    BlockPlace (*scale)(const BlockMatrix& matrix, BlockPlace place) = nullptr;
    /// Where the element of a place lies.
    std::uint64_t (*lane)(const BlockMatrix& matrix, std::uint64_t at) = nullptr;
    /// Quantizing: an element is made of this in the place of its value.
    Code (*value)(const Format& format, Code value) = nullptr;
    /// Quantizing: the scale is that of the block before where its own would be smaller.
    bool never_falls = false;
    /// Quantizing: some blocks are those that come so many later, in the order in which they lie in memory.
    int later = 0;
    /// Quantizing: the elements are made by a scale of their own.
    bool other_scale = false;
    /// Quantizing: where the smallest scale is given out the elements are made by a smaller one.
    bool below_smallest = false;
    /// It is one of tails alone.
    bool of_tails = false;
};

/// A case and what came back.
template <class Case> struct JoinSeen {
    const Case* asked = nullptr;
    std::vector<frames::Values> outputs;
};

/// Whether a way to join values to blocks gives what came of one of them.
[[nodiscard]] bool gives(const QuantizeRules& rules, const JoinFault& way, const JoinSeen<QuantizeCase>& seen,
                         BlockPlace place);
[[nodiscard]] bool gives(const PermitTable& permitted, const JoinFault& way, const JoinSeen<DequantizeCase>& seen,
                         BlockPlace place);

/// The other one of a pair, if there are two.
[[nodiscard]] constexpr std::uint64_t neighbour(std::uint64_t number, std::uint64_t count) {
    return (number ^ 1U) < count ? number ^ 1U : number;
}

/// The block whose scale has this number in memory. Precondition: there is one.
[[nodiscard]] BlockPlace block_in(const BlockMatrix& matrix, std::uint64_t number);

/// The block that comes so many later, in the order in which the scales lie in memory.
[[nodiscard]] std::optional<BlockPlace> place_after(const BlockMatrix& matrix, BlockPlace place, int later);

/// The values of a block.
[[nodiscard]] std::vector<Code> values_of(const QuantizeCase& quantize_case, BlockPlace place);

/// Calls with every block that was seen, until a call returns false.
template <class Case, class Take>
[[nodiscard]] bool every_block(std::span<const JoinSeen<Case>> all, const Take& take) {
    return std::all_of(all.begin(), all.end(), [&](const JoinSeen<Case>& seen) {
        const BlockMatrix& matrix = seen.asked->matrix;
        for (std::uint64_t line = 0; line < matrix.lines; ++line)
            for (std::uint64_t b = 0; b < matrix.blocks_in_line(); ++b)
                if (!take(seen, BlockPlace{line, b})) return false;
        return true;
    });
}

/// Whether a way to join values to blocks gives all that came.
template <class Rules, class Case>
bool gives_all(const Rules& rules, const JoinFault& fault, std::span<const JoinSeen<Case>> all) {
    return every_block(all,
                       [&](const JoinSeen<Case>& seen, BlockPlace place) { return gives(rules, fault, seen, place); });
}

} // namespace mxcert::suites
