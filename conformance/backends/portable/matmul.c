/* SPDX-License-Identifier: Apache-2.0
 * D = A B + C one product after the other in float: each rounded, each sum rounded. */
#include "operations.h"

#include <stdlib.h>

/* An operand as `lines` lines of k doubles, each element times the scale of its block along the line: exact, a double
 * has the exponents and the bits of both. `along` and `across` are the distances in memory of neighbours in a line, and
 * of lines. */
static void widen(portable_kernel* to_double, const portable_matmul* by, const uint8_t* elements, const uint8_t* scales,
                  double* out, uint64_t lines, uint64_t k, uint64_t along, uint64_t across) {
    const uint64_t blocks = scales == NULL ? 0 : (k + by->block - 1) / by->block;
    for (uint64_t line = 0; line < lines; ++line) {
        for (uint64_t l = 0; l < k; ++l) {
            double* const x = &out[line * k + l];
            to_double(&elements[line * across + l * along], x, 1);
            if (scales == NULL) continue;
            const uint64_t block = l / by->block;
            double scale;
            by->scale(&scales[along == 1 ? line * blocks + block : block * lines + line], &scale, 1);
            *x *= scale;
        }
    }
}

float* portable_float_operands(portable_kernel* a, portable_kernel* b, const mxcert_run_args* args, float** of_b) {
    const uint64_t values_of_a = args->shape[0] * args->shape[2];
    const uint64_t values_of_b = args->shape[1] * args->shape[2];
    float* const of_a = malloc((values_of_a + values_of_b) * sizeof(float));
    if (of_a == NULL) return NULL;
    *of_b = of_a + values_of_a;
    a(args->inputs[0].data, of_a, values_of_a);
    b(args->inputs[1].data, *of_b, values_of_b);
    return of_a;
}

int32_t portable_run_matmul(const void* how, const mxcert_run_args* args, const char** error) {
    const portable_matmul* by = how;
    const uint64_t m = args->shape[0];
    const uint64_t n = args->shape[1];
    const uint64_t k = args->shape[2];
    if (m == 0 || n == 0 || k == 0) return portable_fail(MXCERT_UNSUPPORTED, "a product without elements", error);
    const int scaled = by->scale != NULL;
    const uint32_t of_c = scaled ? 4 : 2;
    if (args->input_count != of_c + (by->has_c ? 1u : 0u) || args->output_count != 1)
        return portable_fail(MXCERT_ERROR, "wrong number of arrays", error);
    double* const a = malloc(m * k * sizeof(double));
    double* const b = malloc(n * k * sizeof(double));
    if (a == NULL || b == NULL) {
        free(a);
        free(b);
        return portable_fail(MXCERT_ERROR, "no memory", error);
    }
    widen(by->a, by, args->inputs[0].data, scaled ? args->inputs[2].data : NULL, a, m, k, by->a_transposed ? m : 1,
          by->a_transposed ? 1 : k);
    widen(by->b, by, args->inputs[1].data, scaled ? args->inputs[3].data : NULL, b, n, k, by->b_transposed ? 1 : n,
          by->b_transposed ? k : 1);
    const float* c = by->has_c ? args->inputs[of_c].data : NULL;
    float* d = args->outputs[0].data;
    for (uint64_t i = 0; i < m; ++i) {
        for (uint64_t j = 0; j < n; ++j) {
            float sum = c == NULL ? 0.0f : c[i * n + j];
            for (uint64_t l = 0; l < k; ++l) sum += (float)(a[i * k + l] * b[j * k + l]);
            d[i * n + j] = sum;
        }
    }
    free(a);
    free(b);
    return MXCERT_OK;
}
