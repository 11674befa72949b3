/* SPDX-License-Identifier: Apache-2.0
 * Matrices in blocks along their rows or columns. The amax is found among the bits of the magnitudes, NaN left out; the
 * scale and the elements come from the kernels of single values. */
#include "narrow.h"
#include "operations.h"

#include <stdlib.h>

enum { LARGEST_BLOCK = 1024 };
/* Values of one call: they stay in the nearest cache between amax and elements. */
enum { MOST_TOGETHER = 4096 };

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

/* The bits of the largest magnitude of each block that is no NaN; 0 if there is none. Signed, as the compares of
 * vectors are. */
#define AMAX_OF(word, magnitude_mask, count)                                                                           \
    int32_t amax = 0;                                                                                                  \
    for (uint64_t i = 0; i < (count); ++i, values += sizeof(word)) {                                                   \
        word bits;                                                                                                     \
        memcpy(&bits, values, sizeof bits);                                                                            \
        const int32_t magnitude = (int32_t)(bits & (magnitude_mask));                                                  \
        const int32_t number = magnitude <= infinity ? magnitude : 0;                                                  \
        amax = number > amax ? number : amax;                                                                          \
    }                                                                                                                  \
    amaxes[b] = (word)amax;
/* NOLINTBEGIN(bugprone-macro-parentheses): a type takes none */
#define AMAX_PARAMETERS(word)                                                                                          \
    (const unsigned char* values, uint64_t block, uint64_t blocks, int32_t infinity, word* amaxes)
/* NOLINTEND(bugprone-macro-parentheses) */
/* The usual block has a length that the compiler knows. */
#define AMAX_LOOPS(word, magnitude_mask)                                                                               \
    for (uint64_t b = 0; b < blocks; ++b) {                                                                            \
        if (block == 32) {                                                                                             \
            AMAX_OF(word, magnitude_mask, 32)                                                                          \
        } else {                                                                                                       \
            AMAX_OF(word, magnitude_mask, block)                                                                       \
        }                                                                                                              \
    }

#if defined(PORTABLE_WIDE)
#define AMAXES(name, word, magnitude_mask)                                                                             \
    static void name##_sse2 AMAX_PARAMETERS(word) { AMAX_LOOPS(word, magnitude_mask) }                                 \
    __attribute__((target("avx2"))) static void name##_avx2 AMAX_PARAMETERS(word) { AMAX_LOOPS(word, magnitude_mask) } \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) static void name##_avx512 AMAX_PARAMETERS(word) {    \
        AMAX_LOOPS(word, magnitude_mask)                                                                               \
    }                                                                                                                  \
    static void name AMAX_PARAMETERS(word) {                                                                           \
        (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&                                   \
                 __builtin_cpu_supports("avx512bw")                                                                    \
             ? name##_avx512                                                                                           \
         : __builtin_cpu_supports("avx2") ? name##_avx2                                                                \
                                          : name##_sse2)(values, block, blocks, infinity, amaxes);                     \
    }
#else
#define AMAXES(name, word, magnitude_mask)                                                                             \
    static void name AMAX_PARAMETERS(word) { AMAX_LOOPS(word, magnitude_mask) }
#endif
AMAXES(amaxes_of_words, uint32_t, 0x7FFFFFFFu)
AMAXES(amaxes_of_halves, uint16_t, 0x7FFFu)

/* The scales of blocks of that size one after the other: their amaxes, which the kernel takes in one call. */
static void scales_of(const portable_blocks* e, const unsigned char* values, uint64_t block, uint64_t blocks,
                      uint8_t* scales) {
    enum { TOGETHER = 128 };
    uint32_t words[TOGETHER];
    uint16_t halves[TOGETHER];
    for (uint64_t done = 0; done < blocks; done += TOGETHER) {
        const uint64_t count = blocks - done < TOGETHER ? blocks - done : TOGETHER;
        const unsigned char* const first = values + done * block * e->from;
        if (e->from == 4) {
            amaxes_of_words(first, block, count, (int32_t)e->infinity, words);
            e->scale(words, scales + done, count);
        } else {
            amaxes_of_halves(first, block, count, (int32_t)e->infinity, halves);
            e->scale(halves, scales + done, count);
        }
    }
}

uint8_t portable_scale_of(const portable_blocks* e, const void* values, uint64_t count) {
    uint8_t scale;
    scales_of(e, values, count, 1, &scale);
    return scale;
}

typedef struct {
    unsigned char* in;
    unsigned char* out;
    uint8_t* scales;
    uint64_t rows;
    uint64_t columns;
} matrix;

/* Blocks along rows follow each other in memory, so those that have one scale, one after the other, go in one call. */
static void run_rows(const portable_blocks* e, matrix m, uint64_t block) {
    uint64_t begin = 0; /* the first value without an element */
    uint64_t end = 0;
    uint8_t* scale = m.scales;
    const int whole = m.columns % block == 0;
    if (whole && e->scale != NULL) scales_of(e, m.in, block, m.rows * (m.columns / block), m.scales);
    for (uint64_t row = 0; row < m.rows; ++row) {
        for (uint64_t column = 0; column < m.columns; column += block, ++scale) {
            const uint64_t count = m.columns - column < block ? m.columns - column : block;
            if (!whole && e->scale != NULL) *scale = portable_scale_of(e, m.in + end * e->from, count);
            if (end != begin && (*scale != scale[-1] || end - begin >= MOST_TOGETHER)) {
                e->value(m.in + begin * e->from, m.out + begin * e->to, end - begin, scale[-1]);
                begin = end;
            }
            end += count;
        }
    }
    e->value(m.in + begin * e->from, m.out + begin * e->to, end - begin, scale[-1]);
}

static void run_columns(const portable_blocks* e, matrix m, uint64_t block) {
    _Alignas(8) unsigned char before[LARGEST_BLOCK * 8];
    _Alignas(8) unsigned char after[LARGEST_BLOCK * 8];
    for (uint64_t column = 0; column < m.columns; ++column) {
        for (uint64_t row = 0; row < m.rows; row += block) {
            const uint64_t count = m.rows - row < block ? m.rows - row : block;
            const uint64_t first = row * m.columns + column;
            uint8_t* scale = &m.scales[row / block * m.columns + column];
            gather(before, (line){m.in + first * e->from, m.columns, count}, e->from);
            if (e->scale != NULL) *scale = portable_scale_of(e, before, count);
            e->value(before, after, count, *scale);
            scatter((line){m.out + first * e->to, m.columns, count}, after, e->to);
        }
    }
}

static int32_t run(const portable_blocks* e, const mxcert_run_args* args, const char** error) {
    const int quantizes = e->scale != NULL;
    const uint64_t rows = args->shape[0];
    const uint64_t columns = args->shape[1];
    const uint64_t block = args->shape[2];
    if (rows == 0 || columns == 0) return portable_fail(MXCERT_UNSUPPORTED, "a matrix without elements", error);
    if (block == 0 || block > LARGEST_BLOCK)
        return portable_fail(MXCERT_UNSUPPORTED, "a block has 1 to 1024 elements", error);
    if (args->input_count != (quantizes ? 1u : 2u) || args->output_count != (quantizes ? 2u : 1u))
        return portable_fail(MXCERT_ERROR, "wrong number of arrays", error);

    const matrix m = {args->inputs[0].data, args->outputs[0].data,
                      quantizes ? args->outputs[1].data : args->inputs[1].data, rows, columns};
    (e->axis == ROW ? run_rows : run_columns)(e, m, block);
    return MXCERT_OK;
}

int32_t portable_run_quantize(const void* how, const mxcert_run_args* args, const char** error) {
    return run(how, args, error);
}

int32_t portable_run_dequantize(const void* how, const mxcert_run_args* args, const char** error) {
    return run(how, args, error);
}

/* An activation before a quantizer, computed in float and rounded to the type of the source.
 * +0 of NaN and of -0 too, which no comparison calls larger than zero. */
static float activated(portable_activation activation, float x) {
    if (!(x > 0.0f)) return 0.0f;
    return activation == RELU ? x : x * x;
}

static void activate(const portable_activated* e, const void* from, void* to, uint64_t count) {
    const float* const floats = from;
    const uint16_t* const halves = from;
    float* const to_floats = to;
    uint16_t* const to_halves = to;
    for (uint64_t i = 0; i < count; ++i) {
        switch (e->source) {
        case FROM_FP32: to_floats[i] = activated(e->activation, floats[i]); break;
        case FROM_FP16: to_halves[i] = half_from_float(activated(e->activation, half_to_float(halves[i]))); break;
        default: to_halves[i] = bf16_from_float(activated(e->activation, bf16_to_float(halves[i]))); break;
        }
    }
}

int32_t portable_run_activated(const void* how, const mxcert_run_args* args, const char** error) {
    const portable_activated* e = how;
    if (args->input_count != 1) return portable_fail(MXCERT_ERROR, "wrong number of arrays", error);
    mxcert_array values = args->inputs[0];
    if (values.count == 0) return portable_fail(MXCERT_UNSUPPORTED, "a matrix without elements", error);
    values.data = malloc(values.count * (e->source == FROM_FP32 ? sizeof(float) : sizeof(uint16_t)));
    if (values.data == NULL) return portable_fail(MXCERT_ERROR, "no memory for the values", error);
    activate(e, args->inputs[0].data, values.data, values.count);
    mxcert_run_args of_values = *args;
    of_values.inputs = &values;
    const int32_t status = e->run(e->how, &of_values, error);
    free(values.data);
    return status;
}
