/* SPDX-License-Identifier: Apache-2.0
 * The formats of the kernels, by the names that mxcert gives them. */
#ifndef MXCERT_KERNELS_FORMATS_H
#define MXCERT_KERNELS_FORMATS_H

#include "runtime.h"

typedef struct {
    const char* name;
    uint32_t bytes;
    format is;
} named_format;

enum { FP32, FP16, BF16, WIDE_COUNT };
enum { TARGET_COUNT = 4, ELEMENT_COUNT = 2 };

/* Code of the E8M0 scale 1. */
enum { SCALE_OF_1 = 127 };

/* What values come from: the first WIDE_COUNT; what elements go to: all. FP64 is a target that has a kernel of its own.
 */
static const named_format wide[TARGET_COUNT] = {
    {"fp32", 4, {23, 127, 31, 0x7FFFFFFFu, 0x7F7FFFFFu, 0x7F800000u, 0x7FC00000u, 0}},
    {"fp16", 2, {10, 15, 15, 0x7FFFu, 0x7BFFu, 0x7C00u, 0x7E00u, 0}},
    {"bf16", 2, {7, 127, 15, 0x7FFFu, 0x7F7Fu, 0x7F80u, 0x7FC0u, 0}},
    {"fp64", 8, {0, 0, 0, 0, 0, 0, 0, 0}},
};

/* An element format, and what the scale rules divide an amax by: 2^emax or the largest value 1.75 x 2^emax. */
typedef struct {
    named_format format;
    int32_t emax;
    uint32_t overflow;                       /* code of what is beyond the largest value, where it does not saturate */
    uint8_t one;                             /* code of 1 */
    uint32_t limit;                          /* FP32 code of the largest value */
    kernels_number instructions[WIDE_COUNT]; /* from the wide formats */
    kernels_number to_fp16;
    kernels_number quantizers[WIDE_COUNT]; /* of the wide formats, by instructions */
} element_format;

static const element_format elements[ELEMENT_COUNT] = {
    {{"e4m3", 1, {3, 7, 7, 0x7Fu, 0x7Eu, 0, 0x7Fu, 0}},
     8,
     0x7Fu,
     0x38u,
     0x43E00000u,
     {KERNEL_instruct_e4m3, KERNEL_instruct_fp16_e4m3, KERNEL_instruct_bf16_e4m3},
     KERNEL_instruct_e4m3_fp16,
     {KERNEL_instruct_quantize_fp32_e4m3, KERNEL_instruct_quantize_fp16_e4m3, KERNEL_instruct_quantize_bf16_e4m3}},
    {{"e5m2", 1, {2, 15, 7, 0x7Fu, 0x7Bu, 0x7Cu, 0x7Fu, 0}},
     15,
     0x7Cu,
     0x3Cu,
     0x47600000u,
     {KERNEL_instruct_e5m2, KERNEL_instruct_fp16_e5m2, KERNEL_instruct_bf16_e5m2},
     KERNEL_instruct_e5m2_fp16,
     {KERNEL_instruct_quantize_fp32_e5m2, KERNEL_instruct_quantize_fp16_e5m2, KERNEL_instruct_quantize_bf16_e5m2}},
};

/* Formats that are made by instructions alone. Their one NaN is in the place of -0. */
static const element_format fnuz[ELEMENT_COUNT] = {
    {{"e4m3fnuz", 1, {3, 8, 7, 0x7Fu, 0x7Fu, 0, 0x80u, 0}},
     7,
     0x80u,
     0x40u,
     0x43700000u,
     {KERNEL_instruct_e4m3},
     ALL_KERNELS,
     {ALL_KERNELS}},
    {{"e5m2fnuz", 1, {2, 16, 7, 0x7Fu, 0x7Fu, 0, 0x80u, 0}},
     15,
     0x80u,
     0x40u,
     0x47600000u,
     {KERNEL_instruct_e5m2},
     ALL_KERNELS,
     {ALL_KERNELS}},
};

enum { SAT, NOSAT, OVERFLOW_COUNT };
static const char* const overflow_names[OVERFLOW_COUNT] = {"sat", "nosat"};

/* Rounding to an element. Truncation stops at the largest finite value; only Inf itself goes further. */
static inline rounding to_element(const element_format* e, int is_nearest, int overflow) {
    const uint32_t beyond = overflow == SAT ? e->format.is.largest : e->overflow;
    const rounding r = {is_nearest ? 0xFFFFFFFFu : 0, is_nearest ? beyond : e->format.is.largest, beyond,
                        overflow == SAT ? e->limit : 0x7F800000u};
    return r;
}

/* Rounding to a wide format, to nearest even and not saturating. */
static inline rounding to_wide(const named_format* f) {
    const rounding r = {0xFFFFFFFFu, f->is.infinity, f->is.infinity, 0};
    return r;
}

#endif
