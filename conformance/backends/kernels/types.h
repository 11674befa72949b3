/* SPDX-License-Identifier: Apache-2.0
 * Integers of the same width in every language. */
#ifndef MXCERT_KERNELS_TYPES_H
#define MXCERT_KERNELS_TYPES_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int i32;
#if defined(__OPENCL_VERSION__)
typedef ulong u64;
#else
typedef unsigned long long u64;
#endif

#endif
