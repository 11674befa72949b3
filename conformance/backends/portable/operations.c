/* SPDX-License-Identifier: Apache-2.0
 * The table of operations, and what runs one. */
#include "operations.h"
#include "float_entries.h"

#include <float.h>

typedef struct {
    const char* name;
    const char* attributes;
    portable_runner* run;
    const void* how;
} entry;

#define HOW(kind, ...)                                                                                                 \
    &(const portable_##kind) { __VA_ARGS__ }

/* clang-format off */
#define QUANTIZE_ALONG(source, infinity, bytes, element, rule, overflow, kernel_rule, along, axis)                     \
    {"quantize", "source=" #source " element=" #element " scale=e8m0 rule=" #rule                                      \
     " rounding=nearest_even overflow=" #overflow " axis=" along " block=any", portable_run_quantize,                  \
     HOW(blocks, portable_##source##_e8m0_for_##element##_##kernel_rule##_##overflow,                                     \
         portable_quantize_##source##_##element##_##overflow, infinity, bytes, 1, axis)},
#define QUANTIZE_BY(source, infinity, bytes, element, rule, overflow, kernel_rule)                                     \
    QUANTIZE_ALONG(source, infinity, bytes, element, rule, overflow, kernel_rule, "row", ROW)                          \
    QUANTIZE_ALONG(source, infinity, bytes, element, rule, overflow, kernel_rule, "column", COLUMN)
#define QUANTIZE(source, infinity, bytes, element)                                                                     \
    QUANTIZE_BY(source, infinity, bytes, element, ocp_floor, sat, floor)                                               \
    QUANTIZE_BY(source, infinity, bytes, element, ocp_floor, nosat, floor)                                             \
    QUANTIZE_BY(source, infinity, bytes, element, rceil, sat, rceil)
#define SMALL_BLOCKS(element)                                                                                          \
    QUANTIZE_BY(fp32, 0x7F800000u, 4, element, ocp_floor, sat, floor)                                                  \
    QUANTIZE_BY(fp16, 0x7C00u, 2, element, ocp_floor, sat, floor)                                                      \
    QUANTIZE_BY(bf16, 0x7F80u, 2, element, ocp_floor, sat, floor)                                                      \
    QUANTIZE_2D(bf16, 0x7F80u, 2, element, ocp_floor, floor)                                                           \
    DEQUANTIZE(element, fp32, 4)                                                                                       \
    DEQUANTIZE(element, fp16, 2)                                                                                       \
    DEQUANTIZE(element, bf16, 2)                                                                                       \
    DEQUANTIZE(element, fp64, 8)
#define QUANTIZE_2D(source, infinity, bytes, element, rule, kernel_rule)                                               \
    {"quantize_2d", "source=" #source " element=" #element " scale=e8m0 rule=" #rule                                   \
     " rounding=nearest_even overflow=sat tile=32x32", portable_run_quantize_2d,                                       \
     HOW(quantize_2d, {portable_##source##_e8m0_for_##element##_##kernel_rule##_sat,                                      \
                       portable_quantize_##source##_##element##_sat, infinity, bytes, 1, ROW}, {32, 32})},
#define DEQUANTIZE_ALONG(element, target, bytes, along, axis)                                                          \
    {"dequantize", "element=" #element " scale=e8m0 target=" #target " axis=" along " block=any",                      \
     portable_run_dequantize, HOW(blocks, NULL, portable_dequantize_##element##_##target, 0, 1, bytes, axis)},
#define DEQUANTIZE(element, target, bytes)                                                                             \
    DEQUANTIZE_ALONG(element, target, bytes, "row", ROW) DEQUANTIZE_ALONG(element, target, bytes, "column", COLUMN)
#define LAYOUT(name, kind)                                                                                             \
    {"layout", "layout=" #name " direction=arrange", portable_run_layout, HOW(layout, kind, 0)},                       \
    {"layout", "layout=" #name " direction=restore", portable_run_layout, HOW(layout, kind, 1)},
#define STOCHASTIC(element, ...)                                                                                       \
    {"stochastic", "source=fp32 target=" #element " law=stochastic_a32 overflow=sat", portable_run_stochastic,         \
     HOW(stochastic, __VA_ARGS__)},

/* The products of a linear layer: forward, of the gradient by its input, and of the gradient by its weights, added. */
#define PRODUCT_TEXT(a, b, scale, block_a, block_b, transpose, c)                                                      \
    "a=" #a " b=" #b " scale=" scale " block_a=" block_a " block_b=" block_b " transpose=" transpose " c=" c            \
    " output=fp32 accumulator=fp32_multiply_add order=given"
#define PRODUCT(a, b, scale, block_a, block_b, kernel, block, transpose, at, bt, c, has_c)                             \
    {"matmul", PRODUCT_TEXT(a, b, scale, block_a, block_b, transpose, c), portable_run_matmul,                         \
     HOW(matmul, portable_##a##_fp64, portable_##b##_fp64, kernel, block, at, bt, has_c)},
#define UNSCALED "none", "none", "none", NULL, 0
#define MX_SCALED "e8m0", "1x32", "32x1", portable_e8m0_fp64, 32
#define NVFP4_SCALED(scale) #scale, "1x16", "16x1", portable_##scale##_fp64, 16
#define PRODUCT_BY(a, b, scales, ...) PRODUCT_OF(a, b, scales, __VA_ARGS__)
#define PRODUCT_OF(a, b, ...) PRODUCT(a, b, __VA_ARGS__)
#define LINEAR_LAYER(gradient, scales)                                                                                 \
    PRODUCT_BY(e4m3, e4m3, scales, "nt", 0, 1, "none", 0)                                                              \
    PRODUCT_BY(gradient, e4m3, scales, "nn", 0, 0, "none", 0)                                                          \
    PRODUCT_BY(gradient, e4m3, scales, "tn", 1, 0, "fp32", 1)
#define PACKED_NVFP4_PRODUCT(packing, order)                                                                           \
    {"matmul", PRODUCT_TEXT(e2m1, e2m1, "ue4m3", "1x16", "16x1", "nt", "none") " packing=" #packing,                   \
     portable_run_packed_product,                                                                                      \
     HOW(packed_product, order, 4, portable_run_matmul,                                                                \
         HOW(matmul, portable_e2m1_fp64, portable_e2m1_fp64, portable_ue4m3_fp64, 16, 0, 1, 0))},

#define PROMOTED(a, b)                                                                                                 \
    {"matmul", "a=" #a " b=" #b " scale=fp32 block_a=1x128 block_b=128x128 transpose=nt c=none output=fp32"            \
     " accumulator=fp32_scaled_128 order=given", portable_run_matmul_promoted,                                         \
     HOW(matmul_promoted, portable_##a##_fp32, portable_##b##_fp32)},

#define SCALED(a, scales, by_lines, bias, has_bias, output, d_scale, to_e4m3)                                          \
    {"scaled_matmul", "a=" #a " b=e4m3 scales=" scales " transpose=nt bias=" bias " epilogue=product output=" output   \
     " d_scale=" d_scale " amax=" d_scale " accumulator=fp32_multiply_add", portable_run_matmul_scaled,                \
     HOW(matmul_scaled, portable_##a##_fp32, portable_e4m3_fp32, NULL, by_lines, has_bias, to_e4m3, 1)},
#define SCALED_NVFP4_TEXT(bias, epilogue)                                                                              \
    "a=e2m1 b=e2m1 scales=nvfp4 transpose=nt bias=" bias " epilogue=" #epilogue " output=bf16 d_scale=none amax=none"   \
    " accumulator=fp32_multiply_add"
#define SCALED_NVFP4_HOW(has_bias, factor)                                                                             \
    HOW(matmul_scaled, portable_e2m1_fp32, portable_e2m1_fp32, portable_ue4m3_fp32, 0, has_bias, 0, factor)
#define SCALED_NVFP4(bias, has_bias, epilogue, factor)                                                                 \
    {"scaled_matmul", SCALED_NVFP4_TEXT(bias, epilogue), portable_run_matmul_scaled,                                   \
     SCALED_NVFP4_HOW(has_bias, factor)},
#define PACKED_SCALED_NVFP4(bias, has_bias, epilogue, factor, packing, order)                                          \
    {"scaled_matmul", SCALED_NVFP4_TEXT(bias, epilogue) " packing=" #packing, portable_run_packed_product,             \
     HOW(packed_product, order, 4, portable_run_matmul_scaled, SCALED_NVFP4_HOW(has_bias, factor))},
/* 1 / (6 x 6 x 448 x 448) */
#define TE_FACTOR ((float)(1.0 / (6.0 * 6.0 * 448.0 * 448.0)))

#define SCALING(recipe) {"scaling", "recipe=" #recipe, portable_run_scaling, #recipe},

#define NVFP4_ROUNDED(source, recipe, block, rows, columns, output, gives, rounding, elements)                         \
    {"quantize_nvfp4", "source=" #source " recipe=" #recipe " block=" block " tensor_scale=" #output rounding,         \
     portable_run_nvfp4, HOW(nvfp4, source##_SOURCE, &portable_##recipe, {rows, columns}, gives, elements)},
#define NVFP4_AT(...) NVFP4_ROUNDED(__VA_ARGS__, "", NULL)
#define NVFP4(recipe, output, gives)                                                                                   \
    NVFP4_AT(fp32, recipe, "1x16", 1, 16, output, gives)                                                               \
    NVFP4_AT(bf16, recipe, "1x16", 1, 16, output, gives)
#define NVFP4_BACK_BY(recipe, factor, scale, kernel, target, block, rows, columns)                                     \
    {"dequantize_nvfp4", "recipe=" #recipe " target=" #target " block=" block, portable_run_nvfp4_back,                \
     HOW(nvfp4_back, factor, portable_##scale##_fp32, {kernel, target##_TARGET, SCALE_FP32, {rows, columns}})},
#define NVFP4_BACK(recipe, factor, target, block, rows, columns)                                                       \
    NVFP4_BACK_BY(recipe, factor, e4m3, portable_e2m1_fp32, target, block, rows, columns)

#define HADAMARD(source, target, signs, along, axis, direction, inverse)                                               \
    {"hadamard", "source=" #source " target=" #target " signs=" #signs " axis=" along " direction=" #direction,        \
     portable_run_hadamard, HOW(hadamard, source##_SOURCE, target##_TARGET, 0x##signs, axis, inverse)},
/* Quantized after a transform along the blocks. */
#define TRANSFORMED_NVFP4(block, rows, columns, axis, rounding, elements)                                              \
    {"quantize_nvfp4", "source=bf16 recipe=te_nvfp4 block=" block " tensor_scale=decode hadamard=D7E8" rounding,       \
     portable_run_transformed,                                                                                         \
     HOW(transformed, {FROM_BF16, TO_BF16, 0xD7E8, axis, 0}, portable_run_nvfp4,                                       \
         HOW(nvfp4, FROM_BF16, &portable_te_nvfp4, {rows, columns}, NVFP4_GIVES_DECODE, elements))},

/* Shards by given scales. */
#define PARTIAL_CAST_OF(source, element, scale, block, rows, columns, packing, packs)                                  \
    {"partial_cast", "source=" #source " element=" #element " scale=" #scale " block=" block " outside=kept" packing,  \
     portable_run_partial_cast,                                                                                        \
     HOW(partial_cast, source##_SOURCE, portable_fp32_##element##_ne_sat, scale##_GIVEN, {rows, columns}, packs)},
#define PARTIAL_CAST(source, element, scale, block, rows, columns)                                                     \
    PARTIAL_CAST_OF(source, element, scale, block, rows, columns, "", 0)
#define fp32_GIVEN GIVEN_ENCODE
#define e8m0_GIVEN GIVEN_E8M0
#define nvfp4_GIVEN GIVEN_NVFP4

/* The same with elements of fewer bits, packed. */
#define PACKED_QUANTIZE(source, infinity, bytes, element, bits, packing, order)                                        \
    {"quantize", "source=" #source " element=" #element " scale=e8m0 rule=ocp_floor rounding=nearest_even"             \
     " overflow=sat axis=row block=32 packing=" #packing, portable_run_packed,                                         \
     HOW(packed, order, bits, 32, 0, portable_run_quantize,                                                            \
         HOW(blocks, portable_##source##_e8m0_for_##element##_floor_sat, portable_quantize_##source##_##element##_sat, \
             infinity, bytes, 1, ROW))},
#define PACKED_DEQUANTIZE(element, target, bytes, bits, packing, order)                                                \
    {"dequantize", "element=" #element " scale=e8m0 target=" #target " axis=row block=32 packing=" #packing,           \
     portable_run_packed,                                                                                              \
     HOW(packed, order, bits, 32, 1, portable_run_dequantize,                                                          \
         HOW(blocks, NULL, portable_dequantize_##element##_##target, 0, 1, bytes, ROW))},
#define PACKED(element, bits, packing, order)                                                                          \
    PACKED_QUANTIZE(bf16, 0x7F80u, 2, element, bits, packing, order)                                                   \
    PACKED_DEQUANTIZE(element, bf16, 2, bits, packing, order)
#define PACKED_NVFP4(source, recipe, block, rows, columns, output, gives, packing, order)                              \
    {"quantize_nvfp4", "source=" #source " recipe=" #recipe " block=" block " tensor_scale=" #output                   \
     " packing=" #packing, portable_run_packed,                                                                        \
     HOW(packed, order, 4, 16, 0, portable_run_nvfp4,                                                                  \
         HOW(nvfp4, source##_SOURCE, &portable_##recipe, {rows, columns}, gives, NULL))},

/* The same with scales where a matmul library wants them. */
#define LAID_OUT_QUANTIZE(source, infinity, bytes, element, rule, kernel_rule, along, axis, layout, kind)              \
    {"quantize", "source=" #source " element=" #element " scale=e8m0 rule=" #rule " rounding=nearest_even"             \
     " overflow=sat axis=" along " block=32 layout=" #layout, portable_run_laid_out,                                   \
     HOW(laid_out, kind, axis, 32, 0, portable_run_quantize,                                                           \
         HOW(blocks, portable_##source##_e8m0_for_##element##_##kernel_rule##_sat,                                     \
             portable_quantize_##source##_##element##_sat, infinity, bytes, 1, axis))},
#define LAID_OUT_DEQUANTIZE(element, target, bytes, along, axis, layout, kind)                                         \
    {"dequantize", "element=" #element " scale=e8m0 target=" #target " axis=" along " block=32 layout=" #layout,       \
     portable_run_laid_out,                                                                                            \
     HOW(laid_out, kind, axis, 32, 1, portable_run_dequantize,                                                         \
         HOW(blocks, NULL, portable_dequantize_##element##_##target, 0, 1, bytes, axis))},
#define LAID_OUT(source, infinity, bytes, element, along, axis, layout, kind)                                          \
    LAID_OUT_QUANTIZE(source, infinity, bytes, element, rceil, rceil, along, axis, layout, kind)                       \
    LAID_OUT_DEQUANTIZE(element, source, bytes, along, axis, layout, kind)
#define LAID_OUT_PACKED(source, infinity, bytes, element, bits, packing, order, layout, kind)                          \
    {"quantize", "source=" #source " element=" #element " scale=e8m0 rule=ocp_floor rounding=nearest_even"             \
     " overflow=sat axis=row block=32 packing=" #packing " layout=" #layout, portable_run_laid_out,                    \
     HOW(laid_out, kind, ROW, 32, 0, portable_run_packed,                                                              \
         HOW(packed, order, bits, 32, 0, portable_run_quantize,                                                        \
             HOW(blocks, portable_##source##_e8m0_for_##element##_floor_sat,                                           \
                 portable_quantize_##source##_##element##_sat, infinity, bytes, 1, ROW)))},
#define LAID_OUT_NVFP4(source, recipe, output, gives, packing, order, layout, kind)                                    \
    {"quantize_nvfp4", "source=" #source " recipe=" #recipe " block=1x16 tensor_scale=" #output                        \
     " packing=" #packing " layout=" #layout, portable_run_laid_out,                                                   \
     HOW(laid_out, kind, ROW, 16, 0, portable_run_packed,                                                              \
         HOW(packed, order, 4, 16, 0, portable_run_nvfp4,                                                              \
             HOW(nvfp4, source##_SOURCE, &portable_##recipe, {1, 16}, gives, NULL)))},

/* The same of values that are activated first. */
#define ACTIVATED(source, infinity, bytes, element, along, axis, activation, which)                                    \
    {"quantize", "source=" #source " element=" #element " scale=e8m0 rule=rceil rounding=nearest_even overflow=sat"    \
     " axis=" along " block=32 activation=" #activation, portable_run_activated,                                       \
     HOW(activated, source##_SOURCE, which, portable_run_quantize,                                                     \
         HOW(blocks, portable_##source##_e8m0_for_##element##_rceil_sat, portable_quantize_##source##_##element##_sat, \
             infinity, bytes, 1, axis))},

/* A linear layer from bfloat16 or float. */
#define LINEAR(source, recipe, product, left, right, scale, dequantized, c, has_c, output, ...)                        \
    {"linear", "source=" #source " recipe=" #recipe " product=" #product " left=" #left " right=" #right               \
     " scale=" scale " dequantized=" dequantized " c=" c " output=" #output                                            \
     " accumulator=fp32_multiply_add order=given",                                                                     \
     portable_run_linear, HOW(linear, product##_PRODUCT, has_c, output##_OUTPUT, __VA_ARGS__)},
#define fp32_OUTPUT 0
#define bf16_OUTPUT 1
#define fprop_PRODUCT FPROP
#define dgrad_PRODUCT DGRAD
#define wgrad_PRODUCT WGRAD

#define MX_OPERAND(source, infinity, bytes, element, axis, rule)                                                       \
    {portable_run_quantize,                                                                                            \
     HOW(blocks, portable_##source##_e8m0_for_##element##_##rule##_sat, portable_quantize_##source##_##element##_sat,  \
         infinity, bytes, 1, axis),                                                                                    \
     portable_run_dequantize, HOW(blocks, NULL, portable_dequantize_##element##_fp64, 0, 1, 8, axis), 32, 0, 0, NULL}
#define MX_PRODUCT(source, infinity, bytes, recipe, product, left, left_axis, right, right_axis, c, has_c, rule, output)\
    LINEAR(source, recipe, product, left, right, "e8m0", "none", c, has_c, output,                                     \
           MX_OPERAND(source, infinity, bytes, left, left_axis, rule),                                                 \
           MX_OPERAND(source, infinity, bytes, right, right_axis, rule))
#define MX_LAYER(source, infinity, bytes, recipe, gradient, rule, output)                                              \
    MX_PRODUCT(source, infinity, bytes, recipe, fprop, e4m3, ROW, e4m3, ROW, "none", 0, rule, output)                  \
    MX_PRODUCT(source, infinity, bytes, recipe, dgrad, gradient, ROW, e4m3, COLUMN, "none", 0, rule, output)           \
    MX_PRODUCT(source, infinity, bytes, recipe, wgrad, gradient, COLUMN, e4m3, COLUMN, "fp32", 1, rule, output)

#define FLOAT_OPERAND(source, element, how, limit, divides, rows, columns)                                             \
    {portable_run_float_quantize,                                                                                      \
     HOW(float_quantize, source##_SOURCE, how, portable_fp32_##element##_ne_sat, element##_LARGEST, limit, divides, 0, \
         SCALE_FP32, {rows, columns}),                                                                                 \
     portable_run_float_dequantize,                                                                                    \
     HOW(float_dequantize, portable_##element##_fp32, TO_FP32, SCALE_FP32, {rows, columns}), 0, 1, 0, NULL}
#define FLOAT_PRODUCT(source, recipe, how, limit, divides, product, left, left_rows, left_columns, right, right_rows,  \
                      right_columns, c, has_c)                                                                         \
    LINEAR(source, recipe, product, left, right, "fp32", "fp32", c, has_c, fp32,                                       \
           FLOAT_OPERAND(source, left, how, limit, divides, left_rows, left_columns),                                  \
           FLOAT_OPERAND(source, right, how, limit, divides, right_rows, right_columns))
/* Blocks of activations and gradients are `one` x `size`, those of weights `high` x `size`, each along the sum. */
#define FLOAT_LAYER(source, recipe, how, limit, divides, gradient, one, high, size)                                    \
    FLOAT_PRODUCT(source, recipe, how, limit, divides, fprop, e4m3, one, size, e4m3, high, size, "none", 0)            \
    FLOAT_PRODUCT(source, recipe, how, limit, divides, dgrad, gradient, one, size, e4m3, size, high, "none", 0)        \
    FLOAT_PRODUCT(source, recipe, how, limit, divides, wgrad, gradient, size, one, e4m3, size, one, "fp32", 1)

/* Elements times scales of blocks; the amaxes of both tensors come to the sums. */
#define NVFP4_OPERAND(source, recipe, rows, columns, has_amax, ...)                                                    \
    {portable_run_nvfp4, HOW(nvfp4, source##_SOURCE, &portable_##recipe, {rows, columns}, NVFP4_GIVES_NOTHING, NULL),  \
     portable_run_nvfp4_back, HOW(nvfp4_back, NULL, portable_e4m3_fp32,                                                \
     {portable_e2m1_fp32, TO_FP32, SCALE_FP32, {rows, columns}}), 0, 1, has_amax, __VA_ARGS__}
#define TE_NVFP4(recipe, product, left_rows, left_columns, right_rows, right_columns, output, ...)                     \
    LINEAR(bf16, recipe, product, e2m1, e2m1, "ue4m3", "none", "none", 0, output,                                      \
           NVFP4_OPERAND(bf16, te_nvfp4, left_rows, left_columns, 1, __VA_ARGS__),                                     \
           NVFP4_OPERAND(bf16, te_nvfp4, right_rows, right_columns, 1, __VA_ARGS__))

static const entry entries[] = {
    QUANTIZE(fp32, 0x7F800000u, 4, e4m3)
    QUANTIZE(fp32, 0x7F800000u, 4, e5m2)
    QUANTIZE(fp16, 0x7C00u, 2, e4m3)
    QUANTIZE(fp16, 0x7C00u, 2, e5m2)
    QUANTIZE(bf16, 0x7F80u, 2, e4m3)
    QUANTIZE(bf16, 0x7F80u, 2, e5m2)
    QUANTIZE_2D(fp32, 0x7F800000u, 4, e4m3, rceil, rceil)
    QUANTIZE_2D(bf16, 0x7F80u, 2, e4m3, rceil, rceil)
    QUANTIZE_2D(bf16, 0x7F80u, 2, e5m2, rceil, rceil)
    QUANTIZE_2D(bf16, 0x7F80u, 2, e4m3, ocp_floor, floor)
    DEQUANTIZE(e4m3, fp32, 4)
    DEQUANTIZE(e4m3, fp16, 2)
    DEQUANTIZE(e4m3, bf16, 2)
    DEQUANTIZE(e4m3, fp64, 8)
    DEQUANTIZE(e5m2, fp32, 4)
    DEQUANTIZE(e5m2, fp16, 2)
    DEQUANTIZE(e5m2, bf16, 2)
    DEQUANTIZE(e5m2, fp64, 8)
    SMALL_BLOCKS(e3m2)
    SMALL_BLOCKS(e2m3)
    SMALL_BLOCKS(e2m1)
    SMALL_BLOCKS(int8)
    NVFP4(te_nvfp4, decode, NVFP4_GIVES_DECODE)
    NVFP4_AT(fp16, te_nvfp4, "1x16", 1, 16, decode, NVFP4_GIVES_DECODE)
    NVFP4_AT(bf16, te_nvfp4, "16x1", 16, 1, decode, NVFP4_GIVES_DECODE)
    NVFP4_AT(bf16, te_nvfp4, "16x16", 16, 16, decode, NVFP4_GIVES_DECODE)
    NVFP4_AT(bf16, te_nvfp4_4over6, "1x16", 1, 16, decode, NVFP4_GIVES_DECODE)
    NVFP4_AT(fp32, te_nvfp4_4over6_448_mse, "16x16", 16, 16, decode, NVFP4_GIVES_DECODE)
    NVFP4(torchao_nvfp4, decode, NVFP4_GIVES_DECODE)
    NVFP4(torchao_nvfp4_one_level, none, NVFP4_GIVES_NOTHING)
    NVFP4(modelopt_nvfp4, decode, NVFP4_GIVES_DECODE)
    NVFP4(autoround_nvfp4_e5m3, none, NVFP4_GIVES_NOTHING)
    NVFP4_BACK_BY(autoround_nvfp4_e5m3, NULL, ue5m3, portable_e2m1_fp32, fp32, "1x16", 1, 16)
    NVFP4_BACK_BY(autoround_nvfp4_e5m3, NULL, ue5m3, portable_e2m1_fp32, bf16, "1x16", 1, 16)
    NVFP4_AT(fp32, compressed_tensors_nvfp4, "1x16", 1, 16, encode, NVFP4_GIVES_ENCODE)
    NVFP4_AT(bf16, compressed_tensors_nvfp4_bf16, "1x16", 1, 16, encode, NVFP4_GIVES_ENCODE)
    NVFP4_BACK(te_nvfp4, portable_nvfp4_times_amax, fp32, "1x16", 1, 16)
    NVFP4_BACK(te_nvfp4, portable_nvfp4_times_amax, bf16, "1x16", 1, 16)
    NVFP4_BACK(te_nvfp4, portable_nvfp4_times_amax, bf16, "16x1", 16, 1)
    NVFP4_BACK(te_nvfp4, portable_nvfp4_times_amax, fp16, "16x16", 16, 16)
    NVFP4_BACK(torchao_nvfp4, portable_nvfp4_times_decode, bf16, "1x16", 1, 16)
    NVFP4_BACK(torchao_nvfp4_one_level, NULL, bf16, "1x16", 1, 16)
    NVFP4_BACK_BY(modelopt_nvfp4, portable_nvfp4_times_decode, e4m3, portable_e2m1_fp32_no_minus_zero, fp32, "1x16", 1, 16)
    NVFP4_BACK(compressed_tensors_nvfp4, portable_nvfp4_over_encode, bf16, "1x16", 1, 16)
    TRANSFORMED_NVFP4("1x16", 1, 16, ROW, "", NULL)
    TRANSFORMED_NVFP4("16x1", 16, 1, COLUMN, "", NULL)
    TRANSFORMED_NVFP4("16x1", 16, 1, COLUMN, " rounding=stochastic_a16", portable_fp32_e2m1_at_random_a16)
    NVFP4_ROUNDED(bf16, te_nvfp4, "1x16", 1, 16, decode, NVFP4_GIVES_DECODE, " rounding=stochastic_a16", portable_fp32_e2m1_at_random_a16)
    NVFP4_ROUNDED(bf16, te_nvfp4, "1x16", 1, 16, decode, NVFP4_GIVES_DECODE, " rounding=stochastic_a16_pairs", portable_fp32_e2m1_at_random_a16_pairs)
    HADAMARD(bf16, bf16, D7E8, "row", ROW, forward, 0)
    HADAMARD(bf16, bf16, D7E8, "column", COLUMN, forward, 0)
    HADAMARD(bf16, bf16, D7E8, "row", ROW, inverse, 1)
    HADAMARD(bf16, fp32, 0000, "row", ROW, forward, 0)
    HADAMARD(fp16, fp16, 8001, "column", COLUMN, inverse, 1)
    HADAMARD(fp32, fp16, 1234, "row", ROW, forward, 0)
    HADAMARD(fp32, fp32, D7E8, "row", ROW, forward, 0)
    PARTIAL_CAST(fp32, e4m3, fp32, "128x128", 128, 128)
    PARTIAL_CAST(bf16, e4m3, fp32, "128x128", 128, 128)
    PARTIAL_CAST(fp16, e5m2, fp32, "128x128", 128, 128)
    PARTIAL_CAST(fp32, e4m3, e8m0, "1x32", 1, 32)
    PARTIAL_CAST(fp32, e4m3, e8m0, "32x1", 32, 1)
    PARTIAL_CAST(bf16, e4m3, e8m0, "1x32", 1, 32)
    PARTIAL_CAST(bf16, e4m3, e8m0, "32x1", 32, 1)
    PARTIAL_CAST(fp32, e2m1, nvfp4, "16x16", 16, 16)
    PARTIAL_CAST_OF(bf16, e2m1, nvfp4, "16x16", 16, 16, " packing=low_first", 1)
    PACKED(e2m1, 4, low_first, PACKED_LOW_FIRST)
    PACKED(e2m1, 4, high_first, PACKED_HIGH_FIRST)
    PACKED(e2m1, 4, halves, PACKED_HALVES)
    PACKED(e3m2, 6, low_first, PACKED_LOW_FIRST)
    PACKED(e2m3, 6, low_first, PACKED_LOW_FIRST)
    PACKED_NVFP4(bf16, te_nvfp4, "1x16", 1, 16, decode, NVFP4_GIVES_DECODE, low_first, PACKED_LOW_FIRST)
    LAID_OUT(bf16, 0x7F80u, 2, e4m3, "row", ROW, swizzle_128x4, SWIZZLE_128X4)
    LAID_OUT(bf16, 0x7F80u, 2, e4m3, "column", COLUMN, swizzle_128x4_columnwise, SWIZZLE_128X4_COLUMNWISE)
    LAID_OUT(fp32, 0x7F800000u, 4, e5m2, "row", ROW, swizzle_128x4, SWIZZLE_128X4)
    LAID_OUT_PACKED(bf16, 0x7F80u, 2, e2m1, 4, low_first, PACKED_LOW_FIRST, swizzle_128x4, SWIZZLE_128X4)
    LAID_OUT_NVFP4(bf16, te_nvfp4, decode, NVFP4_GIVES_DECODE, low_first, PACKED_LOW_FIRST, swizzle_128x4, SWIZZLE_128X4)
    ACTIVATED(bf16, 0x7F80u, 2, e4m3, "row", ROW, relu, RELU)
    ACTIVATED(bf16, 0x7F80u, 2, e4m3, "row", ROW, srelu, SRELU)
    ACTIVATED(bf16, 0x7F80u, 2, e5m2, "column", COLUMN, srelu, SRELU)
    ACTIVATED(fp16, 0x7C00u, 2, e4m3, "column", COLUMN, relu, RELU)
    ACTIVATED(fp16, 0x7C00u, 2, e4m3, "row", ROW, srelu, SRELU)
    ACTIVATED(fp32, 0x7F800000u, 4, e4m3, "row", ROW, srelu, SRELU)
    LAYOUT(padded_128x4, PADDED_128X4)
    LAYOUT(padded_4x128, PADDED_4X128)
    LAYOUT(swizzle_128x4, SWIZZLE_128X4)
    LAYOUT(swizzle_128x4_columnwise, SWIZZLE_128X4_COLUMNWISE)
    LINEAR_LAYER(e5m2, UNSCALED)
    LINEAR_LAYER(e5m2, MX_SCALED)
    PRODUCT_BY(e2m1, e2m1, MX_SCALED, "nt", 0, 1, "none", 0)
    PRODUCT_BY(e4m3, e2m1, MX_SCALED, "nt", 0, 1, "none", 0)
    PRODUCT_BY(e3m2, e2m3, MX_SCALED, "nn", 0, 0, "fp32", 1)
    PRODUCT_BY(int8, int8, MX_SCALED, "nt", 0, 1, "none", 0)
    PRODUCT_BY(e2m1, e2m1, NVFP4_SCALED(ue4m3), "nt", 0, 1, "none", 0)
    PRODUCT_BY(e2m1, e2m1, NVFP4_SCALED(e4m3), "nn", 0, 0, "fp32", 1)
    PACKED_NVFP4_PRODUCT(low_first, PACKED_LOW_FIRST)
    PROMOTED(e4m3, e4m3)
    SCALED(e4m3, "tensor", 0, "bf16", 1, "bf16", "none", 0)
    SCALED(e4m3, "line", 1, "none", 0, "bf16", "none", 0)
    SCALED(e5m2, "tensor", 0, "none", 0, "e4m3", "fp32", 1)
    SCALED_NVFP4("bf16", 1, product, 1)
    PACKED_SCALED_NVFP4("none", 0, te_nvfp4, TE_FACTOR, low_first, PACKED_LOW_FIRST)
    MX_LAYER(bf16, 0x7F80u, 2, te_mxfp8, e4m3, rceil, fp32)
    MX_LAYER(bf16, 0x7F80u, 2, te_mxfp8_hybrid, e5m2, rceil, fp32)
    MX_LAYER(fp32, 0x7F800000u, 4, te_mxfp8_hybrid, e5m2, rceil, fp32)
    MX_LAYER(bf16, 0x7F80u, 2, nvidia_pretraining, e4m3, rceil, bf16)
    MX_LAYER(bf16, 0x7F80u, 2, nvidia_pretraining_e5m2_gradients, e5m2, rceil, fp32)
    MX_LAYER(bf16, 0x7F80u, 2, ocp_mxfp8, e4m3, floor, bf16)
    FLOAT_LAYER(bf16, absmax, portable_absmax, 0, 1, e5m2, 0, 0, 0)
    FLOAT_LAYER(bf16, nexus_32, portable_absmax, 0, 1, e5m2, 1, 1, 32)
    FLOAT_LAYER(bf16, deepseek_v3, portable_deepseek, 0, 1, e4m3, 1, 128, 128)
    TE_NVFP4(te_nvfp4, fprop, 1, 16, 16, 16, bf16, NULL)
    TE_NVFP4(te_nvfp4, dgrad, 1, 16, 16, 16, bf16, NULL)
    TE_NVFP4(te_nvfp4, wgrad, 16, 1, 16, 1, fp32, NULL)
    TE_NVFP4(te_nvfp4_hadamard, wgrad, 16, 1, 16, 1, fp32, HOW(hadamard, FROM_BF16, TO_BF16, 0xD7E8, COLUMN, 0))
    TE_NVFP4(te_nvfp4_1d_weights, fprop, 1, 16, 1, 16, bf16, NULL)
    LINEAR(fp32, torchao_nvfp4_one_level, fprop, e2m1, e2m1, "ue4m3", "fp32", "none", 0, fp32,
           NVFP4_OPERAND(fp32, torchao_nvfp4_one_level, 1, 16, 0, NULL), NVFP4_OPERAND(fp32, torchao_nvfp4_one_level, 1, 16, 0, NULL))
    FLOAT_LAYER(bf16, te_float8_block, portable_te_power_of_two, FLT_MAX, 0, e4m3, 1, 128, 128)
    STOCHASTIC(e4m3, 3, 7, 0x7E, 0x7F, 0x7F, 0x80)
    STOCHASTIC(e5m2, 2, 15, 0x7B, 0x7C, 0x7F, 0x80)
    STOCHASTIC(e2m1, 1, 1, 0x07, 0x07, 0x07, 0x08)
    SCALING(te_delayed)
    SCALING(te_delayed_4)
    SCALING(te_delayed_4_backward)
    SCALING(te_delayed_4_margin_1)
    SCALING(te_delayed_4_margin_1_of_quotient)
    SCALING(te_delayed_4_margin_2)
    SCALING(te_delayed_most_recent_4)
    SCALING(te_current)
    SCALING(te_current_power_of_two)
    SCALING(torchao_dynamic)
    SCALING(torchao_delayed)
    SCALING(factor_current)
    SCALING(factor_maximum_4)
    SCALING(factor_maximum_4_backward)
    SCALING(factor_maximum_4_factor_3)
    SCALING(factor_maximum_4_earlier)
    SCALING(factor_maximum_4_interval_3)
    SCALING(factor_maximum_4_remember_3)
    SCALING(factor_maximum_4_interval_2_remember_3)
    SCALING(factor_running_average_remember_2)
    SCALING(factor_maximum_4_finite)
    SCALING(factor_maximum_4_one)
    SCALING(factor_maximum_4_computed)
    SCALING(factor_maximum_4_scale_first)
    SCALING(factor_maximum_4_reciprocal)
    SCALING(factor_moving_average_4)
    SCALING(factor_running_average)
    SCALING(factor_running_average_finite)
    SCALING(factor_nearest_rank_8)
    SCALING(factor_linear_rank_8)
    SCALING(factor_linear_rank_8_zeros)
    SCALING(factor_linear_rank_8_three_quarters)
    TE(fp32, e4m3, te_float8_block, portable_te_power_of_two, FLT_MAX)
    TE(fp32, e5m2, te_float8_block, portable_te_power_of_two, FLT_MAX)
    TE(bf16, e4m3, te_float8_block, portable_te_power_of_two, FLT_MAX)
    TE(bf16, e5m2, te_float8_block, portable_te_power_of_two, FLT_MAX)
    TE(fp32, e4m3, te_float8_block_fp32_scales, portable_te, FLT_MAX)
    TE(fp32, e5m2, te_float8_block_fp32_scales, portable_te, FLT_MAX)
    TE(bf16, e4m3, te_float8_block_fp32_scales_bf16, portable_te, BF16_MAX)
    TE(bf16, e5m2, te_float8_block_fp32_scales_bf16, portable_te, BF16_MAX)
    DEEPSEEK(fp32)
    DEEPSEEK(bf16)
    DEEPGEMM(fp32, fp32, deepgemm, portable_deepgemm)
    DEEPGEMM(bf16, fp32, deepgemm, portable_deepgemm)
    DEEPGEMM(fp32, fp32, deepgemm_ue8m0, portable_deepgemm_power_of_two)
    DEEPGEMM(bf16, fp32, deepgemm_ue8m0, portable_deepgemm_power_of_two)
    DEEPGEMM(bf16, e8m0, deepgemm_ue8m0, portable_deepgemm_power_of_two)
    NEXUS(fp32, e4m3) NEXUS(fp32, e5m2)
    NEXUS(fp16, e4m3) NEXUS(fp16, e5m2)
    NEXUS(bf16, e4m3) NEXUS(bf16, e5m2)
    ABSMAX(fp32, e4m3, fp32)
    ABSMAX(fp32, e5m2, fp32)
    ABSMAX(fp32, e4m3, fp16)
    ABSMAX(fp32, e4m3, bf16)
    ABSMAX_AT(fp32, e4m3, fp32, "16x16", 16, 16)
    DEQUANTIZE_FLOAT(e4m3)
    DEQUANTIZE_FLOAT(e5m2)
    FLOAT_DEQUANTIZE(e4m3, e8m0, "1x128", 1, 128)
    FLOAT_DEQUANTIZE(e4m3, e8m0, "128x128", 128, 128)
};
/* clang-format on */
enum { entry_count = sizeof entries / sizeof entries[0] };

mxcert_operation portable_operations[entry_count];
const uint32_t portable_operation_count = entry_count;

static const char* error = NULL;

const char* portable_run_error(void) { return error; }

void portable_make_operations(void) {
    for (uint32_t i = 0; i < entry_count; ++i) {
        portable_operations[i].struct_size = sizeof(mxcert_operation);
        portable_operations[i].name = entries[i].name;
        portable_operations[i].attributes = entries[i].attributes;
    }
}

int32_t portable_run(const mxcert_run_args* args) {
    if (args->operation >= entry_count) return portable_fail(MXCERT_ERROR, "no such operation", &error);
    const entry* asked = &entries[args->operation];
    return asked->run(asked->how, args, &error);
}
