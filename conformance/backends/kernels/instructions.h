/* SPDX-License-Identifier: Apache-2.0
 * Conversions by the instructions of a device, which are under test here. An instruction that does not
 * saturate is given no larger magnitude than `limit`; a NaN goes through. */
#ifndef MXCERT_KERNELS_INSTRUCTIONS_H
#define MXCERT_KERNELS_INSTRUCTIONS_H

/* A value each, and a range. */
#define INSTRUCTED(name, width, codes)                                                                                 \
    KERNEL(instruct_##name) {                                                                                          \
        if (OUTSIDE) return;                                                                                           \
        ((MEMORY u8*)(codes))[X] = (u8)instructed_##name(((MEMORY const width*)values)[X], p);                         \
    }                                                                                                                  \
    STEPS(instruct_##name, instructed_##name)

#if defined(__HIP__)

#define UNROLL _Pragma("unroll")
#define ALIGNED_16 __attribute__((aligned(16)))
#define FLOAT_OF_FP16(bits) (float)__builtin_bit_cast(_Float16, (u16)(bits))

/* v_cvt_pk_fp8_f32 and v_cvt_pk_bf8_f32: two values to the lower half of a word. The formats are FNUZ on CDNA3, OCP's
 * on RDNA4. */
#define INSTRUCT(element, instruction)                                                                                 \
    DEVICE u32 instructed_##element(const u32 bits, const parameters p) {                                              \
        const float value = FLOAT(bits);                                                                               \
        const float limit = FLOAT(p.round.limit);                                                                      \
        const float limited = value > limit ? limit : value < -limit ? -limit : value;                                 \
        return (u32)instruction(limited, limited, 0, false) & 0xFFu;                                                   \
    }                                                                                                                  \
    INSTRUCTED(element, u32, result)
INSTRUCT(e4m3, __builtin_amdgcn_cvt_pk_fp8_f32)
INSTRUCT(e5m2, __builtin_amdgcn_cvt_pk_bf8_f32)

#elif defined(__CUDACC__)

#define UNROLL _Pragma("unroll")
#define ALIGNED_16 __align__(16)
#define FLOAT_OF_FP16(bits) __half2float(__ushort_as_half((u16)(bits)))

/* What cuda_fp8.h makes of one value on the device: cvt.rn.satfinite.e4m3x2.f32, .e5m2x2 and .f16x2, and where it is
 * not to saturate what the header adds to them; a BF16 value goes by FP32. */
#define SATURATION (p.round.limit != 0x7F800000u ? __NV_SATFINITE : __NV_NOSAT)
#define INSTRUCT_FP32(element, kind)                                                                                   \
    DEVICE u32 instructed_##element(const u32 bits, const parameters p) {                                              \
        return __nv_cvt_float_to_fp8(FLOAT(bits), SATURATION, kind);                                                   \
    }                                                                                                                  \
    INSTRUCTED(element, u32, result)
INSTRUCT_FP32(e4m3, __NV_E4M3)
INSTRUCT_FP32(e5m2, __NV_E5M2)

#define INSTRUCT_16(source, raw_type, convert, element, kind)                                                          \
    DEVICE u32 instructed_##source##_##element(const u32 bits, const parameters p) {                                   \
        raw_type raw;                                                                                                  \
        raw.x = (u16)bits;                                                                                             \
        return convert(raw, SATURATION, kind);                                                                         \
    }                                                                                                                  \
    INSTRUCTED(source##_##element, u16, result)
INSTRUCT_16(fp16, __half_raw, __nv_cvt_halfraw_to_fp8, e4m3, __NV_E4M3)
INSTRUCT_16(fp16, __half_raw, __nv_cvt_halfraw_to_fp8, e5m2, __NV_E5M2)
INSTRUCT_16(bf16, __nv_bfloat16_raw, __nv_cvt_bfloat16raw_to_fp8, e4m3, __NV_E4M3)
INSTRUCT_16(bf16, __nv_bfloat16_raw, __nv_cvt_bfloat16raw_to_fp8, e5m2, __NV_E5M2)

/* To E8M0: cvt.rz and cvt.rp, .ue8m0x2, from compute capability 10.0 on; before, what the header does instead. */
#define SCALE_SATURATION (p.scale.beyond == 0xFEu ? __NV_SATFINITE : __NV_NOSAT)
#define SCALE_ROUNDING (p.scale.threshold == 0 ? cudaRoundPosInf : cudaRoundZero)
DEVICE u32 instructed_e8m0(const u32 bits, const parameters p) {
    return __nv_cvt_float_to_e8m0(FLOAT(bits), SCALE_SATURATION, SCALE_ROUNDING);
}
INSTRUCTED(e8m0, u32, scales)
DEVICE u32 instructed_bf16_e8m0(const u32 bits, const parameters p) {
    __nv_bfloat16_raw raw;
    raw.x = (u16)bits;
    return __nv_cvt_bfloat16raw_to_e8m0(raw, SCALE_SATURATION, SCALE_ROUNDING);
}
INSTRUCTED(bf16_e8m0, u16, scales)

/* And back: cvt.rn.f16x2.e4m3x2, .e5m2x2 and cvt.rn.bf16x2.ue8m0x2. */
#define INSTRUCT_BACK(element, kind)                                                                                   \
    KERNEL(instruct_##element##_fp16) {                                                                                \
        if (OUTSIDE) return;                                                                                           \
        ((MEMORY u16*)result)[X] = __nv_cvt_fp8_to_halfraw(((MEMORY const u8*)values)[X], kind).x;                     \
    }
INSTRUCT_BACK(e4m3, __NV_E4M3)
INSTRUCT_BACK(e5m2, __NV_E5M2)
KERNEL(instruct_e8m0_bf16) {
    if (OUTSIDE) return;
    ((MEMORY u16*)result)[X] = __nv_cvt_e8m0_to_bf16raw(((MEMORY const u8*)scales)[X]).x;
}

/* At random, which of the architectures here sm_100a alone has: cvt.rs. The instruction takes four values and one word,
 * of which two values share a half, so each value has an instruction of its own, in the lowest byte. */
DEVICE u32 random_word(const u64 number) {
    u64 z = (number + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (u32)((z ^ (z >> 31)) >> 32);
}
#if defined(__CUDA_ARCH_FEAT_SM100_ALL)
#define INSTRUCT_RANDOM(element)                                                                                       \
    KERNEL(instruct_random_##element) {                                                                                \
        if (OUTSIDE) return;                                                                                           \
        u32 codes;                                                                                                     \
        asm volatile("cvt.rs.satfinite." #element "x4.f32 %0, {%2, %2, %2, %1}, %3;"                                   \
                     : "=r"(codes)                                                                                     \
                     : "f"(((MEMORY const float*)values)[X]), "f"(0.0f), "r"(random_word(p.draw.first + X)));          \
        ((MEMORY u8*)result)[X] = (u8)codes;                                                                           \
    }
#else
#define INSTRUCT_RANDOM(element)                                                                                       \
    KERNEL(instruct_random_##element) { __trap(); }
#endif
INSTRUCT_RANDOM(e4m3)
INSTRUCT_RANDOM(e5m2)

#endif

#endif
