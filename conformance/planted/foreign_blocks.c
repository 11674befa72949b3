/* SPDX-License-Identifier: Apache-2.0
 * A quantizer to MXFP8 in C, written by hand with the arithmetic of the compiler, and with the mistake that the option
 * names. It shares nothing with the models of mxcert. Without an option nothing is wrong.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/backend.h"

enum { size = 32, smallest_exponent = -127 };

static char mistake[64];
static int is(const char* name) { return strcmp(mistake, name) == 0; }

/* Of E4M3, to nearest even; the largest is 448. */
static uint8_t element(double value) {
    const uint8_t sign = signbit(value) ? 0x80 : 0;
    const double magnitude = fabs(value);
    if (isnan(value)) return sign | 0x7F;
    if (magnitude >= 448) return sign | 0x7E;
    int exponent = magnitude == 0 ? -6 : ilogb(magnitude);
    if (exponent < -6) exponent = -6;
    const int units = (int)nearbyint(ldexp(magnitude, 3 - exponent)); /* 8 to 16 of a normal number */
    return (uint8_t)(sign | ((exponent + 6) * 8 + units));
}

/* One block of `count` values, `step` apart. */
static float amax_of(const float* values, uint64_t count, uint64_t step) {
    uint64_t first = 0;
    uint64_t last = count;
    const int tail = count < size;
    if (is("last lane left out")) --last;
    if (is("first lane left out")) ++first;
    if (is("tail without its last lane") && tail) --last;
    if (is("left half of a tail") && tail) last = (count + 1) / 2;
    if (is("right half of a tail") && tail) first = count / 2;
    if (is("fabs of the maximum")) {
        float most = -INFINITY;
        int none = 1;
        for (uint64_t i = first; i < last; ++i) {
            if (isnan(values[i * step])) continue;
            none = 0;
            most = values[i * step] > most ? values[i * step] : most;
        }
        return none ? 0 : fabsf(most);
    }
    float amax = 0;
    for (uint64_t i = first; i < last; ++i) {
        float magnitude = fabsf(values[i * step]);
        if (is("half of lane 8") && i == 8) magnitude /= 2;
        if (magnitude > amax) amax = magnitude; /* NaN is larger than nothing */
    }
    return amax;
}

/* The exponent of the scale before it is held to what E8M0 has: 448 has the exponent 8. */
static int exponent_of(float amax) {
    if (amax == 0) return smallest_exponent;
    return isinf(amax) ? 127 : ilogbf(amax) - 8;
}

static void block(const float* values, uint64_t count, uint64_t step, uint8_t* elements, uint8_t* scale) {
    int exponent = exponent_of(amax_of(values, count, step));
    int used = exponent;
    if (is("scale wraps")) used = exponent = (uint8_t)(exponent + 127) - 127;
    if (exponent < smallest_exponent) exponent = smallest_exponent;
    if (!is("scale not held")) used = exponent;
    *scale = (uint8_t)(exponent + 127);
    for (uint64_t i = 0; i < count; ++i) elements[i * step] = element(ldexp((double)values[i * step], -used));
    if (is("lanes 5 and 9 spoilt") && count > 9) {
        elements[5 * step] ^= 3;
        elements[9 * step] ^= 5;
    }
}

/* Rows of blocks along them, or columns. */
static void quantize(const float* values, uint64_t rows, uint64_t columns, int down, uint8_t* elements,
                     uint8_t* scales) {
    const uint64_t lines = down ? columns : rows;
    const uint64_t length = down ? rows : columns;
    const uint64_t step = down ? columns : 1;
    const uint64_t blocks = (length + size - 1) / size;
    for (uint64_t line = 0; line < lines; ++line)
        for (uint64_t b = 0; b < blocks; ++b) {
            const uint64_t at = down ? b * size * columns + line : line * columns + b * size;
            const uint64_t count = length - b * size < size ? length - b * size : size;
            block(values + at, count, step, elements + at, scales + (down ? b * lines + line : line * blocks + b));
        }
}

static double value_of(uint8_t code) {
    const int field = code >> 3 & 15;
    const int fraction = code & 7;
    const double magnitude = field == 0 ? ldexp(fraction, -9) : ldexp(8 + fraction, field - 10);
    return (code & 0x7F) == 0x7F ? NAN : (code & 0x80) != 0 ? -magnitude : magnitude;
}

static int32_t run(const mxcert_run_args* args) {
    const float* values = (const float*)args->inputs[0].data;
    uint8_t* elements = (uint8_t*)args->outputs[0].data;
    uint8_t* scales = (uint8_t*)args->outputs[1].data;
    const uint64_t rows = args->shape[0];
    const uint64_t columns = args->shape[1];
    if (args->operation == 0 || !is("columns of quantized rows")) {
        quantize(values, rows, columns, args->operation != 0, elements, scales);
        return MXCERT_OK;
    }
    const uint64_t blocks = (columns + size - 1) / size;
    float* again = malloc(rows * columns * sizeof *again);
    uint8_t* of_rows = malloc(rows * blocks);
    if (again != NULL && of_rows != NULL) {
        quantize(values, rows, columns, 0, elements, of_rows);
        for (uint64_t i = 0; i < rows * columns; ++i)
            again[i] =
                (float)ldexp(value_of(elements[i]), (int)of_rows[i / columns * blocks + i % columns / size] - 127);
        quantize(again, rows, columns, 1, elements, scales);
    }
    free(again);
    free(of_rows);
    return MXCERT_OK;
}

static int32_t open_foreign(const char* options) {
    if (strlen(options) >= sizeof mistake) return MXCERT_UNSUPPORTED;
    memcpy(mistake, options, strlen(options) + 1);
    return MXCERT_OK;
}

const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {
    static const mxcert_operation operations[] = {
        {sizeof(mxcert_operation), "quantize",
         "source=fp32 element=e4m3 scale=e8m0 rule=ocp_floor rounding=nearest_even overflow=sat axis=row block=32"},
        {sizeof(mxcert_operation), "quantize",
         "source=fp32 element=e4m3 scale=e8m0 rule=ocp_floor rounding=nearest_even overflow=sat axis=column block=32"},
    };
    static mxcert_api api;
    if (host_abi_major != MXCERT_ABI_MAJOR) return NULL;
    api.struct_size = sizeof api;
    api.abi_major = MXCERT_ABI_MAJOR;
    api.abi_minor = MXCERT_ABI_MINOR;
    api.name = "foreign_blocks";
    api.version = "1";
    api.description = "a quantizer written by hand, with a mistake";
    api.open = open_foreign;
    api.operation_count = sizeof operations / sizeof operations[0];
    api.operations = operations;
    api.run = run;
    return &api;
}
