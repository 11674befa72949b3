// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/sum/aligned_lanes.hpp"

#include <algorithm>
#include <bit>

#include "reference/fast/kernel.hpp"

namespace mxcert::fast {
namespace {

/// Products of a group, cut and added, and c.
MXCERT_INLINE void add_terms(const AlignedPlan& plan, const LaneOperands& operands, const LaneSums& c,
                             const std::int32_t* highest, std::int64_t* units) {
    const int c_up = std::max(plan.fraction - plan.result_bits, 0);
    const int c_down = std::max(plan.result_bits - plan.fraction, 0);
    for (std::size_t j = 0; j < lane_count; ++j) {
        const int down = std::min(highest[j] - c.exponents[j] + c_down, 31);
        const std::int32_t sign = c.significands[j] >> 31;
        const std::int32_t cut = (((c.significands[j] ^ sign) - sign) << c_up) >> down;
        units[j] = (cut ^ sign) - sign;
    }
    for (std::size_t l = 0; l < operands.k;) {
        std::int32_t sums[lane_count] = {};
        for (const std::size_t end = std::min(operands.k, l + plan.at_once); l < end; ++l) {
            const std::int16_t* const significands = operands.significands_b + l * lane_count;
            const std::int16_t* const exponents = operands.exponents_b + l * lane_count;
            for (std::size_t j = 0; j < lane_count; ++j) {
                const std::int32_t product = operands.significands_a[l] * significands[j];
                const int down = std::min(highest[j] - (operands.exponents_a[l] + exponents[j]), 31);
                const std::int32_t sign = product >> 31;
                const std::int32_t cut = (((product ^ sign) - sign) << plan.up) >> down;
                sums[j] += (cut ^ sign) - sign;
            }
        }
        for (std::size_t j = 0; j < lane_count; ++j) units[j] += sums[j];
    }
}

/// units x 2^(highest - fraction) in the format of the result.
MXCERT_INLINE void round_lanes(const AlignedPlan& plan, const std::int32_t* highest, const std::int64_t* units,
                               LaneSums& sums) {
    std::int64_t significands[lane_count];
    std::int64_t exponents[lane_count];
    std::int64_t special[lane_count];
    for (std::size_t j = 0; j < lane_count; ++j) {
        const std::int64_t sign = units[j] >> 63;
        const std::int64_t magnitude = (units[j] ^ sign) - sign;
        // The exponent of the exact conversion tells the leading bit.
        const auto bits = std::bit_cast<std::int64_t>(static_cast<double>(magnitude));
        const std::int64_t place = highest[j] - plan.fraction;
        const std::int64_t binade = std::max<std::int64_t>(place + (bits >> 52) - 1023, plan.emin);
        const std::int64_t last = binade - plan.result_fraction;
        const std::int64_t up = std::clamp<std::int64_t>(place - last, 0, 62);
        const std::int64_t down = std::clamp<std::int64_t>(last - place, 0, 62);
        const std::int64_t half = (std::int64_t{1} << down) >> 1;
        const std::int64_t odd = (magnitude >> down) & 1;
        const std::int64_t more = plan.nearest && half != 0 ? half - 1 + odd : 0;
        std::int64_t kept = ((magnitude << up) + more) >> down;
        const std::int64_t carry = kept >> (plan.result_fraction + 1);
        kept >>= carry;
        significands[j] = ((kept ^ sign) - sign) << (plan.result_bits - plan.result_fraction);
        exponents[j] = kept == 0 ? plan.zero_exponent : binade + carry;
        special[j] = binade >= plan.emax ? 1 : 0;
    }
    for (std::size_t j = 0; j < lane_count; ++j) {
        sums.significands[j] = static_cast<std::int32_t>(significands[j]);
        sums.exponents[j] = static_cast<std::int32_t>(exponents[j]);
        sums.special[j] |= static_cast<std::int32_t>(special[j]);
    }
}

MXCERT_INLINE void add_groups(const AlignedPlan& plan, const LaneOperands& operands, LaneSums& sums) {
    for (std::size_t l = 0; l < operands.k; l += plan.group) {
        const LaneOperands group{operands.significands_a + l, operands.exponents_a + l,
                                 operands.significands_b + l * lane_count, operands.exponents_b + l * lane_count,
                                 std::min(plan.group, operands.k - l)};
        std::int32_t highest[lane_count];
        std::int64_t units[lane_count];
        for (std::size_t j = 0; j < lane_count; ++j) highest[j] = sums.exponents[j];
        for (std::size_t i = 0; i < group.k; ++i)
            for (std::size_t j = 0; j < lane_count; ++j)
                highest[j] = std::max(highest[j], group.exponents_a[i] + group.exponents_b[i * lane_count + j]);
        for (std::size_t j = 0; j < lane_count; ++j) sums.special[j] |= highest[j] >= not_finite / 2 ? 1 : 0;
        add_terms(plan, group, sums, highest, units);
        round_lanes(plan, highest, units, sums);
    }
}

void add_baseline(const AlignedPlan& plan, const LaneOperands& operands, LaneSums& sums) {
    add_groups(plan, operands, sums);
}
#if MXCERT_HAS_X86_LOOPS
[[gnu::target("avx2")]] void add_avx2(const AlignedPlan& plan, const LaneOperands& operands, LaneSums& sums) {
    add_groups(plan, operands, sums);
}
MXCERT_AVX512 void add_avx512(const AlignedPlan& plan, const LaneOperands& operands, LaneSums& sums) {
    add_groups(plan, operands, sums);
}
#endif

} // namespace

bool has_aligned_lanes(const Accumulator& model, const DotFormat& format) {
    return has_small_terms(model, format) && model.zero_sign == ZeroSign::dropped &&
           (model.rounding == Rounding::nearest_even || model.rounding == Rounding::toward_zero);
}

AlignedPlan aligned_plan(const Accumulator& model, const DotFormat& format) {
    const Format grid = grid_of(model);
    return {model.group,           std::size_t{1} << std::max(29 - model.fraction, 0),
            model.fraction,        places_up(model, format),
            model.zero_exponent,   model.result->fraction_bits,
            model.result_fraction, grid.emin(),
            grid.emax(),           model.rounding == Rounding::nearest_even};
}

void LaneSums::set(const AlignedPlan& plan, std::size_t lane, const Term& c) {
    const auto significand = static_cast<std::int32_t>(c.significand);
    significands[lane] = c.negative ? -significand : significand;
    exponents[lane] = significand == 0 ? plan.zero_exponent : c.exponent + plan.result_bits;
    special[lane] = c.kind != TermKind::finite ? 1 : 0;
}

Term LaneSums::get(const AlignedPlan& plan, std::size_t lane) const {
    const std::int32_t significand = significands[lane];
    return {TermKind::finite, significand < 0, static_cast<Wide>(significand < 0 ? -significand : significand),
            exponents[lane] - plan.result_bits};
}

void LaneSums::clear(const AlignedPlan& plan) {
    std::fill(std::begin(significands), std::end(significands), 0);
    std::fill(std::begin(exponents), std::end(exponents), plan.zero_exponent);
}

AddAligned add_aligned([[maybe_unused]] Isa isa) {
#if MXCERT_HAS_X86_LOOPS
    if (isa == Isa::avx512) return add_avx512;
    if (isa == Isa::avx2) return add_avx2;
#endif
    return add_baseline;
}

} // namespace mxcert::fast
