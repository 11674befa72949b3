// SPDX-License-Identifier: Apache-2.0
// Four conversion instructions in software, as a backend: AVX10.2's VCVTBIASPH2HF8, Arm's FCVTN from FP16 to E4M3
// under FPMR.NSCALE, and PTX's cvt.rn.satfinite.relu.e4m3x2.f32 and cvt.rs.satfinite.e4m3x4.f32. Replace them by those
// of your simulator.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "conformance/backend.hpp"

namespace {

/// The bias byte is added at the top of the bits that are cut, and they are cut.
std::uint8_t with_bias(std::uint16_t x, std::uint32_t bias, bool saturates) {
    const auto sign = static_cast<std::uint8_t>(x >> 8 & 0x80);
    const std::uint32_t magnitude = x & 0x7FFF;
    if (magnitude > 0x7C00) return sign | 0x7F;
    if (magnitude == 0x7C00) return sign | (saturates ? 0x7E : 0x7F);
    const int exponent = std::max(1, static_cast<int>(magnitude >> 10));
    const std::uint32_t significand = (magnitude & 0x3FF) | (magnitude < 0x400 ? 0 : 0x400);
    const int field = std::max(1, exponent - 8); // of E4M3
    const int cut = 7 + field - (exponent - 8);
    const std::uint32_t kept = ((significand << 8) + (bias << cut)) >> (cut + 8);
    const std::uint32_t code = ((static_cast<std::uint32_t>(field) - 1) << 3) + kept;
    return sign | static_cast<std::uint8_t>(code <= 0x7E ? code : saturates ? 0x7E : 0x7F);
}

double fp16(std::uint16_t x) {
    const int exponent = x >> 10 & 0x1F;
    const int fraction = x & 0x3FF;
    const double magnitude = exponent == 0x1F
                                 ? (fraction == 0 ? HUGE_VAL : NAN)
                                 : std::ldexp(exponent == 0 ? fraction : 0x400 + fraction, std::max(1, exponent) - 25);
    return (x & 0x8000) != 0 ? -magnitude : magnitude;
}

/// To nearest even, which is how the processor rounds if nobody changes it.
std::uint8_t e4m3(double x, bool saturates) {
    const auto sign = static_cast<std::uint8_t>(std::signbit(x) ? 0x80 : 0);
    if (std::isnan(x)) return 0x7F;
    const auto beyond = static_cast<std::uint8_t>(sign | (saturates ? 0x7E : 0x7F));
    if (std::isinf(x)) return beyond;
    if (x == 0) return sign;
    int exponent = 0;
    std::frexp(x, &exponent);
    exponent = std::max(exponent - 1, -6);
    const int code = (exponent + 6) * 8 + static_cast<int>(std::nearbyint(std::ldexp(std::fabs(x), 3 - exponent)));
    return exponent > 8 || code > 0x7E ? beyond : static_cast<std::uint8_t>(sign | code);
}

std::uint8_t fcvtn(std::uint16_t x, std::uint8_t scale, bool osc) {
    const int nscale = scale - 16; // NSCALE[4:0], its top bit inverted
    return e4m3(std::ldexp(fp16(x), nscale), osc);
}

std::uint8_t relu(float x) { return x <= 0 ? 0 : e4m3(x, true); }

/// Away from zero if 16 random bits and the fraction of the gap carry.
std::uint8_t e4m3_by(float x, std::uint32_t random) {
    if (std::isnan(x) || std::isinf(x) || x == 0) return e4m3(x, true);
    const int exponent = std::max(std::ilogb(x), -6);
    const double steps = std::ldexp(std::fabs(x), 3 - exponent);
    const double away = steps - std::floor(steps) + random * 0x1p-16 >= 1 ? 1 : 0;
    const double code = (exponent + 6) * 8 + std::floor(steps) + away;
    return static_cast<std::uint8_t>((std::signbit(x) ? 0x80 : 0) | static_cast<int>(std::min(code, 126.0)));
}

/// a and b share the upper half of rbits, e and f the lower one; a and e take it in reverse order.
std::uint32_t cvt_rs(const std::array<float, 4>& values, std::uint32_t rbits) {
    std::uint32_t packed = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        std::uint32_t random = 0;
        for (unsigned bit = 0; bit < 16; ++bit)
            random = random << 1 | (rbits >> ((i < 2 ? 16 : 0) + (i % 2 == 0 ? bit : 15 - bit)) & 1);
        packed = packed << 8 | e4m3_by(values[i], random);
    }
    return packed;
}

/// The value in its place, beside others.
std::uint8_t lane(std::size_t place, float x, std::uint32_t rbits) {
    std::array<float, 4> values{1.03F, -1.07F, 300, 0.01F};
    values[place] = x;
    return static_cast<std::uint8_t>(cvt_rs(values, rbits) >> (24 - 8 * place));
}

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t version) {
    static mxcert::backend::Backend instructions(
        "instructions", "1.0", "four instructions in software",
        {
            {"fp16", "e4m3", "stochastic_a", "sat",
             [](std::uint16_t x, std::uint32_t b) { return with_bias(x, b, true); }, 8},
            {"fp16", "e4m3", "stochastic_a", "nosat",
             [](std::uint16_t x, std::uint32_t b) { return with_bias(x, b, false); }, 8},
            {"fp16_times_nscale5", "e4m3", "nearest_even", "sat",
             [](std::uint16_t x, std::uint8_t s) { return fcvtn(x, s, true); }},
            {"fp16_times_nscale5", "e4m3", "nearest_even", "nosat",
             [](std::uint16_t x, std::uint8_t s) { return fcvtn(x, s, false); }},
            {"relu_fp32", "e4m3", "nearest_even", "sat", [](float x) { return relu(x); }},
            {"fp32", "e4m3", "ptx_rs_a", "sat", [](float x, std::uint32_t r) { return lane(0, x, r); }, 32},
            {"fp32", "e4m3", "ptx_rs_b", "sat", [](float x, std::uint32_t r) { return lane(1, x, r); }, 32},
            {"fp32", "e4m3", "ptx_rs_e", "sat", [](float x, std::uint32_t r) { return lane(2, x, r); }, 32},
            {"fp32", "e4m3", "ptx_rs_f", "sat", [](float x, std::uint32_t r) { return lane(3, x, r); }, 32},
        });
    return instructions.api(version);
}
