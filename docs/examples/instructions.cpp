// SPDX-License-Identifier: Apache-2.0
// Three conversion instructions in software, as a backend: AVX10.2's VCVTBIASPH2HF8, Arm's FCVTN from FP16 to E4M3
// under FPMR.NSCALE, and PTX's cvt.rn.satfinite.relu.e4m3x2.f32. Replace them by those of your simulator.
#include <algorithm>
#include <cmath>

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

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t version) {
    static mxcert::backend::Backend instructions(
        "instructions", "1.0", "three instructions in software",
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
        });
    return instructions.api(version);
}
