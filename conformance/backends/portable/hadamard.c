/* SPDX-License-Identifier: Apache-2.0
 * The random Hadamard transform of 16 values: signs, four steps of sums and differences in float, a quarter of it. */
#include "operations.h"

#include "narrow.h"

#include <stdlib.h>

enum { SIZE = 16 };

static void change_signs(float* values, uint16_t signs) {
    for (int i = 0; i < SIZE; ++i)
        if (signs >> i & 1) values[i] = -values[i];
}

static void transform(const portable_hadamard* by, float* values) {
    for (int i = 0; i < SIZE; ++i) values[i] *= 0.25f;
    if (!by->inverse) change_signs(values, by->signs);
    for (int apart = SIZE / 2; apart > 0; apart /= 2) {
        for (int i = 0; i < SIZE; ++i) {
            if (i & apart) continue;
            const float a = values[i];
            const float b = values[i + apart];
            values[i] = a + b;
            values[i + apart] = a - b;
        }
    }
    if (by->inverse) change_signs(values, by->signs);
}

static void store(portable_target target, float value, void* values, uint64_t at) {
    if (target == TO_BF16)
        ((uint16_t*)values)[at] = bf16_from_float(value);
    else if (target == TO_FP16)
        ((uint16_t*)values)[at] = half_from_float(value);
    else
        ((float*)values)[at] = value;
}

/* Every line of a matrix, in groups of 16 values that are `step` apart. */
static void transform_matrix(const portable_hadamard* by, const void* in, void* out, uint64_t rows, uint64_t columns) {
    const uint64_t lines = by->axis == ROW ? rows : columns;
    const uint64_t length = by->axis == ROW ? columns : rows;
    const uint64_t step = by->axis == ROW ? 1 : columns;
    for (uint64_t line = 0; line < lines; ++line) {
        for (uint64_t first = 0; first < length; first += SIZE) {
            const uint64_t begin = by->axis == ROW ? line * columns + first : first * columns + line;
            float values[SIZE];
            for (uint64_t i = 0; i < SIZE; ++i) portable_load_floats(by->source, in, begin + i * step, 1, values + i);
            transform(by, values);
            for (uint64_t i = 0; i < SIZE; ++i) store(by->target, values[i], out, begin + i * step);
        }
    }
}

int32_t portable_run_hadamard(const void* how, const mxcert_run_args* args, const char** error) {
    const portable_hadamard* by = how;
    if (args->input_count != 1 || args->output_count != 1)
        return portable_fail(MXCERT_ERROR, "wrong number of arrays", error);
    if (args->inputs[0].count == 0) return portable_fail(MXCERT_UNSUPPORTED, "a matrix without elements", error);
    if (args->shape[by->axis == ROW ? 1 : 0] % SIZE != 0)
        return portable_fail(MXCERT_UNSUPPORTED, "groups of 16 values only", error);
    transform_matrix(by, args->inputs[0].data, args->outputs[0].data, args->shape[0], args->shape[1]);
    return MXCERT_OK;
}

int32_t portable_run_transformed(const void* how, const mxcert_run_args* args, const char** error) {
    const portable_transformed* by = how;
    if (args->input_count != 1) return portable_fail(MXCERT_ERROR, "wrong number of arrays", error);
    mxcert_array values = args->inputs[0];
    if (values.count == 0) return portable_fail(MXCERT_UNSUPPORTED, "a matrix without elements", error);
    values.data = malloc(values.count * sizeof(uint16_t));
    if (values.data == NULL) return portable_fail(MXCERT_ERROR, "no memory for the transformed values", error);
    mxcert_run_args step = *args;
    step.output_count = 1;
    step.outputs = &values;
    int32_t status = portable_run_hadamard(&by->transform, &step, error);
    if (status == MXCERT_OK) {
        step = *args;
        step.inputs = &values;
        status = by->run(by->how, &step, error);
    }
    free(values.data);
    return status;
}
