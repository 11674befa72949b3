/* SPDX-License-Identifier: Apache-2.0 */
#include "fp8_encode.h"

FP8_KERNELS(portable_fp64, double, fp8_from_double, x)
