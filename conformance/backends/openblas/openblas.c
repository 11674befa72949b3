/* SPDX-License-Identifier: Apache-2.0
 * Matrix products by OpenBLAS: of elements widened to float and multiplied by sgemm, and of elements times their E8M0
 * scales widened to double, where the products of every pair of scales have room, and multiplied by dgemm. */
#include "conformance/backend.h"

#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { E4M3, E5M2 };
enum { block = 32 };

typedef struct {
    const char* attributes;
    int a; /* E4M3 or E5M2 */
    int b;
    int scaled;
    int a_transposed;
    int b_transposed;
    int has_c;
} product;

/* clang-format off */
#define PRODUCT(of_a, a, of_b, b, scale, block_a, block_b, scaled, sum, transpose, at, bt, c, has_c)                   \
    {"a=" of_a " b=" of_b " scale=" scale " block_a=" block_a " block_b=" block_b " transpose=" transpose " c=" c      \
     " output=fp32 accumulator=" sum " order=any", a, b, scaled, at, bt, has_c},
#define TRANSPOSES(of_a, a, of_b, b, scale, block_a, block_b, scaled, sum)                                             \
    PRODUCT(of_a, a, of_b, b, scale, block_a, block_b, scaled, sum, "nn", 0, 0, "none", 0)                             \
    PRODUCT(of_a, a, of_b, b, scale, block_a, block_b, scaled, sum, "nt", 0, 1, "none", 0)                             \
    PRODUCT(of_a, a, of_b, b, scale, block_a, block_b, scaled, sum, "tn", 1, 0, "fp32", 1)                             \
    PRODUCT(of_a, a, of_b, b, scale, block_a, block_b, scaled, sum, "tt", 1, 1, "none", 0)
#define OPERANDS(of_a, a, of_b, b)                                                                                     \
    TRANSPOSES(of_a, a, of_b, b, "none", "none", "none", 0, "fp32_fma")                                                \
    TRANSPOSES(of_a, a, of_b, b, "e8m0", "1x32", "32x1", 1, "fp64_fma")

static const product products[] = {
    OPERANDS("e4m3", E4M3, "e4m3", E4M3)
    OPERANDS("e5m2", E5M2, "e4m3", E4M3)
    OPERANDS("e5m2", E5M2, "e5m2", E5M2)
};
/* clang-format on */
enum { product_count = sizeof products / sizeof products[0] };

static mxcert_operation operations[product_count];
static char version[256];
static const char* why = NULL;

static int32_t fail(int32_t status, const char* message) {
    why = message;
    return status;
}

static double value_of(int format, uint8_t code) {
    const int fraction_bits = format == E4M3 ? 3 : 2;
    const int bias = format == E4M3 ? 7 : 15;
    const int magnitude = code & 0x7F;
    const int exponent = magnitude >> fraction_bits;
    const int fraction = magnitude & ((1 << fraction_bits) - 1);
    double value;
    if (format == E4M3 && magnitude == 0x7F) {
        value = NAN;
    } else if (format == E5M2 && exponent == 31) {
        value = fraction == 0 ? INFINITY : NAN;
    } else if (exponent == 0) {
        value = ldexp(fraction, 1 - bias - fraction_bits);
    } else {
        value = ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
    }
    return code & 0x80 ? -value : value;
}

static double scale_of(uint8_t code) { return code == 0xFF ? (double)NAN : ldexp(1, code - 127); }

static void to_float(const uint8_t* elements, int format, float* out, uint64_t count) {
    float values[256];
    for (int code = 0; code < 256; ++code) values[code] = (float)value_of(format, (uint8_t)code);
    for (uint64_t i = 0; i < count; ++i) out[i] = values[elements[i]];
}
/* `lines` x k elements, one line after the other or, if `across`, one place of all lines after the other. */
static void to_double(const uint8_t* elements, const uint8_t* scales, int format, double* out, uint64_t lines,
                      uint64_t k, int across) {
    double values[256];
    double factors[256];
    for (int code = 0; code < 256; ++code) {
        values[code] = value_of(format, (uint8_t)code);
        factors[code] = scale_of((uint8_t)code);
    }
    const uint64_t blocks = (k + block - 1) / block;
    for (uint64_t line = 0; line < lines; ++line) {
        for (uint64_t l = 0; l < k; ++l) {
            const uint64_t at = across ? l * lines + line : line * k + l;
            const uint64_t scale = across ? l / block * lines + line : line * blocks + l / block;
            out[at] = values[elements[at]] * factors[scales[scale]];
        }
    }
}

static int32_t open_openblas(const char* options) {
    if (strcmp(options, "") != 0) return fail(MXCERT_ERROR, "there are no options");
    openblas_set_num_threads(1); /* the answers do not hang on how many there are */
    return MXCERT_OK;
}

static int32_t run(const mxcert_run_args* args) {
    if (args->operation >= product_count) return fail(MXCERT_ERROR, "no such operation");
    const product* by = &products[args->operation];
    const uint64_t m = args->shape[0];
    const uint64_t n = args->shape[1];
    const uint64_t k = args->shape[2];
    const uint32_t of_c = by->scaled ? 4 : 2;
    if (args->input_count != of_c + (by->has_c ? 1u : 0u) || args->output_count != 1)
        return fail(MXCERT_ERROR, "wrong number of arrays");
    if (m == 0 || n == 0 || k == 0) return fail(MXCERT_UNSUPPORTED, "a product without elements");
    if (m > INT_MAX || n > INT_MAX || k > INT_MAX) return fail(MXCERT_UNSUPPORTED, "a side beyond an int");
    const mxcert_array* in = args->inputs;
    float* d = args->outputs[0].data;
    const enum CBLAS_TRANSPOSE of_a = by->a_transposed ? CblasTrans : CblasNoTrans;
    const enum CBLAS_TRANSPOSE of_b = by->b_transposed ? CblasTrans : CblasNoTrans;
    const int row_a = (int)(by->a_transposed ? m : k);
    const int row_b = (int)(by->b_transposed ? k : n);
    const size_t width = by->scaled ? sizeof(double) : sizeof(float);
    void* const a = malloc(m * k * width);
    void* const b = malloc(k * n * width);
    double* const sums = by->scaled ? malloc(m * n * sizeof(double)) : NULL;
    const int has_memory = a != NULL && b != NULL && (sums != NULL || !by->scaled);
    if (has_memory && by->scaled) {
        const float* c = by->has_c ? in[of_c].data : NULL;
        to_double(in[0].data, in[2].data, by->a, a, m, k, by->a_transposed);
        to_double(in[1].data, in[3].data, by->b, b, n, k, !by->b_transposed);
        for (uint64_t i = 0; i < m * n; ++i) sums[i] = c == NULL ? 0 : (double)c[i];
        cblas_dgemm(CblasRowMajor, of_a, of_b, (int)m, (int)n, (int)k, 1, a, row_a, b, row_b, by->has_c ? 1 : 0, sums,
                    (int)n);
        for (uint64_t i = 0; i < m * n; ++i) d[i] = (float)sums[i];
    } else if (has_memory) {
        to_float(in[0].data, by->a, a, m * k);
        to_float(in[1].data, by->b, b, k * n);
        if (by->has_c) memcpy(d, in[of_c].data, m * n * sizeof(float));
        cblas_sgemm(CblasRowMajor, of_a, of_b, (int)m, (int)n, (int)k, 1, a, row_a, b, row_b, by->has_c ? 1 : 0, d,
                    (int)n);
    }
    free(a);
    free(b);
    free(sums);
    return has_memory ? MXCERT_OK : fail(MXCERT_ERROR, "no memory");
}

static const char* last_error(void) { return why; }

MXCERT_EXPORT const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {
    if (host_abi_major != MXCERT_ABI_MAJOR) return NULL;
    for (int i = 0; i < product_count; ++i) {
        operations[i].struct_size = sizeof operations[i];
        operations[i].name = "matmul";
        operations[i].attributes = products[i].attributes;
    }
    /* The library chooses its code by the processor: this says which. */
    snprintf(version, sizeof version, "%s", openblas_get_config());
    static mxcert_api api = {
        .struct_size = sizeof(mxcert_api),
        .abi_major = MXCERT_ABI_MAJOR,
        .abi_minor = MXCERT_ABI_MINOR,
        .name = "openblas",
        .version = version,
        .description = "sgemm and dgemm of OpenBLAS on widened elements, on the host",
        .open = open_openblas,
        .last_error = last_error,
        .operation_count = product_count,
        .operations = operations,
        .run = run,
    };
    return &api;
}
