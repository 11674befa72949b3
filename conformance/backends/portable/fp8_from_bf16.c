/* SPDX-License-Identifier: Apache-2.0 */
#include "fp8_encode.h"

FP8_KERNELS(portable_bf16, uint16_t, fp8_from_float, bf16_to_float(x))
