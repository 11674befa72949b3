/* SPDX-License-Identifier: Apache-2.0
 * NVIDIA's driver. It is looked for when a device is: a plugin can be built and loaded where there is none. */
#ifndef MXCERT_CUDA_DRIVER_H
#define MXCERT_CUDA_DRIVER_H

#include <cuda.h>

#include "conformance/backends/gpu/device.h"

/* The calls of the driver, by the names it exports. */
#define CUDA_CALLS(C)                                                                                                  \
    C(cuInit, cuInit)                                                                                                  \
    C(cuGetErrorString, cuGetErrorString)                                                                              \
    C(cuDeviceGetCount, cuDeviceGetCount)                                                                              \
    C(cuDeviceGet, cuDeviceGet)                                                                                        \
    C(cuDeviceGetName, cuDeviceGetName)                                                                                \
    C(cuDeviceGetAttribute, cuDeviceGetAttribute)                                                                      \
    C(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain)                                                              \
    C(cuCtxSetCurrent, cuCtxSetCurrent)                                                                                \
    C(cuCtxSynchronize, cuCtxSynchronize)                                                                              \
    C(cuModuleLoadData, cuModuleLoadData)                                                                              \
    C(cuModuleGetFunction, cuModuleGetFunction)                                                                        \
    C(cuMemAlloc, cuMemAlloc_v2)                                                                                       \
    C(cuMemFree, cuMemFree_v2)                                                                                         \
    C(cuMemcpyHtoD, cuMemcpyHtoD_v2)                                                                                   \
    C(cuMemcpyDtoH, cuMemcpyDtoH_v2)                                                                                   \
    C(cuMemcpyDtoD, cuMemcpyDtoD_v2)                                                                                   \
    C(cuLaunchKernel, cuLaunchKernel)

/* NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member takes none */
#define CUDA_POINTER(name, exported) __typeof__(&(exported)) name;
#undef cuMemAlloc
#undef cuMemFree
#undef cuMemcpyHtoD
#undef cuMemcpyDtoH
#undef cuMemcpyDtoD
typedef struct {
    CUDA_CALLS(CUDA_POINTER)
} cuda_calls;

/* There once gpu_choose() went well. */
extern cuda_calls cuda;

#endif
