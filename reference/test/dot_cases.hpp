// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "reference/base/random.hpp"
#include "reference/dot/dot.hpp"

// Operands of dot products that find faults: uniform random codes alone are mostly NaN.
namespace mxcert::test {

enum class Kind : std::uint8_t {
    finite,     ///< any finite codes
    narrow,     ///< exponents near each other: sums that round
    cancelling, ///< a pair that cancels, and small ones
    one_huge,   ///< one large product and small ones
    subnormal,  ///< zeros and subnormals with a few others
    specials,   ///< NaN, Inf and zeros among others
    extremes,   ///< largest and smallest magnitudes
};
inline constexpr Kind all_kinds[] = {Kind::finite,    Kind::narrow,   Kind::cancelling, Kind::one_huge,
                                     Kind::subnormal, Kind::specials, Kind::extremes};

/// A finite code.
[[nodiscard]] inline Code finite_code(const Format& format, SplitMix64& random) {
    for (;;) {
        const Code code = random() & format.last_code();
        if (format.is_finite(code)) return code;
    }
}

/// A code of this kind.
[[nodiscard]] inline Code code_of(const Format& format, Kind kind, SplitMix64& random) {
    const Code sign = random() & format.sign_bit();
    const auto near = [&](int exponent, std::uint64_t spread) {
        const auto field = static_cast<Code>(std::clamp(exponent, format.emin(), format.emax()) + format.bias);
        const Code fraction = random() & format.fraction_mask();
        const Code code = ((field - std::min<Code>(field, random.below(spread))) << format.fraction_bits) | fraction;
        return std::min(code, format.max_code()) | sign;
    };
    switch (kind) {
    case Kind::finite: break;
    case Kind::narrow:
    case Kind::cancelling: return near(1, 4);
    case Kind::one_huge: return random.below(8) == 0 ? near(format.emax(), 2) : near(-2, 6);
    case Kind::subnormal:
        return random.below(4) == 0 ? finite_code(format, random) : (random() & format.fraction_mask()) | sign;
    case Kind::specials:
        switch (random.below(12)) {
        case 0: return random() & format.last_code();
        case 1: return format.has_inf() ? format.inf_code() | sign : finite_code(format, random);
        case 2: return format.has_nan() ? format.magnitude_mask() | sign : finite_code(format, random);
        case 3: return format.has_minus_zero() ? sign : Code{0};
        default: return near(1, 4);
        }
    case Kind::extremes:
        return random.below(2) == 0 ? format.max_code() | sign : (format.has_minus_zero() ? 1 | sign : Code{1});
    }
    return finite_code(format, random);
}

/// A dot product with its operands.
struct Case {
    DotFormat format;
    std::vector<Code> a;
    std::vector<Code> b;
    std::vector<Code> scales_a;
    std::vector<Code> scales_b;
    std::size_t block = 0;
    Code c = 0;

    [[nodiscard]] DotOperands operands() const { return {a, b, scales_a, scales_b, block, block, c}; }
};

inline Case make_case(const DotFormat& format, Kind kind, std::size_t n, std::size_t block, SplitMix64& random) {
    Case dot_case{format, {}, {}, {}, {}, block, 0};
    for (std::size_t i = 0; i < n; ++i) {
        dot_case.a.push_back(code_of(*format.a, kind, random));
        dot_case.b.push_back(code_of(*format.b, kind, random));
    }
    if (kind == Kind::cancelling && n >= 2) {
        // The last product takes the first away, and both are large.
        dot_case.a[0] = code_of(*format.a, Kind::extremes, random);
        dot_case.b[0] = format.b->max_code();
        dot_case.a[n - 1] = dot_case.a[0] ^ format.a->sign_bit();
        dot_case.b[n - 1] = dot_case.b[0];
    }
    const std::size_t blocks = SharedScale{block, 1}.count_along(n);
    const std::uint64_t spread = random.below(3) == 0 ? 60 : 6;
    const auto scale = [&](const Format& format) {
        if (kind == Kind::specials && random.below(16) == 0) return random() & format.last_code();
        if (kind == Kind::extremes && random.below(4) == 0) return random.below(2) == 0 ? format.max_code() : Code{0};
        // A zero may have the largest exponent of all.
        if (kind == Kind::subnormal && format.name == "e8m0" && spread > 6) return 180 + random.below(70);
        const auto field = static_cast<Code>(format.bias) + random.below(spread) - spread / 2;
        const Code code = field << format.fraction_bits | (random() & format.fraction_mask());
        return std::min(code & format.magnitude_mask(), format.max_code());
    };
    for (std::size_t i = 0; i < blocks; ++i) {
        if (format.scale_a != nullptr) dot_case.scales_a.push_back(scale(*format.scale_a));
        if (format.scale_b != nullptr) dot_case.scales_b.push_back(scale(*format.scale_b));
    }
    if (format.c != nullptr) {
        dot_case.c = random.below(4) == 0 ? random() & format.c->sign_bit() : code_of(*format.c, kind, random);
        // Near the products more often than anywhere.
        if (random.below(2) == 0) dot_case.c = code_of(*format.c, Kind::narrow, random);
        if (random.below(16) == 0) dot_case.c = finite_code(*format.c, random);
    }
    return dot_case;
}

} // namespace mxcert::test
