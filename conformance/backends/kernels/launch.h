/* SPDX-License-Identifier: Apache-2.0
 * The kernels compiled as C. */
#ifndef MXCERT_KERNELS_LAUNCH_H
#define MXCERT_KERNELS_LAUNCH_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs a kernel before KERNEL_COUNT, once for each place below `what->size`. The arrays are BUFFER_COUNT. */
void kernels_launch(kernels_number kernel, void* const* buffers, const parameters* what);

#ifdef __cplusplus
}
#endif

#endif
