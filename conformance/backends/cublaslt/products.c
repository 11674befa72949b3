/* SPDX-License-Identifier: Apache-2.0 */
#include "products.h"

#include <stddef.h>
#include <stdio.h>

#include "conformance/backends/gpu/device.h"

typedef struct {
    const char* name;
    cudaDataType_t type;
} format;
static const format elements[] = {{"e4m3", CUDA_R_8F_E4M3}, {"e5m2", CUDA_R_8F_E5M2}};
static const format results[] = {{"fp32", CUDA_R_32F}, {"bf16", CUDA_R_16BF}};
enum { ELEMENT_COUNT = 2, RESULT_COUNT = 2 };

/* What a device is claimed to add like. The library says nothing of it, nor of the order. */
static const struct {
    const char* accumulator;
    const char* architectures;
    int is_fast;
    int is_scaled;
} ways[] = {
    {"ada_fp8_f32", "sm_89", 1, 0},
    {"hopper_fp8_f32", "sm_90", 1, 0},
    {"hopper_fp8_promote_128", "sm_90", 0, 0},
    {"blackwell_fp8_f32", "sm_100, sm_103, sm_120, sm_121", 0, 0},
    {"blackwell_mxf8f6f4", "sm_100, sm_103, sm_120, sm_121", 0, 1},
};

/* A in rows and B in columns is what every device takes. */
static const struct {
    const char* name;
    int a_transposed;
    int b_transposed;
    const char* architectures; /* NULL: all */
} transposes[] = {
    {"nt", 0, 1, NULL}, {"nn", 0, 0, "sm_100, sm_103"}, {"tn", 1, 0, "sm_100, sm_103"}, {"tt", 1, 1, "sm_100, sm_103"}};

enum { MAXIMUM = 160, ATTRIBUTES_SIZE = 160 };
static product products[MAXIMUM];
static mxcert_operation operations[MAXIMUM];
static char attributes[MAXIMUM][ATTRIBUTES_SIZE];
static uint32_t product_count;

static void add(size_t way, size_t transpose, const format* a, const format* b, const format* d) {
    const uint32_t i = product_count++;
    const int is_scaled = ways[way].is_scaled;
    snprintf(attributes[i], ATTRIBUTES_SIZE,
             "a=%s b=%s scale=%s block_a=%s block_b=%s transpose=%s c=none output=%s accumulator=%s order=any", a->name,
             b->name, is_scaled ? "e8m0" : "none", is_scaled ? "1x32" : "none", is_scaled ? "32x1" : "none",
             transposes[transpose].name, d->name, ways[way].accumulator);
    operations[i].struct_size = sizeof operations[i];
    operations[i].name = "matmul";
    operations[i].attributes = attributes[i];
    const product p = {a->type,
                       b->type,
                       d->type,
                       is_scaled,
                       transposes[transpose].a_transposed,
                       transposes[transpose].b_transposed,
                       ways[way].is_fast,
                       transpose == 0 ? ways[way].architectures : transposes[transpose].architectures};
    products[i] = p;
}

/* The formats of one way; both operands in E5M2 is what no device has. */
static void add_formats(size_t way, size_t transpose) {
    for (int a = 0; a < ELEMENT_COUNT; ++a)
        for (int b = 0; b < ELEMENT_COUNT; ++b)
            for (int d = 0; d < RESULT_COUNT && !(a == 1 && b == 1); ++d)
                add(way, transpose, &elements[a], &elements[b], &results[d]);
}

const mxcert_operation* cublaslt_operations(uint32_t* count) {
    product_count = 0;
    for (size_t way = 0; way < sizeof ways / sizeof ways[0]; ++way) {
        if (!gpu_has_one_of(ways[way].architectures)) continue;
        add_formats(way, 0);
        /* Blocks lie along the sum: in the other transpositions their elements would not. */
        const int is_newest = ways[way].is_fast == 0 && !ways[way].is_scaled && way > 2;
        for (size_t t = 1; t < sizeof transposes / sizeof transposes[0] && is_newest; ++t)
            if (gpu_has_one_of(transposes[t].architectures)) add_formats(way, t);
    }
    *count = product_count;
    return operations;
}

const product* cublaslt_product(uint32_t operation) { return operation < product_count ? &products[operation] : NULL; }
