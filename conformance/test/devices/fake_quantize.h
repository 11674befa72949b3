/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MXCERT_TEST_FAKE_QUANTIZE_H
#define MXCERT_TEST_FAKE_QUANTIZE_H

#include "conformance/backends/kernels/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs a kernel that quantizes by instructions; 0: it is none. */
int fake_quantize(kernels_number kernel, void* const* buffers, const parameters* p);

/* The instructions. `limit` is that of a rounding. */
u32 fake_instructed(int is_e5m2, u32 limit, u32 bits);
u32 fake_fp16_to_fp32(u32 bits);

#ifdef __cplusplus
}
#endif

#endif
