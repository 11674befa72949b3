// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "conformance/planted/operations_api.hpp"
#include "conformance/suites/nvfp4/way.hpp"
#include "reference/base/random.hpp"
#include "reference/fast/convert.hpp"
#include "reference/fast/recipe/machine_float.hpp"
#include "reference/fast/recipe/nvfp4.hpp"

// The elements of a block rounded at random, right or with the fault that --backend-option names.
namespace mxcert::planted {

/// Where an element is: in which call, block and place.
struct ElementPlace {
    std::uint64_t call;
    std::uint64_t block;
    std::uint64_t lane;
    std::uint64_t values; ///< of the block
    bool last;            ///< one of the last 64 values of the tensor
    bool pairs;           ///< two neighbours share their bits
};

/// 16 random bits.
inline std::uint32_t bits_of(ElementPlace at) {
    if (is("the same random numbers in every call")) at.call = 0;
    if (is("the same random numbers in every block")) at.block = 0;
    if (is("one random number for a block")) at.lane = 0;
    if (at.pairs || is("the same random bits for both elements of a byte")) at.lane /= 2;
    if (is("the same random bits for four elements")) at.lane /= at.pairs ? 2 : 4;
    if (is("one random number for a call")) at.block = at.lane = 0;
    return static_cast<std::uint32_t>(SplitMix64::at(at.call + 1, at.block * 256 + at.lane) >> 48U);
}

/// `scaled`: a code of binary32; `factor`: what the value was multiplied by.
inline Code random_element(Code scaled, float factor, const ElementPlace& at) {
    constexpr const Format& from = formats::fp32;
    constexpr const Format& to = formats::e2m1;
    constexpr std::uint32_t all = 1U << 16U;
    std::uint32_t random = bits_of(at);
    Choices choices;
    const bool skipped = (is("the last place of blocks to nearest") && at.lane + 1 == at.values) ||
                         (is("the last lanes to nearest") && at.last);
    if (is("elements to nearest") || skipped) return fast::convert(from, to, choices, scaled);
    choices.rounding = Rounding::stochastic_a;
    const Code right = fast::convert(from, to, choices, scaled, random, 16);
    const Code sign = right & to.sign_bit();
    if (is("2 random bits")) return fast::convert(from, to, choices, scaled, random >> 14U, 2);
    if (is("8 random bits")) return fast::convert(from, to, choices, scaled, random >> 8U, 8);
    if (is("away from zero"))
        return fast::convert(from, to, choices, scaled, random + all / 8 < all ? random + all / 8 : all - 1, 16);
    if (is("noise before values are scaled") && !from.is_nan(scaled)) {
        choices.rounding = Rounding::nearest_even;
        const float noise = (static_cast<float>(random) * 0x1p-16F - 0.5F) * factor;
        return fast::convert(from, to, choices, fast::bits_of(fast::as_float(scaled) + noise));
    }
    // Now and then.
    const bool now = random % 1024 == 1;
    if (is("beyond the neighbours") && now) return sign | ((right & to.magnitude_mask()) + 2) % 8;
    if (is("exact elements changed") && now) {
        choices.rounding = Rounding::toward_zero;
        Choices away;
        away.rounding = Rounding::away_from_zero;
        const Code lower = fast::convert(from, to, choices, scaled);
        if (lower == fast::convert(from, to, away, scaled) && (lower & to.magnitude_mask()) > 0) return lower - 1;
    }
    if (is("elements beyond 6 at random") && now && std::fabs(fast::as_float(scaled)) > 6) return sign | 0x6;
    return right;
}

/// Makes the elements of a block that is `made`: at random, by its scale.
inline void round_at_random(const suites::Nvfp4Matrix& matrix, const suites::Nvfp4Way& way,
                            const suites::Nvfp4Tensor& tensor, std::uint64_t block, std::uint64_t call, bool pairs,
                            suites::Nvfp4Block& made) {
    const std::vector<Code>& values = matrix.values_of(way, block);
    const float factor =
        fast::as_float(fast::scaled_value_of(way.choices, tensor.scales, made.scale, formats::fp32.one_code()));
    for (std::uint64_t lane = 0; lane < values.size(); ++lane) {
        const Code scaled = fast::scaled_value_of(way.choices, tensor.scales, made.scale, values[lane]);
        if (formats::fp32.is_nan(scaled)) continue;
        const bool last = block + 4 >= matrix.matrix().blocks();
        made.elements[lane] = random_element(scaled, factor, {call, block, lane, values.size(), last, pairs});
        if (way.unsigned_elements) made.elements[lane] &= ~formats::e2m1.sign_bit();
    }
}

} // namespace mxcert::planted
