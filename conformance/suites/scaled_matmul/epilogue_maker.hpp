// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "conformance/suites/scaled_matmul/scaled_case.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/arithmetic.hpp"

namespace mxcert::suites {

/// A number of one binade of binary32 with all bits of its fraction.
inline Code near_power(int exponent, std::uint64_t random) {
    return static_cast<Code>(exponent + formats::fp32.bias) << static_cast<unsigned>(formats::fp32.fraction_bits) |
           (random & formats::fp32.fraction_mask());
}

/// Makes the cases of an operation with an epilogue.
class EpilogueMaker {
  public:
    explicit EpilogueMaker(const ScaledMatmul& scaled) : scaled_(scaled) {}

    /// All ones in A and B, scales 1, no bias.
    [[nodiscard]] ScaledCase ones(std::string name, std::size_t m, std::size_t n, std::size_t k) const {
        ScaledCase scaled_case;
        scaled_case.name = std::move(name);
        scaled_case.shape = scaled_.matmul.shape(m, n, k);
        scaled_case.a.assign(m * k, code(*scaled_.matmul.format.a, 1));
        scaled_case.b.assign(k * n, code(*scaled_.matmul.format.b, 1));
        scaled_case.scales_a.assign(scaled_.scales_a(scaled_case.shape), fp32_one);
        scaled_case.scales_b.assign(scaled_.scales_b(scaled_case.shape), fp32_one);
        if (scaled_.bias != nullptr) scaled_case.bias.assign(n, 0);
        scaled_case.d_scale = fp32_one;
        if (!scaled_.has_blocks()) return scaled_case;
        scaled_case.block_scales_a.assign(scaled_case.shape.a_scales(), code(*scaled_.matmul.format.scale_a, 1));
        scaled_case.block_scales_b.assign(scaled_case.shape.b_scales(), code(*scaled_.matmul.format.scale_b, 1));
        return scaled_case;
    }
    /// -1, 0 and 1 in A, -1 and 1 in B; 1, 2 and 4 as scales of blocks.
    void whole_numbers(ScaledCase& scaled_case, std::uint64_t seed) const {
        const Format& a = *scaled_.matmul.format.a;
        const Format& b = *scaled_.matmul.format.b;
        for (std::size_t i = 0; i < scaled_case.a.size(); ++i) {
            const std::uint64_t of_three = SplitMix64::at(seed, i) % 3;
            scaled_case.a[i] = of_three == 0 ? 0 : code(a, 1) | (of_three == 1 ? a.sign_bit() : 0);
        }
        for (std::size_t i = 0; i < scaled_case.b.size(); ++i)
            scaled_case.b[i] = code(b, 1) | (SplitMix64::at(seed + 1, i) % 2 == 0 ? b.sign_bit() : 0);
        const auto blocks = [&](std::vector<Code>& scales, const Format* format, std::uint64_t start) {
            for (std::size_t i = 0; i < scales.size(); ++i)
                scales[i] = code(*format, 1 << SplitMix64::at(start, i) % 3);
        };
        blocks(scaled_case.block_scales_a, scaled_.matmul.format.scale_a, seed + 50);
        blocks(scaled_case.block_scales_b, scaled_.matmul.format.scale_b, seed + 51);
    }
    /// Scales and biases of a few binades.
    void seeded(ScaledCase& scaled_case, std::uint64_t seed, int spread) const {
        SplitMix64 random(seed);
        const auto number = [&] {
            const int exponent = static_cast<int>(random.below(static_cast<std::uint64_t>(2 * spread + 1))) - spread;
            return near_power(exponent, random());
        };
        for (Code& scale : scaled_case.scales_a) scale = number();
        for (Code& scale : scaled_case.scales_b) scale = number();
        for (Code& code : scaled_case.bias)
            code = bias(number() | (random.below(2) == 0 ? formats::fp32.sign_bit() : 0));
        if (scaled_.has_d_scale) scaled_case.d_scale = number();
    }
    /// A number of binary32 as a bias.
    [[nodiscard]] Code bias(Code number) const { return exact::converted(formats::fp32, *scaled_.bias, number); }
    [[nodiscard]] static Code code(const Format& format, int number) {
        return exact::encode(format, exact::Rational(number));
    }
    [[nodiscard]] const ScaledMatmul& scaled() const { return scaled_; }

  private:
    const ScaledMatmul& scaled_;
};

} // namespace mxcert::suites
