// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/fast/isa.hpp"
#include "reference/fast/sum/small_terms.hpp"
#include "reference/fast/term.hpp"

// Sums of one row of A and several columns of B side by side, by an accumulator with small terms: a column a lane.
namespace mxcert::fast {

/// Columns of B that are added side by side.
inline constexpr std::size_t lane_count = 16;

/// What the loop needs of an accumulator.
struct AlignedPlan {
    std::size_t group;   ///< products of a group
    std::size_t at_once; ///< terms whose sum fits 32 bits
    int fraction;
    int up; ///< places_up()
    int zero_exponent;
    int result_bits;     ///< of the fraction of c
    int result_fraction; ///< of these, what is made
    int emin;
    int emax;
    bool nearest; ///< to nearest even, or toward zero
};

/// Whether the loop makes what the accumulator makes.
[[nodiscard]] bool has_aligned_lanes(const Accumulator& model, const DotFormat& format);
/// Precondition: has_aligned_lanes().
[[nodiscard]] AlignedPlan aligned_plan(const Accumulator& model, const DotFormat& format);

/// Sums so far, each significand x 2^(exponent - result_bits), and whether one met Inf, NaN or what is too large: it
/// says nothing then.
struct LaneSums {
    std::int32_t significands[lane_count];
    std::int32_t exponents[lane_count];
    std::int32_t special[lane_count];

    void set(const AlignedPlan& plan, std::size_t lane, const Term& c);
    [[nodiscard]] Term get(const AlignedPlan& plan, std::size_t lane) const;
    /// +0, and `special` as it was.
    void clear(const AlignedPlan& plan);
};

/// Significands and exponents along the sum: of a one for each product, of b lane_count.
struct LaneOperands {
    const std::int16_t* significands_a;
    const std::int16_t* exponents_a;
    const std::int16_t* significands_b;
    const std::int16_t* exponents_b;
    std::size_t k;
};

/// Adds products in groups; the last one may be shorter.
using AddAligned = void (*)(const AlignedPlan& plan, const LaneOperands& operands, LaneSums& sums);

/// The loop for an instruction set. Precondition: the machine runs it.
[[nodiscard]] AddAligned add_aligned(Isa isa);

} // namespace mxcert::fast
