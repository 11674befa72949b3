/* SPDX-License-Identifier: Apache-2.0
 * The backend `cublaslt`: matrix products of FP8 by NVIDIA's library, and MXFP8 where the device has it. Matrices in
 * rows are the transposes of those in columns, which the library has: it multiplies B^T A^T. */
#include "conformance/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/backends/gpu/device.h"
#include "library.h"
#include "products.h"

/* Memory on the device. */
enum { OF_A, OF_B, OF_D, SCALES_A, SCALES_B, ONE, WORKSPACE };
enum { WORKSPACE_BYTES = 32 << 20, SIDE = 16, BLOCK = 32, TILE_LINES = 128, TILE_BLOCKS = 4 };

static cublasLtHandle_t handle;
static char version[64];

static void* at(int place) {
    return (void*)(uintptr_t)*gpu_address(place); /* NOLINT(performance-no-int-to-ptr): CUDA's are integers */
}

static int32_t open_library(const char* text) {
    gpu_option device = {"device", "device=N", "0"};
    int32_t status = gpu_read_options(text, &device, 1);
    if (status == MXCERT_OK) status = gpu_choose(device.value);
    if (status == MXCERT_OK) status = cublaslt_load();
    if (status == MXCERT_OK) status = cublaslt_checked("cublasLtCreate", lt.cublasLtCreate(&handle));
    const float one = 1;
    if (status == MXCERT_OK) status = gpu_copy_in(ONE, &one, sizeof one);
    return status;
}

static void close_library(void) {
    lt.cublasLtDestroy(handle);
    gpu_close();
}

static uint64_t padded(uint64_t length, uint64_t multiple) { return (length + multiple - 1) / multiple * multiple; }

/* Scales of lines x blocks as tiles of 128 x 4 that lie one after the other; within a tile a group of 16 has four
 * lines, 32 apart, of four blocks. What is beyond the lines and blocks is 0. */
static int32_t copy_scales(int place, const uint8_t* scales, uint64_t lines, uint64_t blocks) {
    const uint64_t tiles = padded(blocks, TILE_BLOCKS) / TILE_BLOCKS;
    const uint64_t bytes = padded(lines, TILE_LINES) * tiles * TILE_BLOCKS;
    uint8_t* const swizzled = calloc(bytes, 1);
    if (swizzled == NULL) return kernels_fail(MXCERT_ERROR, "no memory for %llu scales", (unsigned long long)bytes);
    for (uint64_t line = 0; line < lines; ++line) {
        for (uint64_t block = 0; block < blocks; ++block) {
            const uint64_t tile = line / TILE_LINES * tiles + block / TILE_BLOCKS;
            const uint64_t within = line % 32 * 16 + line % TILE_LINES / 32 * 4 + block % TILE_BLOCKS;
            swizzled[tile * TILE_LINES * TILE_BLOCKS + within] = scales[line * blocks + block];
        }
    }
    const int32_t status = gpu_copy_in(place, swizzled, bytes);
    free(swizzled);
    return status;
}

/* Rows of elements, with zeros behind them and below. */
typedef struct {
    uint64_t rows, columns;
    uint64_t all_rows, all_columns;
} matrix;

static int32_t copy_in(int place, const uint8_t* elements, matrix of) {
    if (of.rows == of.all_rows && of.columns == of.all_columns)
        return gpu_copy_in(place, elements, of.rows * of.columns);
    uint8_t* const all = calloc(of.all_rows, of.all_columns);
    if (all == NULL) return kernels_fail(MXCERT_ERROR, "no memory for an operand");
    for (uint64_t row = 0; row < of.rows; ++row)
        memcpy(all + row * of.all_columns, elements + row * of.columns, of.columns);
    const int32_t status = gpu_copy_in(place, all, of.all_rows * of.all_columns);
    free(all);
    return status;
}

static int32_t copy_out(int place, uint8_t* elements, uint64_t width, matrix of) {
    if (of.columns == of.all_columns) return gpu_copy_out(place, elements, of.rows * of.columns * width);
    uint8_t* const all = malloc(of.rows * of.all_columns * width);
    if (all == NULL) return kernels_fail(MXCERT_ERROR, "no memory for a result");
    const int32_t status = gpu_copy_out(place, all, of.rows * of.all_columns * width);
    for (uint64_t row = 0; row < of.rows && status == MXCERT_OK; ++row)
        memcpy(elements + row * of.columns * width, all + row * of.all_columns * width, of.columns * width);
    free(all);
    return status;
}

/* What the library is told of a product; NULL where there is nothing yet. */
typedef struct {
    cublasLtMatmulDesc_t what;
    cublasLtMatrixLayout_t left, right, result;
    cublasLtMatmulPreference_t preference;
} description;

static void destroy(const description* d) {
    if (d->what != NULL) lt.cublasLtMatmulDescDestroy(d->what);
    if (d->left != NULL) lt.cublasLtMatrixLayoutDestroy(d->left);
    if (d->right != NULL) lt.cublasLtMatrixLayoutDestroy(d->right);
    if (d->result != NULL) lt.cublasLtMatrixLayoutDestroy(d->result);
    if (d->preference != NULL) lt.cublasLtMatmulPreferenceDestroy(d->preference);
}

static cublasStatus_t set(const description* d, cublasLtMatmulDescAttributes_t attribute, const void* value,
                          size_t size) {
    return lt.cublasLtMatmulDescSetAttribute(d->what, attribute, value, size);
}

static cublasStatus_t prefer(const description* d, cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
                             size_t size) {
    return lt.cublasLtMatmulPreferenceSetAttribute(d->preference, attribute, value, size);
}

/* The library's A is our B and its B our A: in columns, each line of ours is a column. */
static cublasStatus_t describe(description* d, const product* p, uint64_t m, uint64_t n, uint64_t k) {
    const cublasOperation_t left = p->b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t right = p->a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int8_t is_fast = (int8_t)p->is_fast;
    const cublasLtMatmulMatrixScale_t mode = CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0;
    const void* const left_scale = at(p->is_scaled ? SCALES_B : ONE);
    const void* const right_scale = at(p->is_scaled ? SCALES_A : ONE);
    const uint64_t workspace = WORKSPACE_BYTES;
    const uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_NONE; /* the sum is not split */
    cublasStatus_t s = lt.cublasLtMatmulDescCreate(&d->what, CUBLAS_COMPUTE_32F, CUDA_R_32F);
#define THEN(call)                                                                                                     \
    if (s == CUBLAS_STATUS_SUCCESS) s = call
    THEN(set(d, CUBLASLT_MATMUL_DESC_TRANSA, &left, sizeof left));
    THEN(set(d, CUBLASLT_MATMUL_DESC_TRANSB, &right, sizeof right));
    THEN(set(d, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &is_fast, sizeof is_fast));
    if (p->is_scaled) { /* the mode of a scale for the tensor is the default, and older libraries have no other */
        THEN(set(d, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, &mode, sizeof mode));
        THEN(set(d, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, &mode, sizeof mode));
    }
    THEN(set(d, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, (const void*)&left_scale, sizeof left_scale));
    THEN(set(d, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, (const void*)&right_scale, sizeof right_scale));
    THEN(lt.cublasLtMatrixLayoutCreate(&d->left, p->b, p->b_transposed ? k : n, p->b_transposed ? n : k,
                                       (int64_t)(p->b_transposed ? k : n)));
    THEN(lt.cublasLtMatrixLayoutCreate(&d->right, p->a, p->a_transposed ? m : k, p->a_transposed ? k : m,
                                       (int64_t)(p->a_transposed ? m : k)));
    THEN(lt.cublasLtMatrixLayoutCreate(&d->result, p->d, n, m, (int64_t)n));
    THEN(lt.cublasLtMatmulPreferenceCreate(&d->preference));
    THEN(prefer(d, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace));
    THEN(prefer(d, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reductions, sizeof reductions));
    return s;
}

/* The operands are on the device. */
static int32_t multiply(const product* p, uint64_t m, uint64_t n, uint64_t k) {
    description d = {0};
    const float one = 1;
    const float zero = 0;
    cublasLtMatmulHeuristicResult_t best;
    int found = 0;
    int32_t status = cublaslt_checked("describing the product", describe(&d, p, m, n, k));
    if (status == MXCERT_OK)
        status = cublaslt_checked("cublasLtMatmulAlgoGetHeuristic",
                                  lt.cublasLtMatmulAlgoGetHeuristic(handle, d.what, d.left, d.right, d.result, d.result,
                                                                    d.preference, 1, &best, &found));
    if (status == MXCERT_OK && found == 0)
        status =
            kernels_fail(MXCERT_UNSUPPORTED, "cuBLASLt has no algorithm for this product on %s", gpu_architecture());
    if (status == MXCERT_OK)
        status =
            cublaslt_checked("cublasLtMatmul", lt.cublasLtMatmul(handle, d.what, &one, at(OF_B), d.left, at(OF_A),
                                                                 d.right, &zero, at(OF_D), d.result, at(OF_D), d.result,
                                                                 &best.algo, at(WORKSPACE), WORKSPACE_BYTES, NULL));
    destroy(&d);
    return status == MXCERT_OK ? gpu_finish() : status;
}

static int32_t run(const mxcert_run_args* args) {
    const product* const p = cublaslt_product(args->operation);
    if (p == NULL) return kernels_fail(MXCERT_ERROR, "there is no operation %u", args->operation);
    if (args->input_count != (p->is_scaled ? 4u : 2u) || args->output_count != 1)
        return kernels_fail(MXCERT_ERROR, "%u arrays in and %u out", args->input_count, args->output_count);
    if (strstr(p->architectures, gpu_architecture()) == NULL)
        return kernels_fail(MXCERT_UNSUPPORTED, "this is one of %s; the device is %s", p->architectures,
                            gpu_architecture());
    const uint64_t m = args->shape[0];
    const uint64_t n = args->shape[1];
    const uint64_t k = args->shape[2];
    if (m == 0 || n == 0 || k == 0) return kernels_fail(MXCERT_UNSUPPORTED, "a product without elements");
    const uint64_t all_m = padded(m, SIDE);
    const uint64_t all_n = padded(n, SIDE);
    const uint64_t all_k = padded(k, p->is_scaled ? BLOCK : SIDE);
    const matrix a = p->a_transposed ? (matrix){k, m, all_k, all_m} : (matrix){m, k, all_m, all_k};
    const matrix b = p->b_transposed ? (matrix){n, k, all_n, all_k} : (matrix){k, n, all_k, all_n};
    const matrix d = {m, n, all_m, all_n};
    const mxcert_array* in = args->inputs;
    const mxcert_array* out = &args->outputs[0];
    int32_t status = copy_in(OF_A, in[0].data, a);
    if (status == MXCERT_OK) status = copy_in(OF_B, in[1].data, b);
    if (status == MXCERT_OK && p->is_scaled) status = copy_scales(SCALES_A, in[2].data, m, all_k / BLOCK);
    if (status == MXCERT_OK && p->is_scaled) status = copy_scales(SCALES_B, in[3].data, n, all_k / BLOCK);
    /* With what is there: an element that is left out must be seen. */
    if (status == MXCERT_OK) status = copy_in(OF_D, out->data, (matrix){m, n * out->width, all_m, all_n * out->width});
    if (status == MXCERT_OK) status = gpu_room(WORKSPACE, WORKSPACE_BYTES);
    if (status == MXCERT_OK) status = multiply(p, all_m, all_n, all_k);
    return status == MXCERT_OK ? copy_out(OF_D, out->data, out->width, d) : status;
}

MXCERT_EXPORT const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {
    if (host_abi_major != MXCERT_ABI_MAJOR) return NULL;
    /* A certificate names what is multiplied with: the library, where there is one. */
    const size_t number = cublaslt_load() == MXCERT_OK ? lt.cublasLtGetVersion() : CUBLAS_VERSION;
    snprintf(version, sizeof version, "%zu.%zu.%zu", number / 10000, number / 100 % 100, number % 100);
    static mxcert_api api = {
        .struct_size = sizeof(mxcert_api),
        .abi_major = MXCERT_ABI_MAJOR,
        .abi_minor = MXCERT_ABI_MINOR,
        .name = "cublaslt",
        .version = version,
        .open = open_library,
        .last_error = kernels_last_error,
        .close = close_library,
        .flags = MXCERT_ONE_WORKER,
        .run = run,
    };
    api.description = gpu_described("matrix products of FP8 and MXFP8 by NVIDIA's cuBLASLt");
    api.operations = cublaslt_operations(&api.operation_count);
    return &api;
}
