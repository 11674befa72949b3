/* SPDX-License-Identifier: Apache-2.0
 * Matrix products as tensor cores of NVIDIA add them, in plain C on the host: a model as any other, to be certified
 * before a device is compared with it. */
#include "conformance/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models.h"

enum { most_operations = 64, block = 32 };

static const element_format e4m3 = {"e4m3", 3, 7, 0};
static const element_format e5m2 = {"e5m2", 2, 15, 1};

typedef struct {
    const tensor_core* model;
    const element_format* a;
    const element_format* b;
    int a_transposed;
    int b_transposed;
    int has_c;
    char attributes[192];
} product;

static product products[most_operations];
static mxcert_operation operations[most_operations];
static int product_count = 0;
static const char* why = NULL;

static int32_t fail(int32_t status, const char* message) {
    why = message;
    return status;
}

static void add_product(const tensor_core* model, const element_format* a, const element_format* b, int a_transposed,
                        int b_transposed) {
    product* by = &products[product_count];
    by->model = model;
    by->a = a;
    by->b = b;
    by->a_transposed = a_transposed;
    by->b_transposed = b_transposed;
    by->has_c = a_transposed;
    const char* const result = model->result->name;
    snprintf(by->attributes, sizeof by->attributes,
             "a=%s b=%s scale=%s block_a=%s block_b=%s transpose=%c%c c=%s output=%s accumulator=%s order=given",
             a->name, b->name, model->scaled ? "e8m0" : "none", model->scaled ? "1x32" : "none",
             model->scaled ? "32x1" : "none", a_transposed ? 't' : 'n', b_transposed ? 't' : 'n',
             by->has_c ? result : "none", result, model->name);
    operations[product_count].struct_size = sizeof operations[product_count];
    operations[product_count].name = "matmul";
    operations[product_count].attributes = by->attributes;
    ++product_count;
}

/* `lines` lines of k elements: `across` if one place of all lines follows the other. */
static void read_lines(const element_format* format, const uint8_t* codes, element* out, uint64_t lines, uint64_t k,
                       int across) {
    element elements[fp8_count];
    for (int code = 0; code < fp8_count; ++code) elements[code] = read_element(format, (uint8_t)code);
    for (uint64_t line = 0; line < lines; ++line)
        for (uint64_t l = 0; l < k; ++l) out[line * k + l] = elements[codes[across ? l * lines + line : line * k + l]];
}
static void read_scales(const uint8_t* codes, uint8_t* out, uint64_t lines, uint64_t blocks, int across) {
    for (uint64_t line = 0; line < lines; ++line)
        for (uint64_t t = 0; t < blocks; ++t)
            out[line * blocks + t] = codes[across ? t * lines + line : line * blocks + t];
}

static uint32_t c_at(const void* c, const result_format* format, uint64_t i) {
    if (c == NULL) return 0;
    return format->sign_place == 31 ? ((const uint32_t*)c)[i] : ((const uint16_t*)c)[i];
}
static void store(void* d, const result_format* format, uint64_t i, uint32_t code) {
    if (format->sign_place == 31)
        ((uint32_t*)d)[i] = code;
    else
        ((uint16_t*)d)[i] = (uint16_t)code;
}

static int32_t open_tensor_cores(const char* options) {
    return strcmp(options, "") == 0 ? MXCERT_OK : fail(MXCERT_ERROR, "there are no options");
}

static int32_t run(const mxcert_run_args* args) {
    if (args->operation >= (uint32_t)product_count) return fail(MXCERT_ERROR, "no such operation");
    const product* by = &products[args->operation];
    const tensor_core* model = by->model;
    const uint64_t m = args->shape[0];
    const uint64_t n = args->shape[1];
    const uint64_t k = args->shape[2];
    const uint32_t of_c = model->scaled ? 4 : 2;
    if (args->input_count != of_c + (by->has_c ? 1u : 0u) || args->output_count != 1)
        return fail(MXCERT_ERROR, "wrong number of arrays");
    if (m == 0 || n == 0 || k == 0) return fail(MXCERT_UNSUPPORTED, "a product without elements");
    const mxcert_array* in = args->inputs;
    const uint64_t blocks = model->scaled ? (k + block - 1) / block : 0;
    element* const a = malloc((m + n) * k * sizeof(element));
    uint8_t* const scales = malloc((m + n) * blocks + 1);
    if (a == NULL || scales == NULL) {
        free(a);
        free(scales);
        return fail(MXCERT_ERROR, "no memory");
    }
    element* const b = a + m * k;
    uint8_t* const scales_b = scales + m * blocks;
    read_lines(by->a, in[0].data, a, m, k, by->a_transposed);
    read_lines(by->b, in[1].data, b, n, k, !by->b_transposed);
    if (model->scaled) {
        read_scales(in[2].data, scales, m, blocks, by->a_transposed);
        read_scales(in[3].data, scales_b, n, blocks, !by->b_transposed);
    }
    const void* const c = by->has_c ? in[of_c].data : NULL;
    const int fraction_bits = by->a->fraction_bits + by->b->fraction_bits;
    for (uint64_t i = 0; i < m; ++i)
        for (uint64_t j = 0; j < n; ++j)
            store(args->outputs[0].data, model->result, i * n + j,
                  tensor_core_dot(model, fraction_bits, a + i * k, b + j * k, scales + i * blocks,
                                  scales_b + j * blocks, k, c_at(c, model->result, i * n + j)));
    free(a);
    free(scales);
    return MXCERT_OK;
}

static const char* last_error(void) { return why; }

MXCERT_EXPORT const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {
    if (host_abi_major != MXCERT_ABI_MAJOR) return NULL;
    product_count = 0;
    for (int i = 0; i < tensor_core_count; ++i) {
        add_product(&tensor_cores[i], &e4m3, &e4m3, 0, 1);
        add_product(&tensor_cores[i], &e5m2, &e4m3, 0, 0);
        add_product(&tensor_cores[i], &e4m3, &e5m2, 1, 0);
        add_product(&tensor_cores[i], &e5m2, &e5m2, 1, 1);
    }
    static mxcert_api api = {
        .struct_size = sizeof(mxcert_api),
        .abi_major = MXCERT_ABI_MAJOR,
        .abi_minor = MXCERT_ABI_MINOR,
        .name = "tensor_cores",
        .version = "1",
        .description = "FP8 products as NVIDIA's tensor cores add them, plain C on the host",
        .open = open_tensor_cores,
        .last_error = last_error,
        .operations = operations,
        .run = run,
    };
    api.operation_count = (uint32_t)product_count;
    return &api;
}
