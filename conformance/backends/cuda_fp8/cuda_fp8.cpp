// SPDX-License-Identifier: Apache-2.0
// The backend `cuda_fp8`: the conversions of NVIDIA's cuda_fp8.h, cuda_fp6.h and cuda_fp4.h, compiled for the host.
// Each row of the table is one public function or operator of these headers and nothing else.
#include <cuda_fp8.h>
#include <cuda_runtime_api.h>
// These came with CUDA 12.8, and E8M0 too.
#if CUDART_VERSION >= 12080
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#endif

#include <cstdint>
#include <string>

#include "conformance/backend.hpp"

namespace {

using Code8 = std::uint8_t;
using Code16 = std::uint16_t;

/// The header's raw structs hold the bits of a 16-bit value.
template <class Raw> Raw raw(Code16 bits) {
    Raw value{};
    value.x = bits;
    return value;
}

template <__nv_fp8_interpretation_t Target, __nv_saturation_t Mode> Code8 from_float(float x) {
    return __nv_cvt_float_to_fp8(x, Mode, Target);
}
template <__nv_fp8_interpretation_t Target, __nv_saturation_t Mode> Code8 from_double(double x) {
    return __nv_cvt_double_to_fp8(x, Mode, Target);
}
template <__nv_fp8_interpretation_t Target, __nv_saturation_t Mode> Code8 from_half(Code16 x) {
    return __nv_cvt_halfraw_to_fp8(raw<__half_raw>(x), Mode, Target);
}
template <__nv_fp8_interpretation_t Target, __nv_saturation_t Mode> Code8 from_bf16(Code16 x) {
    return __nv_cvt_bfloat16raw_to_fp8(raw<__nv_bfloat16_raw>(x), Mode, Target);
}

/// Decoding through the conversion operators of the header's types: __nv_fp8_e4m3, __nv_fp8_e5m2, __nv_fp8_e8m0. To
/// float they go through __nv_cvt_fp8_to_halfraw, whose values are exact; E8M0 through __nv_cvt_e8m0_to_bf16raw.
template <class Type, class Out> Out decode(Code8 code) {
    Type value{};
    value.__x = code;
    return static_cast<Out>(value);
}
template <class Type> Code16 decode_half(Code8 code) { return static_cast<__half_raw>(decode<Type, __half>(code)).x; }
template <class Type> Code16 decode_bf16(Code8 code) {
    return static_cast<__nv_bfloat16_raw>(decode<Type, __nv_bfloat16>(code)).x;
}
template <__nv_fp8_interpretation_t Source> Code16 to_halfraw(Code8 code) {
    return __nv_cvt_fp8_to_halfraw(code, Source).x;
}

#if CUDART_VERSION >= 12080
/// FP6 and FP4: a code in the low bits of a byte.
template <__nv_fp6_interpretation_t Target, cudaRoundMode Rounding> Code8 fp6_from_float(float x) {
    return __nv_cvt_float_to_fp6(x, Target, Rounding);
}
template <__nv_fp6_interpretation_t Target, cudaRoundMode Rounding> Code8 fp6_from_double(double x) {
    return __nv_cvt_double_to_fp6(x, Target, Rounding);
}
template <__nv_fp6_interpretation_t Target, cudaRoundMode Rounding> Code8 fp6_from_half(Code16 x) {
    return __nv_cvt_halfraw_to_fp6(raw<__half_raw>(x), Target, Rounding);
}
template <__nv_fp6_interpretation_t Target, cudaRoundMode Rounding> Code8 fp6_from_bf16(Code16 x) {
    return __nv_cvt_bfloat16raw_to_fp6(raw<__nv_bfloat16_raw>(x), Target, Rounding);
}
template <__nv_fp6_interpretation_t Source> Code16 fp6_to_halfraw(Code8 code) {
    return __nv_cvt_fp6_to_halfraw(code, Source).x;
}
template <__nv_fp4_interpretation_t Target, cudaRoundMode Rounding> Code8 fp4_from_float(float x) {
    return __nv_cvt_float_to_fp4(x, Target, Rounding);
}
template <__nv_fp4_interpretation_t Target, cudaRoundMode Rounding> Code8 fp4_from_double(double x) {
    return __nv_cvt_double_to_fp4(x, Target, Rounding);
}
template <__nv_fp4_interpretation_t Target, cudaRoundMode Rounding> Code8 fp4_from_half(Code16 x) {
    return __nv_cvt_halfraw_to_fp4(raw<__half_raw>(x), Target, Rounding);
}
template <__nv_fp4_interpretation_t Target, cudaRoundMode Rounding> Code8 fp4_from_bf16(Code16 x) {
    return __nv_cvt_bfloat16raw_to_fp4(raw<__nv_bfloat16_raw>(x), Target, Rounding);
}
template <__nv_fp4_interpretation_t Source> Code16 fp4_to_halfraw(Code8 code) {
    return __nv_cvt_fp4_to_halfraw(code, Source).x;
}

template <__nv_saturation_t Mode, cudaRoundMode Rounding> Code8 scale_from_float(float x) {
    return __nv_cvt_float_to_e8m0(x, Mode, Rounding);
}
template <__nv_saturation_t Mode, cudaRoundMode Rounding> Code8 scale_from_double(double x) {
    return __nv_cvt_double_to_e8m0(x, Mode, Rounding);
}
template <__nv_saturation_t Mode, cudaRoundMode Rounding> Code8 scale_from_bf16(Code16 x) {
    return __nv_cvt_bfloat16raw_to_e8m0(raw<__nv_bfloat16_raw>(x), Mode, Rounding);
}
/// From half there is the constructor alone: saturating, upward.
Code8 scale_from_half(Code16 x) { return __nv_fp8_e8m0(static_cast<__half>(raw<__half_raw>(x))).__x; }
Code16 scale_to_bf16(Code8 code) { return __nv_cvt_e8m0_to_bf16raw(code).x; }
#endif

#if CUDART_VERSION >= 13050
/// UE5M3: without the sign, in the rounding that is asked for.
template <__nv_saturation_t Mode, cudaRoundMode Rounding> Code8 ue5m3_from_float(float x) {
    return __nv_cvt_float_to_ue5m3(x, Mode, Rounding);
}
template <__nv_saturation_t Mode, cudaRoundMode Rounding> Code8 ue5m3_from_double(double x) {
    return __nv_cvt_double_to_ue5m3(x, Mode, Rounding);
}
template <__nv_saturation_t Mode, cudaRoundMode Rounding> Code8 ue5m3_from_half(Code16 x) {
    return __nv_cvt_halfraw_to_ue5m3(raw<__half_raw>(x), Mode, Rounding);
}
template <__nv_saturation_t Mode, cudaRoundMode Rounding> Code8 ue5m3_from_bf16(Code16 x) {
    return __nv_cvt_bfloat16raw_to_ue5m3(raw<__nv_bfloat16_raw>(x), Mode, Rounding);
}
Code16 ue5m3_to_half(Code8 code) { return __nv_cvt_ue5m3_to_halfraw(code).x; }
Code16 ue5m3_to_bf16(Code8 code) { return __nv_cvt_ue5m3_to_bf16raw(code).x; }
#endif

/// CUDART_VERSION 13000 is "13.0": two digits before the point, one or two after it.
std::string version() {
    return std::to_string(CUDART_VERSION / 1000) + '.' + std::to_string(CUDART_VERSION % 1000 / 10);
}

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t host_abi_major) {
    static mxcert::backend::Backend headers(
        "cuda_fp8", version(), "cuda_fp8.h, cuda_fp6.h and cuda_fp4.h of the CUDA toolkit, compiled for the host",
        {
#define MXCERT_ROW(source, target, rounding, overflow, in, out, ...)                                                   \
    {source, target, rounding, overflow, [](in x) -> out { return __VA_ARGS__(x); }},
#include "table.inc"
#undef MXCERT_ROW
        });
    return headers.api(host_abi_major);
}
