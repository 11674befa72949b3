/* SPDX-License-Identifier: Apache-2.0 */
#include "fp8_encode.h"

FP8_KERNELS(portable_fp32, float, fp8_from_float, x)
