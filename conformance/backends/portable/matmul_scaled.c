/* SPDX-License-Identifier: Apache-2.0
 * D = (A B) times both scales, plus a bias: the products one after the other in float, the scales multiplied first, D
 * in BF16, or in E4M3 by a scale of its own, with its amax. A product of two floats is exact in double, so each cast
 * rounds once and no compiler can join it with a sum. Elements of NVFP4 are multiplied by the scale of their block
 * first, which is exact in float. */
#include "narrow.h"
#include "operations.h"

#include <stdlib.h>

static float times(float x, float y) { return (float)((double)x * (double)y); }

enum { BLOCK = 16 };

/* Lines of k elements times the scales of their blocks. */
static void apply_block_scales(portable_kernel* to_float, const uint8_t* scales, float* values, uint64_t lines,
                               uint64_t k) {
    const uint64_t blocks = (k + BLOCK - 1) / BLOCK;
    for (uint64_t line = 0; line < lines; ++line) {
        for (uint64_t l = 0; l < k; ++l) {
            float scale;
            to_float(&scales[line * blocks + l / BLOCK], &scale, 1);
            values[line * k + l] *= scale;
        }
    }
}

/* The arrays of a run, in their order. */
typedef struct {
    const float* scales_a;
    const float* scales_b;
    const uint16_t* bias; /* BF16; NULL: none */
    float d_scale;
} epilogue;

int32_t portable_run_matmul_scaled(const void* how, const mxcert_run_args* args, const char** error) {
    const portable_matmul_scaled* by = how;
    const uint64_t m = args->shape[0];
    const uint64_t n = args->shape[1];
    const uint64_t k = args->shape[2];
    if (m == 0 || n == 0 || k == 0) return portable_fail(MXCERT_UNSUPPORTED, "a product without elements", error);
    const uint32_t of_scales = by->block_scale != NULL ? 4 : 2;
    const uint32_t of_rest = of_scales + 2;
    if (args->input_count != of_rest + (by->has_bias || by->to_e4m3 ? 1u : 0u) ||
        args->output_count != (by->to_e4m3 ? 2u : 1u))
        return portable_fail(MXCERT_ERROR, "wrong number of arrays", error);
    float* b; /* in rows of its transpose */
    float* const a = portable_float_operands(by->a, by->b, args, &b);
    if (a == NULL) return portable_fail(MXCERT_ERROR, "no memory", error);
    if (by->block_scale != NULL) {
        apply_block_scales(by->block_scale, args->inputs[2].data, a, m, k);
        apply_block_scales(by->block_scale, args->inputs[3].data, b, n, k);
    }
    const epilogue by_sums = {args->inputs[of_scales].data, args->inputs[of_scales + 1].data,
                              by->has_bias ? (const uint16_t*)args->inputs[of_rest].data : NULL,
                              by->to_e4m3 ? *(const float*)args->inputs[of_rest].data : 1.0f};
    uint16_t* const d = args->outputs[0].data;
    uint8_t* const d8 = args->outputs[0].data;
    uint32_t amax = 0; /* of a NaN larger than all else */
    for (uint64_t i = 0; i < m; ++i) {
        for (uint64_t j = 0; j < n; ++j) {
            float sum = 0.0f;
            for (uint64_t l = 0; l < k; ++l) sum += times(a[i * k + l], b[j * k + l]);
            const float scale = times(by_sums.scales_a[by->by_lines ? i : 0], by_sums.scales_b[by->by_lines ? j : 0]);
            float value = times(sum, times(scale, by->factor));
            if (by_sums.bias != NULL) value += bits_float((uint32_t)by_sums.bias[j] << 16);
            const uint32_t magnitude = float_bits(value) & 0x7FFFFFFFu;
            if (magnitude > amax) amax = magnitude;
            if (by->to_e4m3) {
                value = times(value, by_sums.d_scale);
                portable_fp32_e4m3_ne_sat(&value, &d8[i * n + j], 1);
            } else {
                d[i * n + j] = bf16_from_float(value);
            }
        }
    }
    if (by->to_e4m3) *(uint32_t*)args->outputs[1].data = amax;
    free(a);
    return MXCERT_OK;
}
