/* SPDX-License-Identifier: Apache-2.0
 * Entries of the table of operations (operations.c): blocks with a float scale, and the names that others have in
 * common with them. */
#ifndef MXCERT_PORTABLE_FLOAT_ENTRIES_H
#define MXCERT_PORTABLE_FLOAT_ENTRIES_H

/* clang-format off */
/* The sources and elements, what becomes of an inverse scale beyond float, and the sides of a block. */
#define fp32_SOURCE FROM_FP32
#define fp16_SOURCE FROM_FP16
#define bf16_SOURCE FROM_BF16
#define e4m3_LARGEST 448.0f
#define e5m2_LARGEST 57344.0f
#define fp32_KIND SCALE_FP32
#define fp16_KIND SCALE_FP16
#define bf16_KIND SCALE_BF16
#define e8m0_KIND SCALE_E8M0
#define fp32_TARGET TO_FP32
#define fp16_TARGET TO_FP16
#define bf16_TARGET TO_BF16
#define fp64_TARGET TO_FP64
#define BF16_MAX 0x1.FEp127f

#define FLOAT_QUANTIZE(source, element, scale, recipe, block, rows, columns, how, overflow, limit, divides, nan)       \
    {"quantize_float", "source=" #source " element=" #element " scale=" #scale " recipe=" #recipe " block=" block,     \
     portable_run_float_quantize,                                                                                      \
     HOW(float_quantize, source##_SOURCE, how, portable_fp32_##element##_ne_##overflow, element##_LARGEST, limit,      \
         divides, nan, scale##_KIND, {rows, columns})},
#define FLOAT_DEQUANTIZE_TO(element, scale, target, block, rows, columns)                                              \
    {"dequantize_float", "element=" #element " scale=" #scale " target=" #target " block=" block,                      \
     portable_run_float_dequantize,                                                                                    \
     HOW(float_dequantize, portable_##element##_fp32, target##_TARGET, scale##_KIND, {rows, columns})},
#define FLOAT_DEQUANTIZE(element, scale, block, rows, columns)                                                         \
    FLOAT_DEQUANTIZE_TO(element, scale, fp32, block, rows, columns)

#define TE(source, element, recipe, how, limit)                                                                        \
    FLOAT_QUANTIZE(source, element, fp32, recipe, "1x128", 1, 128, how, sat, limit, 0, 0)                              \
    FLOAT_QUANTIZE(source, element, fp32, recipe, "128x1", 128, 1, how, sat, limit, 0, 0)                              \
    FLOAT_QUANTIZE(source, element, fp32, recipe, "128x128", 128, 128, how, sat, limit, 0, 0)
#define DEEPSEEK(source)                                                                                               \
    FLOAT_QUANTIZE(source, e4m3, fp32, deepseek_v3, "1x128", 1, 128, portable_deepseek, sat, 0, 1, 0)                  \
    FLOAT_QUANTIZE(source, e4m3, fp32, deepseek_v3, "128x128", 128, 128, portable_deepseek, sat, 0, 1, 0)
#define DEEPGEMM(source, scale, recipe, how)                                                                           \
    FLOAT_QUANTIZE(source, e4m3, scale, recipe, "1x128", 1, 128, how, nosat, 0, 0, 1)                                  \
    FLOAT_QUANTIZE(source, e4m3, scale, recipe, "128x128", 128, 128, how, nosat, 0, 0, 1)
#define NEXUS(source, element)                                                                                         \
    FLOAT_QUANTIZE(source, element, fp32, nexus_16, "1x16", 1, 16, portable_absmax, sat, 0, 1, 0)                      \
    FLOAT_QUANTIZE(source, element, fp32, nexus_32, "1x32", 1, 32, portable_absmax, sat, 0, 1, 0)                      \
    FLOAT_QUANTIZE(source, element, fp32, nexus_64, "1x64", 1, 64, portable_absmax, sat, 0, 1, 0)
#define ABSMAX_AT(source, element, scale, block, rows, columns)                                                        \
    FLOAT_QUANTIZE(source, element, scale, absmax, block, rows, columns, portable_absmax, sat, 0, 1, 0)
#define ABSMAX(source, element, scale)                                                                                 \
    ABSMAX_AT(source, element, scale, "*x*", 0, 0)                                                                     \
    ABSMAX_AT(source, element, scale, "1x*", 1, 0)                                                                     \
    ABSMAX_AT(source, element, scale, "*x1", 0, 1)
#define DEQUANTIZE_SHAPES(element, scale)                                                                              \
    FLOAT_DEQUANTIZE(element, scale, "*x*", 0, 0)                                                                      \
    FLOAT_DEQUANTIZE(element, scale, "1x*", 1, 0)                                                                      \
    FLOAT_DEQUANTIZE(element, scale, "*x1", 0, 1)
#define DEQUANTIZE_TARGETS(element, target)                                                                            \
    FLOAT_DEQUANTIZE_TO(element, fp32, target, "1x128", 1, 128)                                                        \
    FLOAT_DEQUANTIZE_TO(element, fp32, target, "128x128", 128, 128)                                                    \
    FLOAT_DEQUANTIZE_TO(element, fp32, target, "*x*", 0, 0)
#define DEQUANTIZE_FLOAT(element)                                                                                      \
    FLOAT_DEQUANTIZE(element, fp32, "1x16", 1, 16)                                                                     \
    FLOAT_DEQUANTIZE(element, fp32, "1x32", 1, 32)                                                                     \
    FLOAT_DEQUANTIZE(element, fp32, "1x64", 1, 64)                                                                     \
    FLOAT_DEQUANTIZE(element, fp32, "1x128", 1, 128)                                                                   \
    FLOAT_DEQUANTIZE(element, fp32, "128x1", 128, 1)                                                                   \
    FLOAT_DEQUANTIZE(element, fp32, "128x128", 128, 128)                                                               \
    DEQUANTIZE_TARGETS(element, fp16)                                                                                  \
    DEQUANTIZE_TARGETS(element, bf16)                                                                                  \
    DEQUANTIZE_TARGETS(element, fp64)                                                                                  \
    DEQUANTIZE_SHAPES(element, fp32)                                                                                   \
    DEQUANTIZE_SHAPES(element, fp16)                                                                                   \
    DEQUANTIZE_SHAPES(element, bf16)
/* clang-format on */

#endif
