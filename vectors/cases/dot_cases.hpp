// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/dot/dot.hpp"

// Dot products that tell accumulators apart: where products lie far apart, what is left of the small ones says which
// were added together, at how many bits, and how the sums were rounded.
namespace mxcert {

/// One dot product. `about` says what it shows, without a comma: "a tie above an odd sum".
struct DotCase {
    std::string about;
    std::vector<Code> a;
    std::vector<Code> b;
    std::vector<Code> scales_a; ///< empty without scales
    std::vector<Code> scales_b;
    Code c = 0;
};

/// Cases of one length in the same formats.
struct DotCases {
    DotFormat format;
    std::size_t block_a = 0; ///< elements of a that share a scale; 0: all
    std::size_t block_b = 0;
    std::vector<DotCase> cases;

    [[nodiscard]] DotOperands operands(const DotCase& dot_case) const {
        return {dot_case.a, dot_case.b, dot_case.scales_a, dot_case.scales_b, block_a, block_b, dot_case.c};
    }
};

/// Cases of `k` products each, in these formats. Each shows one thing, as far as the formats have the range for it:
/// which products share a group, where c comes in, how many bits stay, how a term is cut and a sum rounded, subnormals,
/// zeros, NaN and Inf, scales; then seeded ones. With `has_c` false c is +0 throughout. No scale is NaN.
[[nodiscard]] DotCases dot_cases(const DotFormat& format, std::size_t block_a, std::size_t block_b, std::size_t k,
                                 bool has_c);

/// Seeded cases alone: 200 of finite operands, of all binades and of a few, under scales of one.
[[nodiscard]] DotCases drawn_products(const DotFormat& format, std::size_t block_a, std::size_t block_b, std::size_t k,
                                      bool has_c, std::uint64_t seed);

} // namespace mxcert
