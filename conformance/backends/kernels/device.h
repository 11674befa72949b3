/* SPDX-License-Identifier: Apache-2.0
 * The words in which OpenCL C 1.2, CUDA C++, HIP C++ and C differ. The kernels use these and nothing else that is not
 * C.
 *
 *   DEVICE         before a function that kernels call
 *   MEMORY         before the type of an array of the device
 *   KERNEL(name)   the head of a kernel; its body runs once for each X, Y, Z below the sizes it is launched with
 *   OUTSIDE        whether X, Y, Z is beyond them: a launch may be larger, for whole groups
 *   CLZ(u32)       zero bits above the highest one; 32 of 0
 *   FLOAT, BITS    a float of these bits, and back
 *   COUNT_ONE(u32*) adds one to what all the others add to as well; what it was
 */
#ifndef MXCERT_KERNELS_DEVICE_H
#define MXCERT_KERNELS_DEVICE_H

#if defined(__OPENCL_VERSION__)

#define DEVICE static inline
#define MEMORY __global
#define CLZ(bits) clz(bits)
#define FLOAT(bits) as_float(bits)
#define BITS(value) as_uint(value)
#define X get_global_id(0)
#define Y get_global_id(1)
#define Z get_global_id(2)
#define OUTSIDE 0 /* a launch has exactly the sizes */
#define COUNT_ONE(at) atomic_inc((volatile MEMORY u32*)(at))
#define KERNEL(name) __kernel void name(BUFFERS, const parameters p)

#else

#define MEMORY

#if defined(__HIP__)

/* The compiler's own words: no header of a toolkit is needed. */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define DEVICE static __device__ inline
#define CLZ(bits) ((bits) == 0 ? 32 : __builtin_clz(bits))
#define FLOAT(bits) __builtin_bit_cast(float, (u32)(bits))
#define BITS(value) __builtin_bit_cast(u32, (float)(value))
#define COUNT_ONE(at) __hip_atomic_fetch_add((at), 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#define PLACE_IN(a)                                                                                                    \
    ((u64)__builtin_amdgcn_workgroup_id_##a() * __builtin_amdgcn_workgroup_size_##a() +                                \
     __builtin_amdgcn_workitem_id_##a())
#define X PLACE_IN(x)
#define Y PLACE_IN(y)
#define Z PLACE_IN(z)
#define OUTSIDE (X >= p.size[0] || Y >= p.size[1] || Z >= p.size[2])
#define KERNEL(name) extern "C" __global__ void name(BUFFERS, const parameters p)

#elif defined(__CUDACC__)

#define DEVICE static __device__ inline
#define CLZ(bits) __clz((int)(bits))
#define FLOAT(bits) __uint_as_float(bits)
#define BITS(value) __float_as_uint(value)
#define COUNT_ONE(at) atomicAdd((at), 1u)
#define X ((u64)blockIdx.x * blockDim.x + threadIdx.x)
#define Y ((u64)blockIdx.y * blockDim.y + threadIdx.y)
#define Z ((u64)blockIdx.z * blockDim.z + threadIdx.z)
#define OUTSIDE (X >= p.size[0] || Y >= p.size[1] || Z >= p.size[2])
#define KERNEL(name) extern "C" __global__ void name(BUFFERS, const parameters p)

#else /* C */

#include <string.h>
#define DEVICE static inline
#define CLZ(bits) ((bits) == 0 ? 32 : __builtin_clz(bits))
DEVICE float float_of(u32 bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
DEVICE u32 bits_of(float value) {
    u32 bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
#define FLOAT(bits) float_of(bits)
#define BITS(value) bits_of(value)
#define COUNT_ONE(at) ((*(at))++)
#define X at_x
#define Y at_y
#define Z at_z
#define OUTSIDE 0
#define KERNEL(name) DEVICE void name(BUFFERS, const parameters p, const u64 at_x, const u64 at_y, const u64 at_z)

#endif
#endif

/* What every kernel gets, so that one way of launching is enough for all. A kernel leaves alone what it has no use for,
 * which is NULL then. */
#define BUFFERS                                                                                                        \
    MEMORY const void *values, MEMORY void *scales, MEMORY void *result, MEMORY const void *right,                     \
        MEMORY const void *right_scales, MEMORY const void *added

#endif
