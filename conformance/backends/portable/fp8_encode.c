/* SPDX-License-Identifier: Apache-2.0
 * To E4M3 and E5M2, from each source. */
#include "fp8_encode.h"

FP8_KERNELS(portable_fp32, float, fp8_from_float, x)
FP8_KERNELS(portable_fp16, uint16_t, fp8_from_float, half_to_float(x))
FP8_KERNELS(portable_bf16, uint16_t, fp8_from_float, bf16_to_float(x))
FP8_KERNELS(portable_fp64, double, fp8_from_double, x)
