/* SPDX-License-Identifier: Apache-2.0 */
#include "models.h"

static const result_format fp32 = {"fp32", 23, -126, 127, 31};
static const result_format fp16 = {"fp16", 10, -14, 15, 15};
enum { of_zero = -126, nan_scale = 0xFF };

/* clang-format off */
const tensor_core tensor_cores[] = {
    /*                          group  four  kept   result  bits  nearest  promoted  scaled */
    {"ada_fp8_f32",                16,    0,   13,   &fp32,   13,       0,        0,      0},
    {"ada_fp8_f16",                16,    0,   13,   &fp16,   10,       1,        0,      0},
    {"hopper_fp8_f32",             32,    0,   13,   &fp32,   13,       0,        0,      0},
    {"hopper_fp8_f16",             32,    0,   13,   &fp16,   10,       1,        0,      0},
    {"hopper_fp8_promote_128",     32,    0,   13,   &fp32,   13,       0,      128,      0},
    {"hopper_mma_fp8_f32",         16,    1,   25,   &fp32,   23,       0,       32,      0},
    {"hopper_mma_fp8_f16",         16,    1,   25,   &fp16,   10,       1,       32,      0},
    {"blackwell_fp8_f32",          32,    0,   25,   &fp32,   23,       0,        0,      0},
    {"blackwell_fp8_f16",          32,    0,   25,   &fp16,   10,       1,        0,      0},
    {"sm120_k16_fp8_f32",          16,    0,   25,   &fp32,   23,       0,        0,      0},
    {"sm120_k16_fp8_f16",          16,    0,   25,   &fp16,   10,       1,        0,      0},
    {"blackwell_mxf8f6f4",         32,    0,   25,   &fp32,   23,       0,        0,      1},
};
/* clang-format on */
const int tensor_core_count = sizeof tensor_cores / sizeof tensor_cores[0];

/* A number of the result's format: significand x 2^(exponent - fraction_bits), a subnormal with the lowest exponent. */
typedef struct {
    number_kind kind;
    int64_t significand;
    int exponent;
} sum;

/* Inf and NaN among the products of a dot, and c. */
typedef struct {
    int nan;
    int infinite[2];
} specials;

element read_element(const element_format* format, uint8_t code) {
    const int magnitude = code & 0x7F;
    const int field = magnitude >> format->fraction_bits;
    const int fraction = magnitude & ((1 << format->fraction_bits) - 1);
    element x = {finite, 0, 0};
    if (format->has_inf && field == 31) x.kind = fraction == 0 ? infinite : not_a_number;
    if (!format->has_inf && magnitude == 0x7F) x.kind = not_a_number;
    x.significand = fraction + (field != 0 ? 1 << format->fraction_bits : 0);
    x.exponent = magnitude == 0 ? of_zero : (field != 0 ? field : 1) - format->bias;
    if (code & 0x80) x.significand = -x.significand;
    return x;
}

static int64_t cut(int64_t significand, int down) {
    if (down <= 0) return significand * ((int64_t)1 << -down);
    const int64_t magnitude = significand < 0 ? -significand : significand;
    const int64_t kept = down < 63 ? magnitude >> down : 0;
    return significand < 0 ? -kept : kept;
}

/* total x 2^place, which is what a group came to. */
static sum to_result(const tensor_core* model, int64_t total, int place) {
    const result_format* format = model->result;
    const uint64_t magnitude = (uint64_t)(total < 0 ? -total : total);
    sum result = {finite, 0, of_zero};
    if (magnitude == 0) return result;
    int exponent = place;
    for (uint64_t rest = magnitude; rest > 1; rest >>= 1) ++exponent;
    if (exponent < format->lowest_exponent) exponent = format->lowest_exponent;
    const int down = exponent - model->result_bits - place;
    int64_t kept = cut((int64_t)magnitude, down);
    if (model->to_nearest && down > 0 && down < 63) {
        const uint64_t half = (uint64_t)1 << (down - 1);
        const uint64_t rest = magnitude & (2 * half - 1);
        if (rest > half || (rest == half && (kept & 1))) ++kept;
    }
    if (kept >> (model->result_bits + 1)) {
        kept >>= 1;
        ++exponent;
    }
    if (kept == 0) return result;
    if (exponent > format->highest_exponent) result.kind = infinite;
    result.exponent = exponent;
    result.significand = kept << (format->fraction_bits - model->result_bits);
    if (total < 0) result.significand = -result.significand;
    return result;
}

static sum read_sum(const result_format* format, uint32_t code) {
    const uint32_t magnitude = code & (((uint32_t)1 << format->sign_place) - 1);
    const int field = (int)(magnitude >> format->fraction_bits);
    const int64_t fraction = magnitude & (((uint32_t)1 << format->fraction_bits) - 1);
    sum x = {finite, 0, 0};
    if (field + format->lowest_exponent - 1 > format->highest_exponent)
        x.kind = fraction == 0 ? infinite : not_a_number;
    x.significand = field != 0 ? fraction | (int64_t)1 << format->fraction_bits : fraction;
    x.exponent = magnitude == 0 ? of_zero : (field != 0 ? field - 1 : 0) + format->lowest_exponent;
    if (code >> format->sign_place & 1) x.significand = -x.significand;
    return x;
}

static uint32_t write_sum(const result_format* format, sum x) {
    const uint32_t sign = x.significand < 0 ? (uint32_t)1 << format->sign_place : 0;
    const uint32_t last = ((uint32_t)1 << format->sign_place) - 1;
    const uint32_t exponents = (uint32_t)(format->highest_exponent - format->lowest_exponent + 2);
    if (x.kind == not_a_number) return last;
    if (x.kind == infinite) return sign | exponents << format->fraction_bits;
    if (x.significand == 0) return 0;
    const uint32_t magnitude = (uint32_t)(x.significand < 0 ? -x.significand : x.significand);
    return sign | (((uint32_t)(x.exponent - format->lowest_exponent) << format->fraction_bits) + magnitude);
}

/* c + x to nearest even: exact in double but for what is far below, which then only says that it is there. */
static sum add_to_nearest(const tensor_core* model, sum c, sum x) {
    const result_format* format = model->result;
    if (c.kind == not_a_number || x.kind == not_a_number ||
        (c.kind == infinite && x.kind == infinite && (c.significand < 0) != (x.significand < 0))) {
        const sum nan = {not_a_number, 0, 0};
        return nan;
    }
    if (c.kind == infinite) return c;
    if (x.kind == infinite) return x;
    if (c.significand == 0) return x;
    if (x.significand == 0) return c;
    /* The one with the larger exponent moves up by as much as there is room for: 38 bits. */
    const sum high = c.exponent >= x.exponent ? c : x;
    const sum low = c.exponent >= x.exponent ? x : c;
    const int apart = high.exponent - low.exponent;
    const int up = apart < 38 ? apart : 38;
    int64_t total = high.significand * ((int64_t)1 << up);
    const int64_t kept = cut(low.significand, apart - up);
    total += kept;
    if (kept * ((int64_t)1 << (apart - up < 24 ? apart - up : 24)) != low.significand)
        total = low.significand < 0 ? (total - 1) | 1 : total | 1;
    tensor_core nearest = *model;
    nearest.to_nearest = 1;
    nearest.result_bits = format->fraction_bits;
    return to_result(&nearest, total, high.exponent - format->fraction_bits - up);
}

/* One group: n products and c. All are finite. */
static sum add_group(const tensor_core* model, int fraction_bits, const element* a, const element* b, const int* scales,
                     int n, sum c) {
    int highest = c.exponent;
    for (int i = 0; i < n; ++i) {
        const int exponent = a[i].exponent + b[i].exponent + scales[i];
        if (exponent > highest) highest = exponent;
    }
    int64_t total = cut(c.significand, highest - c.exponent + model->result->fraction_bits - model->kept);
    for (int i = 0; i < n; ++i) {
        const int exponent = a[i].exponent + b[i].exponent + scales[i];
        total += cut(a[i].significand * b[i].significand, highest - exponent + fraction_bits - model->kept);
    }
    return to_result(model, total, highest - model->kept);
}

/* What Inf and NaN among the operands make of a product. */
static void look(specials* found, element a, element b) {
    const int zero = (a.kind == finite && a.significand == 0) || (b.kind == finite && b.significand == 0);
    const int negative = (a.significand < 0) != (b.significand < 0);
    if (a.kind == not_a_number || b.kind == not_a_number || ((a.kind == infinite || b.kind == infinite) && zero))
        found->nan = 1;
    else if (a.kind == infinite || b.kind == infinite)
        found->infinite[negative] = 1;
}

static sum special_sum(const specials* found, int* is_special) {
    sum x = {finite, 0, of_zero};
    *is_special = found->nan || found->infinite[0] || found->infinite[1];
    if (found->nan || (found->infinite[0] && found->infinite[1])) {
        x.kind = not_a_number;
    } else if (*is_special) {
        x.kind = infinite;
        x.significand = found->infinite[1] ? -1 : 1;
    }
    return x;
}

/* The places of the products of a group within its 32 or more, and how many there are. */
static int places_of_group(const tensor_core* model, uint64_t begin, uint64_t k, uint64_t* places) {
    int n = 0;
    for (int i = 0; i < model->group; ++i) {
        const uint64_t group = begin / (uint64_t)model->group;
        const uint64_t at = model->of_four ? group / 2 * 32 + (uint64_t)(i / 2) * 4 + (uint64_t)(i % 2) + group % 2 * 2
                                           : begin + (uint64_t)i;
        if (at < k) places[n++] = at;
    }
    return n;
}

/* A group, or what Inf and NaN make of it. */
static sum step(const tensor_core* model, int fraction_bits, const element* a, const element* b,
                const uint8_t* scales_a, const uint8_t* scales_b, uint64_t begin, uint64_t k, sum c) {
    uint64_t places[largest_group];
    element of_a[largest_group];
    element of_b[largest_group];
    int scales[largest_group] = {0};
    specials found = {c.kind == not_a_number, {0, 0}};
    if (c.kind == infinite) found.infinite[c.significand < 0] = 1;
    const int n = places_of_group(model, begin, k, places);
    for (int i = 0; i < n; ++i) {
        of_a[i] = a[places[i]];
        of_b[i] = b[places[i]];
        look(&found, of_a[i], of_b[i]);
        if (!model->scaled) continue;
        const uint8_t scale_a = scales_a[places[i] / 32];
        const uint8_t scale_b = scales_b[places[i] / 32];
        if (scale_a == nan_scale || scale_b == nan_scale) found.nan = 1;
        scales[i] = scale_a - 127 + scale_b - 127;
    }
    int is_special = 0;
    const sum special = special_sum(&found, &is_special);
    return is_special ? special : add_group(model, fraction_bits, of_a, of_b, scales, n, c);
}

uint32_t tensor_core_dot(const tensor_core* model, int fraction_bits_of_product, const element* a, const element* b,
                         const uint8_t* scales_a, const uint8_t* scales_b, uint64_t k, uint32_t c) {
    const sum zero = {finite, 0, of_zero};
    const uint64_t group = (uint64_t)model->group;
    /* Two of each four products: whole instructions of 32, filled up with zeros. */
    const uint64_t end = model->of_four ? (k + 31) / 32 * 32 : k;
    sum total = read_sum(model->result, c);
    sum promoted = total;
    if (model->promoted_after) total = zero;
    for (uint64_t begin = 0; begin < end; begin += group) {
        total = step(model, fraction_bits_of_product, a, b, scales_a, scales_b, begin, k, total);
        const uint64_t added = begin + group;
        if (!model->promoted_after || (added % (uint64_t)model->promoted_after != 0 && added < end)) continue;
        promoted = add_to_nearest(model, promoted, total);
        total = zero;
    }
    return write_sum(model->result, model->promoted_after ? promoted : total);
}
