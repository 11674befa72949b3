/* SPDX-License-Identifier: Apache-2.0
 * D = A B with float scales of 1x128 of A and of 128x128 of B: the sum of 128 products, each rounded to float, times
 * the product of both scales, added to what there is. A product of two floats is exact in double, so each cast rounds
 * once and no compiler can join it with the sum. */
#include "operations.h"

#include <stdlib.h>

enum { PROMOTED = 128 };

int32_t portable_run_matmul_promoted(const void* how, const mxcert_run_args* args, const char** error) {
    const portable_matmul_promoted* by = how;
    const uint64_t m = args->shape[0];
    const uint64_t n = args->shape[1];
    const uint64_t k = args->shape[2];
    if (m == 0 || n == 0 || k == 0) return portable_fail(MXCERT_UNSUPPORTED, "a product without elements", error);
    if (args->input_count != 4 || args->output_count != 1)
        return portable_fail(MXCERT_ERROR, "wrong number of arrays", error);
    float* b; /* in rows of its transpose */
    float* const a = portable_float_operands(by->a, by->b, args, &b);
    if (a == NULL) return portable_fail(MXCERT_ERROR, "no memory", error);
    const float* const scales_a = args->inputs[2].data;
    const float* const scales_b = args->inputs[3].data;
    float* const d = args->outputs[0].data;
    const uint64_t blocks = (k + PROMOTED - 1) / PROMOTED;
    for (uint64_t i = 0; i < m; ++i) {
        for (uint64_t j = 0; j < n; ++j) {
            float sum = 0.0f;
            for (uint64_t block = 0; block < blocks; ++block) {
                const uint64_t end = block + 1 == blocks ? k : (block + 1) * PROMOTED;
                float part = 0.0f;
                for (uint64_t l = block * PROMOTED; l < end; ++l)
                    part += (float)((double)a[i * k + l] * (double)b[j * k + l]);
                const double scale_a = scales_a[i * blocks + block];
                const double scale_b = scales_b[j / PROMOTED * blocks + block];
                const double scale = (float)(scale_a * scale_b);
                sum += (float)((double)part * scale);
            }
            d[i * n + j] = sum;
        }
    }
    free(a);
    return MXCERT_OK;
}
