/* SPDX-License-Identifier: Apache-2.0
 * One product of a linear layer: both tensors quantized along the sum, back to numbers, and multiplied one product
 * after the other in float. */
#include "narrow.h"
#include "operations.h"

#include <stdlib.h>

/* Quantizes a matrix and gives the values that its elements and scales stand for, as doubles in *out, to be freed.
 * *amax is the amax of the tensor where that is a factor of the sums. */
static int32_t operand_as_it_is(const portable_operand* by, const mxcert_array* values, uint64_t rows, uint64_t columns,
                                double** out, float* amax, const char** error) {
    *amax = 1;
    const uint64_t count = rows * columns;
    if (by->has_amax) *amax = portable_nvfp4_amax(by->quantize_how, values->data, count);
    uint8_t* elements = malloc(count);
    uint8_t* scales = malloc(count * sizeof(float)); /* no block is empty */
    *out = malloc(count * sizeof(double));
    int32_t status;
    if (elements == NULL || scales == NULL || *out == NULL) {
        status = portable_fail(MXCERT_ERROR, "no memory", error);
    } else {
        const mxcert_array quantized[] = {{elements, count, 1, 0}, {scales, count, 1, 0}};
        const mxcert_array back = {*out, count, sizeof(double), 0};
        mxcert_run_args args = {sizeof(args), 0, {rows, columns, by->block, 0}, 1, 2, values, quantized};
        status = by->quantize(by->quantize_how, &args, error);
        args.input_count = 2;
        args.output_count = 1;
        args.inputs = quantized;
        args.outputs = &back;
        if (status == MXCERT_OK) status = by->dequantize(by->dequantize_how, &args, error);
        /* From the last one on: the floats are in the first half. */
        if (status == MXCERT_OK && by->in_float)
            for (uint64_t i = count; i-- > 0;) {
                float x;
                memcpy(&x, (const unsigned char*)*out + i * sizeof x, sizeof x);
                (*out)[i] = x;
            }
    }
    free(elements);
    free(scales);
    return status;
}

/* The same of values that are transformed first, if they are. */
static int32_t operand_of(const portable_operand* by, const mxcert_array* values, uint64_t rows, uint64_t columns,
                          double** out, float* amax, const char** error) {
    *out = NULL;
    if (columns > SIZE_MAX / sizeof(double) / rows || values->count != rows * columns)
        return portable_fail(MXCERT_ERROR, "a tensor has not the size that the shape says", error);
    if (by->transform == NULL) return operand_as_it_is(by, values, rows, columns, out, amax, error);
    uint16_t* transformed = malloc(values->count * sizeof *transformed);
    if (transformed == NULL) return portable_fail(MXCERT_ERROR, "no memory for the transformed values", error);
    const mxcert_array results = {transformed, values->count, sizeof *transformed, 0};
    const mxcert_run_args args = {sizeof(args), 0, {rows, columns, 0, 0}, 1, 1, values, &results};
    int32_t status = portable_run_hadamard(by->transform, &args, error);
    if (status == MXCERT_OK) status = operand_as_it_is(by, &results, rows, columns, out, amax, error);
    free(transformed);
    return status;
}

int32_t portable_run_linear(const void* how, const mxcert_run_args* args, const char** error) {
    const portable_linear* by = how;
    const uint64_t tokens = args->shape[0];
    const uint64_t inputs = args->shape[1];
    const uint64_t outputs = args->shape[2];
    if (tokens == 0 || inputs == 0 || outputs == 0)
        return portable_fail(MXCERT_UNSUPPORTED, "a tensor without elements", error);
    if (args->input_count != (by->has_c ? 3u : 2u) || args->output_count != 1)
        return portable_fail(MXCERT_ERROR, "wrong number of arrays", error);
    const int forward = by->product == FPROP;
    const int of_weights = by->product == WGRAD;
    const uint64_t left_columns = forward ? inputs : outputs;
    double* left;
    double* right = NULL;
    float left_amax;
    float right_amax;
    int32_t status = operand_of(&by->left, &args->inputs[0], tokens, left_columns, &left, &left_amax, error);
    if (status == MXCERT_OK)
        status =
            operand_of(&by->right, &args->inputs[1], of_weights ? tokens : outputs, inputs, &right, &right_amax, error);
    if (status == MXCERT_OK) {
        /* D is m x n; neighbours along the sum are `*_along` apart, lines of it `*_across`. */
        const uint64_t m = of_weights ? outputs : tokens;
        const uint64_t n = forward ? outputs : inputs;
        const uint64_t k = of_weights ? tokens : left_columns;
        const uint64_t left_along = of_weights ? outputs : 1;
        const uint64_t left_across = of_weights ? 1 : left_columns;
        const uint64_t right_along = forward ? 1 : inputs;
        const uint64_t right_across = forward ? inputs : 1;
        const float* c = by->has_c ? args->inputs[2].data : NULL;
        float* d = args->outputs[0].data;
        uint16_t* narrow = args->outputs[0].data;
        const float square = 1.0f / (6.0f * 6.0f * 448.0f * 448.0f); /* of the range of a tensor */
        const float factor = by->left.has_amax ? left_amax * right_amax * square : 1.0f;
        for (uint64_t i = 0; i < m; ++i) {
            for (uint64_t j = 0; j < n; ++j) {
                float sum = c == NULL ? 0.0f : c[i * n + j];
                for (uint64_t l = 0; l < k; ++l)
                    sum += (float)(left[i * left_across + l * left_along] * right[j * right_across + l * right_along]);
                if (by->left.has_amax) sum *= factor;
                if (by->to_bf16)
                    narrow[i * n + j] = bf16_from_float(sum);
                else
                    d[i * n + j] = sum;
            }
        }
    }
    free(left);
    free(right);
    return status;
}
