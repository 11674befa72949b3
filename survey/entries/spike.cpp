// SPDX-License-Identifier: Apache-2.0
// The softfloat of Spike, the RISC-V simulator, as its package has it: what the instructions of Zvfofp8min call.
#include "conformance/backend.hpp"

extern "C" {
#include <softfloat.h>
}

namespace {

/// The result of a call, with the exceptions that it alone raised: fflags are sticky.
template <class Call> auto with_flags(std::uint8_t& flags, unsigned rounding, Call call) {
    softfloat_roundingMode = static_cast<std::uint_fast8_t>(rounding);
    softfloat_exceptionFlags = 0;
    const auto result = call();
    flags = static_cast<std::uint8_t>(softfloat_exceptionFlags);
    return result;
}

template <unsigned Rounding, bool Saturates> std::uint8_t f32_e4m3(std::uint32_t x, std::uint8_t& flags) {
    return with_flags(flags, Rounding, [x] { return f32_to_e4m3({x}, Saturates).v; });
}
template <unsigned Rounding, bool Saturates> std::uint8_t f32_e5m2(std::uint32_t x, std::uint8_t& flags) {
    return with_flags(flags, Rounding, [x] { return f32_to_e5m2({x}, Saturates).v; });
}
template <unsigned Rounding, bool Saturates> std::uint8_t bf16_e4m3(std::uint16_t x, std::uint8_t& flags) {
    return with_flags(flags, Rounding, [x] { return bf16_to_e4m3({x}, Saturates).v; });
}
template <unsigned Rounding, bool Saturates> std::uint8_t bf16_e5m2(std::uint16_t x, std::uint8_t& flags) {
    return with_flags(flags, Rounding, [x] { return bf16_to_e5m2({x}, Saturates).v; });
}
std::uint16_t e4m3_bf16(std::uint8_t x, std::uint8_t& flags) {
    return with_flags(flags, softfloat_round_near_even, [x] { return e4m3_to_bf16({x}).v; });
}
std::uint16_t e5m2_bf16(std::uint8_t x, std::uint8_t& flags) {
    return with_flags(flags, softfloat_round_near_even, [x] { return e5m2_to_bf16({x}).v; });
}

using Rows = std::vector<mxcert::backend::Conversion>;

template <unsigned Rounding, bool Saturates> void add(Rows& rows, const char* rounding) {
    const char* overflow = Saturates ? "sat" : "nosat";
    rows.push_back({"fp32", "e4m3", rounding, overflow, f32_e4m3<Rounding, Saturates>});
    rows.push_back({"fp32", "e5m2", rounding, overflow, f32_e5m2<Rounding, Saturates>});
    rows.push_back({"bf16", "e4m3", rounding, overflow, bf16_e4m3<Rounding, Saturates>});
    rows.push_back({"bf16", "e5m2", rounding, overflow, bf16_e5m2<Rounding, Saturates>});
}

template <unsigned Rounding> void add_both(Rows& rows, const char* rounding) {
    add<Rounding, true>(rows, rounding);
    add<Rounding, false>(rows, rounding);
}

Rows all() {
    Rows rows;
    add_both<softfloat_round_near_even>(rows, "nearest_even");
    add_both<softfloat_round_minMag>(rows, "toward_zero");
    add_both<softfloat_round_min>(rows, "down");
    add_both<softfloat_round_max>(rows, "up");
    add_both<softfloat_round_near_maxMag>(rows, "nearest_away");
    rows.push_back({"e4m3", "bf16", "nearest_even", "nosat", e4m3_bf16});
    rows.push_back({"e5m2", "bf16", "nearest_even", "nosat", e5m2_bf16});
    return rows;
}

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t version) {
    static mxcert::backend::Backend spike("spike", "0.0.5.dev20", "softfloat of Spike, libriscv.so of the package",
                                          all());
    return spike.api(version);
}
