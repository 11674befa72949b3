/* SPDX-License-Identifier: Apache-2.0
 * Matrices in blocks along their rows or columns. The amax is found among the bits of the magnitudes, NaN left out; the
 * scale and the elements come from the kernels of single values. */
#include "blocks.h"

#include "layout.h"
#include "portable.h"
#include "stochastic.h"

enum { ROW, COLUMN };
enum { LARGEST_BLOCK = 1024 };

typedef struct {
    const char* name;
    const char* attributes;
    portable_kernel* scale;        /* quantize: an amax to the scale */
    portable_scaled_kernel* value; /* a value to its element, or back */
    uint32_t infinity;             /* the bits of the source's Inf; quantize only */
    uint32_t from;                 /* bytes of a value that comes in */
    uint32_t to;                   /* bytes of one that goes out */
    int axis;
    int kind;     /* layout only: of the layout */
    int restores; /* layout only */
} entry;

enum { STOCHASTIC_E4M3 = -1, STOCHASTIC_E5M2 = -2 }; /* in the place of a layout's kind */

/* clang-format off */
#define QUANTIZE_ALONG(source, infinity, bytes, element, rule, overflow, kernel_rule, along, axis)                     \
    {"quantize", "source=" #source " element=" #element " scale=e8m0 rule=" #rule                                      \
     " rounding=nearest_even overflow=" #overflow " axis=" along " block=any",                                         \
     portable_##source##_scale_##element##_##kernel_rule##_##overflow,                                                 \
     portable_quantize_##source##_##element##_##overflow, infinity, bytes, 1, axis, 0, 0},
#define QUANTIZE_BY(source, infinity, bytes, element, rule, overflow, kernel_rule)                                     \
    QUANTIZE_ALONG(source, infinity, bytes, element, rule, overflow, kernel_rule, "row", ROW)                          \
    QUANTIZE_ALONG(source, infinity, bytes, element, rule, overflow, kernel_rule, "column", COLUMN)
#define QUANTIZE(source, infinity, bytes, element)                                                                     \
    QUANTIZE_BY(source, infinity, bytes, element, ocp_floor, sat, floor)                                               \
    QUANTIZE_BY(source, infinity, bytes, element, ocp_floor, nosat, floor)                                             \
    QUANTIZE_BY(source, infinity, bytes, element, rceil, sat, rceil)
#define DEQUANTIZE_ALONG(element, target, bytes, along, axis)                                                          \
    {"dequantize", "element=" #element " scale=e8m0 target=" #target " axis=" along " block=any",                      \
     NULL, portable_dequantize_##element##_##target, 0, 1, bytes, axis, 0, 0},
#define DEQUANTIZE(element, target, bytes)                                                                             \
    DEQUANTIZE_ALONG(element, target, bytes, "row", ROW) DEQUANTIZE_ALONG(element, target, bytes, "column", COLUMN)
#define LAYOUT(name, kind)                                                                                             \
    {"layout", "layout=" #name " direction=arrange", NULL, NULL, 0, 1, 1, 0, kind, 0},                                 \
    {"layout", "layout=" #name " direction=restore", NULL, NULL, 0, 1, 1, 0, kind, 1},

static const entry entries[] = {
    QUANTIZE(fp32, 0x7F800000u, 4, e4m3)
    QUANTIZE(fp32, 0x7F800000u, 4, e5m2)
    QUANTIZE(fp16, 0x7C00u, 2, e4m3)
    QUANTIZE(fp16, 0x7C00u, 2, e5m2)
    QUANTIZE(bf16, 0x7F80u, 2, e4m3)
    QUANTIZE(bf16, 0x7F80u, 2, e5m2)
    DEQUANTIZE(e4m3, fp32, 4)
    DEQUANTIZE(e4m3, fp16, 2)
    DEQUANTIZE(e4m3, bf16, 2)
    DEQUANTIZE(e4m3, fp64, 8)
    DEQUANTIZE(e5m2, fp32, 4)
    DEQUANTIZE(e5m2, fp16, 2)
    DEQUANTIZE(e5m2, bf16, 2)
    DEQUANTIZE(e5m2, fp64, 8)
    LAYOUT(padded_128x4, PADDED_128X4)
    LAYOUT(padded_4x128, PADDED_4X128)
    LAYOUT(swizzle_128x4, SWIZZLE_128X4)
    LAYOUT(swizzle_128x4_columnwise, SWIZZLE_128X4_COLUMNWISE)
    {"stochastic", "source=fp32 target=e4m3 law=stochastic_a32 overflow=sat", NULL, NULL, 0, 4, 1, 0, STOCHASTIC_E4M3, 0},
    {"stochastic", "source=fp32 target=e5m2 law=stochastic_a32 overflow=sat", NULL, NULL, 0, 4, 1, 0, STOCHASTIC_E5M2, 0},
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

static int32_t fail(int32_t status, const char* why) {
    error = why;
    return status;
}

/* Values of a block, one after the other: every `stride`-th of those in memory. */
typedef struct {
    unsigned char* first;
    uint64_t stride;
    uint64_t count;
} line;

static void gather(void* to, line from, uint32_t bytes) {
    for (uint64_t i = 0; i < from.count; ++i)
        memcpy((unsigned char*)to + i * bytes, from.first + i * from.stride * bytes, bytes);
}

static void scatter(line to, const void* from, uint32_t bytes) {
    for (uint64_t i = 0; i < to.count; ++i)
        memcpy(to.first + i * to.stride * bytes, (const unsigned char*)from + i * bytes, bytes);
}

/* The bits of the largest magnitude that is no NaN; 0 if there is none. */
static uint32_t amax_of(const void* values, uint64_t count, uint32_t bytes, uint32_t infinity) {
    uint32_t amax = 0;
    for (uint64_t i = 0; i < count; ++i) {
        uint32_t magnitude;
        if (bytes == 4) {
            memcpy(&magnitude, (const unsigned char*)values + i * 4, 4);
            magnitude &= 0x7FFFFFFFu;
        } else {
            uint16_t narrow;
            memcpy(&narrow, (const unsigned char*)values + i * 2, 2);
            magnitude = narrow & 0x7FFFu;
        }
        if (magnitude <= infinity && magnitude > amax) amax = magnitude;
    }
    return amax;
}

static uint8_t scale_of(const entry* e, const void* values, uint64_t count) {
    const uint32_t amax = amax_of(values, count, e->from, e->infinity);
    const uint16_t narrow = (uint16_t)amax;
    uint8_t scale;
    e->scale(e->from == 4 ? (const void*)&amax : (const void*)&narrow, &scale, 1);
    return scale;
}

int32_t portable_run(const mxcert_run_args* args) {
    if (args->operation >= entry_count) return fail(MXCERT_ERROR, "no such operation");
    const entry* e = &entries[args->operation];
    const int quantizes = e->scale != NULL;
    if (e->kind < 0) {
        if (args->input_count != 1 || args->output_count != 1 || args->inputs[0].count != args->outputs[0].count)
            return fail(MXCERT_ERROR, "arrays of different sizes");
        (e->kind == STOCHASTIC_E4M3 ? portable_stochastic_e4m3 : portable_stochastic_e5m2)(
            args->inputs[0].data, args->outputs[0].data, args->inputs[0].count);
        return MXCERT_OK;
    }
    const uint64_t rows = args->shape[0];
    const uint64_t columns = args->shape[1];
    const uint64_t block = args->shape[2];
    if (rows == 0 || columns == 0) return fail(MXCERT_UNSUPPORTED, "a matrix without elements");
    if (e->value == NULL) {
        if (args->input_count != 1 || args->output_count != 1 ||
            !portable_layout((portable_layout_kind)e->kind, e->restores, rows, columns, args->inputs[0].data,
                             args->inputs[0].count, args->outputs[0].data, args->outputs[0].count))
            return fail(MXCERT_ERROR, "arrays of other sizes than the scales");
        return MXCERT_OK;
    }
    if (block == 0 || block > LARGEST_BLOCK) return fail(MXCERT_UNSUPPORTED, "a block has 1 to 1024 elements");
    if (args->input_count != (quantizes ? 1u : 2u) || args->output_count != (quantizes ? 2u : 1u))
        return fail(MXCERT_ERROR, "wrong number of arrays");

    /* Lines are rows or columns; the blocks of a line follow each other at `step`. */
    const uint64_t lines = e->axis == ROW ? rows : columns;
    const uint64_t length = e->axis == ROW ? columns : rows;
    const uint64_t stride = e->axis == ROW ? 1 : columns;
    const uint64_t next_line = e->axis == ROW ? columns : 1;
    const uint64_t blocks = (length + block - 1) / block;
    unsigned char* in = args->inputs[0].data;
    unsigned char* out = args->outputs[0].data;
    uint8_t* scales = quantizes ? args->outputs[1].data : args->inputs[1].data;
    _Alignas(8) unsigned char before[LARGEST_BLOCK * 8];
    _Alignas(8) unsigned char after[LARGEST_BLOCK * 8];
    for (uint64_t l = 0; l < lines; ++l) {
        for (uint64_t b = 0; b < blocks; ++b) {
            const uint64_t first = l * next_line + b * block * stride;
            const uint64_t count = length - b * block < block ? length - b * block : block;
            uint8_t* scale = &scales[e->axis == ROW ? l * blocks + b : b * columns + l];
            gather(before, (line){in + first * e->from, stride, count}, e->from);
            if (quantizes) *scale = scale_of(e, before, count);
            e->value(before, after, count, *scale);
            scatter((line){out + first * e->to, stride, count}, after, e->to);
        }
    }
    return MXCERT_OK;
}
