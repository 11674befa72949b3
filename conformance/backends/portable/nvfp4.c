/* SPDX-License-Identifier: Apache-2.0
 * NVFP4: the amaxes, the scales of the tensor and of a block, and the scaled values in float; scales and elements by
 * the kernels of single values. Each recipe is what its source computes, in its order. */
#include "narrow.h"
#include "operations.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { SIDE = 16, LARGEST_BLOCK = SIDE * SIDE };

static float limited(float value) { return value <= FLT_MAX ? value : FLT_MAX; }
static portable_nvfp4_tensor by_encode(float encode) { return (portable_nvfp4_tensor){encode, 1.0f / encode}; }
static portable_nvfp4_tensor by_decode(float decode) { return (portable_nvfp4_tensor){1.0f / decode, decode}; }
static const float range = 448.0f * 6.0f;

/* Transformer Engine */
static portable_nvfp4_tensor te_tensor(float amax) {
    const float encode = limited(range / amax);
    return by_encode(amax == 0 || encode == 0 ? 1.0f : encode);
}
static float te_quotient(portable_nvfp4_tensor tensor, float amax) {
    return limited(amax * (tensor.encode * (1.0f / 6.0f)));
}
static float te_factor(portable_nvfp4_tensor tensor, float scale) { return limited(1.0f / (scale * tensor.decode)); }
const portable_nvfp4_recipe portable_te_nvfp4 = {te_tensor, te_quotient, te_factor, 0, 0, 6, 0, 0, 0, 0, NULL, NULL};

/* The same with 4over6: a range of 256 x 6 leaves room for scales that are 1.5 times as large. */
static const float smaller_range = 256.0f * 6.0f;
static portable_nvfp4_tensor te_smaller_tensor(float amax) {
    const float encode = limited(smaller_range / amax);
    return by_encode(amax == 0 || encode == 0 ? 1.0f : encode);
}
static float te_quotient_of_two(portable_nvfp4_tensor tensor, float amax) {
    return limited(amax / 6.0f * tensor.encode);
}
const portable_nvfp4_recipe portable_te_nvfp4_4over6 = {
    te_smaller_tensor, te_quotient_of_two, te_factor, 0, 0, 6, 0, 0, 256.0f * 6.0f, 0, NULL, NULL};
const portable_nvfp4_recipe portable_te_nvfp4_4over6_448_mse = {
    te_tensor, te_quotient_of_two, te_factor, 0, 0, 6, 0, 0, 448.0f * 6.0f, 1, NULL, NULL};

/* torchao */
static portable_nvfp4_tensor torchao_tensor(float amax) { return by_decode(amax / range); }
static portable_nvfp4_tensor torchao_no_tensor(float amax) {
    (void)amax;
    return by_decode(1.0f);
}
static float torchao_quotient(portable_nvfp4_tensor tensor, float amax) {
    const float quotient = amax / 6.0f / tensor.decode;
    return quotient < 0x1p-6f ? 0x1p-6f : quotient;
}
static float torchao_factor(portable_nvfp4_tensor tensor, float scale) { return 1.0f / tensor.decode / scale; }
const portable_nvfp4_recipe portable_torchao_nvfp4 = {
    torchao_tensor, torchao_quotient, torchao_factor, 0, 1, 6, 0, 0, 0, 0, NULL, NULL};
const portable_nvfp4_recipe portable_torchao_nvfp4_one_level = {
    torchao_no_tensor, torchao_quotient, torchao_factor, 0, 1, 6, 0, 0, 0, 0, NULL, NULL};

/* ModelOpt */
static float modelopt_quotient(portable_nvfp4_tensor tensor, float amax) {
    const float quotient = amax / (6.0f * tensor.decode);
    if (quotient == 0) return 1.0f;
    return quotient < 0x1p-9f ? 0x1p-9f : quotient;
}
static float modelopt_factor(portable_nvfp4_tensor tensor, float scale) { return scale * tensor.decode; }
const portable_nvfp4_recipe portable_modelopt_nvfp4 = {
    torchao_tensor, modelopt_quotient, modelopt_factor, 1, 1, 6, 1, 0, 0, 0, NULL, NULL};

/* compressed-tensors */
static portable_nvfp4_tensor compressed_tensor(float amax) {
    const float encode = 1.0f / (amax < FLT_MIN ? FLT_MIN : amax) * range;
    return by_encode(isfinite(encode) ? encode : 1.0f);
}
static float compressed_quotient(portable_nvfp4_tensor tensor, float amax) { return tensor.encode * (amax / 6.0f); }
static float compressed_factor(portable_nvfp4_tensor tensor, float scale) { return scale / tensor.encode; }
const portable_nvfp4_recipe portable_compressed_tensors_nvfp4 = {
    compressed_tensor, compressed_quotient, compressed_factor, 1, 1, 0, 1, 0x20, 0, 0, NULL, NULL};

/* The same on tensors of bfloat16: what is made of an amax is bfloat16, too. */
static float in_bf16(float value) { return bf16_to_float(bf16_from_float(value)); }
static portable_nvfp4_tensor compressed_tensor_bf16(float amax) {
    const float encode = in_bf16(in_bf16(1.0f / (amax < FLT_MIN ? FLT_MIN : amax)) * range);
    return by_encode(isfinite(encode) ? encode : 1.0f);
}
static float compressed_quotient_bf16(portable_nvfp4_tensor tensor, float amax) {
    return tensor.encode * in_bf16(amax / 6.0f);
}
const portable_nvfp4_recipe portable_compressed_tensors_nvfp4_bf16 = {
    compressed_tensor_bf16, compressed_quotient_bf16, compressed_factor, 1, 1, 0, 1, 0x20, 0, 0, NULL, NULL};

/* AutoRound: a scale in UE5M3 is all there is. Its fraction is rounded, and does not carry into the exponent. */
static uint8_t autoround_scale(float quotient) {
    if (!(quotient > 0)) return 0;
    if (quotient > 114688.0f) quotient = 114688.0f;
    int code;
    if (quotient < 0x1p-14f) {
        code = (int)rintf(quotient * 0x1p17f);
        return (uint8_t)(code < 1 ? 1 : code > 7 ? 7 : code);
    }
    uint32_t bits;
    memcpy(&bits, &quotient, sizeof bits);
    const int eighths = (int)rintf((float)(bits & 0x7FFFFF) * 0x1p-20f);
    code = ((int)(bits >> 23) - 127 + 15) << 3 | (eighths > 7 ? 7 : eighths);
    return (uint8_t)code;
}
static float autoround_quotient(portable_nvfp4_tensor tensor, float amax) {
    (void)tensor;
    return amax * (1.0f / 6.0f);
}
static float autoround_factor(portable_nvfp4_tensor tensor, float scale) {
    (void)tensor;
    return scale;
}
const portable_nvfp4_recipe portable_autoround_nvfp4_e5m3 = {
    torchao_no_tensor, autoround_quotient, autoround_factor, 1, 1, 6, 1, 0, 0, 0, autoround_scale, portable_ue5m3_fp32};

static float amax_of(const portable_nvfp4_recipe* recipe, const float* values, uint64_t count, float before) {
    float amax = before;
    int any_nan = 0;
    for (uint64_t i = 0; i < count; ++i) {
        any_nan |= isnan(values[i]);
        amax = fabsf(values[i]) > amax ? fabsf(values[i]) : amax;
    }
    return (any_nan || isnan(before)) && recipe->nan_propagates ? NAN : amax;
}

float portable_nvfp4_amax(const portable_nvfp4* by, const void* values, uint64_t count) {
    float piece[LARGEST_BLOCK];
    float amax = 0;
    for (uint64_t done = 0; done < count; done += LARGEST_BLOCK) {
        const uint64_t here = portable_smaller(LARGEST_BLOCK, count - done);
        portable_load_floats(by->source, values, done, here, piece);
        amax = amax_of(by->recipe, piece, here, amax);
    }
    return amax;
}

static uint8_t rounded_scale(const portable_nvfp4_recipe* recipe, float quotient) {
    if (recipe->rounded_scale != NULL) return recipe->rounded_scale(quotient);
    uint8_t scale;
    portable_fp32_e4m3_ne_sat(&quotient, &scale, 1);
    return scale == 0 ? recipe->zero_scale : scale;
}

/* The elements of a block under a scale. */
static void to_elements(const portable_nvfp4* by, portable_nvfp4_tensor tensor, uint8_t scale, const float* values,
                        uint64_t count, uint8_t* elements) {
    const portable_nvfp4_recipe* const recipe = by->recipe;
    float scaled[LARGEST_BLOCK];
    float decoded;
    if (recipe->rounded_scale != NULL && scale == 0) {
        memset(elements, 0, count);
        return;
    }
    if (recipe->decoded_scale != NULL)
        recipe->decoded_scale(&scale, &decoded, 1);
    else
        portable_e4m3_fp32(&scale, &decoded, 1);
    const float factor = recipe->factor(tensor, decoded);
    if (recipe->divides)
        for (uint64_t i = 0; i < count; ++i) scaled[i] = values[i] / factor;
    else
        for (uint64_t i = 0; i < count; ++i) scaled[i] = values[i] * factor;
    for (uint64_t i = 0; i < count; ++i) {
        if (isnan(scaled[i])) scaled[i] = recipe->nan;
        if (recipe->zero_without_sign && scaled[i] == 0) scaled[i] = 0;
    }
    (by->elements != NULL ? by->elements : portable_fp32_e2m1_ne_sat)(scaled, elements, count);
}

/* The sum of the errors of a block: one for each row, and these added by halves. A block of one
 * column is one sum. */
static float error_of(const portable_nvfp4_recipe* recipe, float tensor_amax, uint8_t scale, const uint8_t* elements,
                      const float* values, uint64_t count, uint64_t wide) {
    float numbers[LARGEST_BLOCK];
    float sums[SIDE] = {0};
    float decoded;
    portable_e2m1_fp32(elements, numbers, count);
    portable_e4m3_fp32(&scale, &decoded, 1);
    for (uint64_t i = 0; i < count; ++i) {
        const float error = numbers[i] * decoded * tensor_amax / recipe->two_maps_range - values[i];
        sums[wide == 1 ? 0 : i / wide] += recipe->squared ? error * error : fabsf(error);
    }
    if (wide == 1 || count <= wide) return sums[0];
    for (int half = SIDE / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
    return sums[0];
}

/* One block of `count` values in rows of `wide`: its elements, and its scale. */
static uint8_t quantize_block(const portable_nvfp4* by, portable_nvfp4_tensor tensor, float tensor_amax,
                              const float* values, uint64_t count, uint64_t wide, uint8_t* elements) {
    const portable_nvfp4_recipe* const recipe = by->recipe;
    const float quotient = recipe->quotient(tensor, amax_of(recipe, values, count, 0));
    const uint8_t to_6 = rounded_scale(recipe, quotient);
    to_elements(by, tensor, to_6, values, count, elements);
    if (recipe->two_maps_range == 0) return to_6;
    uint8_t other[LARGEST_BLOCK];
    const uint8_t to_4 = rounded_scale(recipe, quotient * 1.5f);
    to_elements(by, tensor, to_4, values, count, other);
    if (!(error_of(recipe, tensor_amax, to_4, other, values, count, wide) <
          error_of(recipe, tensor_amax, to_6, elements, values, count, wide)))
        return to_6;
    memcpy(elements, other, count);
    return to_4;
}

int32_t portable_run_nvfp4(const void* how, const mxcert_run_args* args, const char** error) {
    const portable_nvfp4* by = how;
    const uint64_t rows = args->shape[0];
    const uint64_t columns = args->shape[1];
    if (rows == 0 || columns == 0) return portable_fail(MXCERT_UNSUPPORTED, "a matrix without elements", error);
    if (args->input_count != 1 || args->output_count != (by->gives == NVFP4_GIVES_NOTHING ? 2u : 3u))
        return portable_fail(MXCERT_ERROR, "wrong number of arrays", error);
    const void* in = args->inputs[0].data;
    uint8_t* elements = args->outputs[0].data;
    uint8_t* scales = args->outputs[1].data;
    const float tensor_amax = portable_nvfp4_amax(by, in, rows * columns);
    const portable_nvfp4_tensor tensor = by->recipe->tensor(tensor_amax);
    for (uint64_t top = 0; top < rows; top += by->tile.rows) {
        const uint64_t high = portable_smaller(by->tile.rows, rows - top);
        for (uint64_t left = 0; left < columns; left += by->tile.columns) {
            const uint64_t wide = portable_smaller(by->tile.columns, columns - left);
            float block[LARGEST_BLOCK];
            for (uint64_t row = 0; row < high; ++row)
                portable_load_floats(by->source, in, (top + row) * columns + left, wide, block + row * wide);
            uint8_t codes[LARGEST_BLOCK];
            *scales++ = quantize_block(by, tensor, tensor_amax, block, high * wide, wide, codes);
            for (uint64_t row = 0; row < high; ++row)
                memcpy(elements + (top + row) * columns + left, codes + row * wide, wide);
        }
    }
    if (by->gives == NVFP4_GIVES_ENCODE) *(float*)args->outputs[2].data = tensor.encode;
    if (by->gives == NVFP4_GIVES_DECODE) *(float*)args->outputs[2].data = tensor.decode;
    return MXCERT_OK;
}

/* And back: what each recipe makes of the scale of a block and the number of the tensor is a float, and the rest is
 * what any float scale does. */
float portable_nvfp4_times_amax(float scale, float amax) { return scale * amax * (1.0f / (6.0f * 448.0f)); }
float portable_nvfp4_times_decode(float scale, float decode) { return scale * decode; }
float portable_nvfp4_over_encode(float scale, float encode) { return scale / encode; }

void portable_e2m1_fp32_no_minus_zero(const void* in, void* out, uint64_t count) {
    portable_e2m1_fp32(in, out, count);
    float* const values = out;
    for (uint64_t i = 0; i < count; ++i) values[i] = values[i] == 0 ? 0 : values[i];
}

int32_t portable_run_nvfp4_back(const void* how, const mxcert_run_args* args, const char** error) {
    const portable_nvfp4_back* by = how;
    if (args->input_count != (by->factor == NULL ? 2u : 3u) || args->output_count != 1)
        return portable_fail(MXCERT_ERROR, "wrong number of arrays", error);
    const uint64_t blocks = args->inputs[1].count;
    if (blocks == 0) return portable_fail(MXCERT_UNSUPPORTED, "a matrix without elements", error);
    float* const factors = malloc(blocks * sizeof *factors);
    if (factors == NULL) return portable_fail(MXCERT_ERROR, "no memory for the factors", error);
    by->scale(args->inputs[1].data, factors, blocks);
    if (by->factor != NULL)
        for (uint64_t i = 0; i < blocks; ++i) factors[i] = by->factor(factors[i], *(const float*)args->inputs[2].data);
    const mxcert_array inputs[2] = {args->inputs[0], {factors, blocks, sizeof *factors, 0}};
    mxcert_run_args of_factors = *args;
    of_factors.input_count = 2;
    of_factors.inputs = inputs;
    const int32_t status = portable_run_float_dequantize(&by->multiply, &of_factors, error);
    free(factors);
    return status;
}
