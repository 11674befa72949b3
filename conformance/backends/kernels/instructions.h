/* SPDX-License-Identifier: Apache-2.0
 * FP32 to FP8 by the conversion instructions of a device, which are under test here. An instruction that does not
 * saturate is given no larger magnitude than `limit`; a NaN goes through. */
#ifndef MXCERT_KERNELS_INSTRUCTIONS_H
#define MXCERT_KERNELS_INSTRUCTIONS_H

#if defined(__HIP__)

/* v_cvt_pk_fp8_f32 and v_cvt_pk_bf8_f32: two values to the lower half of a word. The formats are FNUZ on CDNA3, OCP's
 * on RDNA4. */
#define INSTRUCT(element, instruction)                                                                                 \
    KERNEL(instruct_##element) {                                                                                       \
        if (OUTSIDE) return;                                                                                           \
        const float value = ((MEMORY const float*)values)[X];                                                          \
        const float limit = FLOAT(p.round.limit);                                                                      \
        const float limited = value > limit ? limit : value < -limit ? -limit : value;                                 \
        ((MEMORY u8*)result)[X] = (u8)instruction(limited, limited, 0, false);                                         \
    }
INSTRUCT(e4m3, __builtin_amdgcn_cvt_pk_fp8_f32)
INSTRUCT(e5m2, __builtin_amdgcn_cvt_pk_bf8_f32)

#elif defined(__CUDACC__)

/* What cuda_fp8.h makes of one value on the device: cvt.rn.satfinite.e4m3x2.f32 and .e5m2x2, and where it is not to
 * saturate what the header adds to them. */
#define INSTRUCT(element, kind)                                                                                        \
    KERNEL(instruct_##element) {                                                                                       \
        if (OUTSIDE) return;                                                                                           \
        const float value = ((MEMORY const float*)values)[X];                                                          \
        const bool saturates = p.round.limit != 0x7F800000u;                                                           \
        ((MEMORY u8*)result)[X] = saturates ? __nv_cvt_float_to_fp8(value, __NV_SATFINITE, kind)                       \
                                            : __nv_cvt_float_to_fp8(value, __NV_NOSAT, kind);                          \
    }
INSTRUCT(e4m3, __NV_E4M3)
INSTRUCT(e5m2, __NV_E5M2)

#endif

#endif
