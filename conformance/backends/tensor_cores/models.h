/* SPDX-License-Identifier: Apache-2.0
 * How NVIDIA's tensor cores add products of FP8, as docs/matmul.md has it: the terms of a group are cut below the
 * largest exponent among them, and so is their sum. */
#ifndef MXCERT_TENSOR_CORES_MODELS_H
#define MXCERT_TENSOR_CORES_MODELS_H

#include <stdint.h>

enum { fp8_count = 256, largest_group = 32 };

typedef struct {
    const char* name;
    int fraction_bits;
    int bias;
    int has_inf; /* E5M2; of E4M3 only the largest code is NaN */
} element_format;

typedef struct {
    const char* name;
    int fraction_bits;
    int lowest_exponent; /* of normal numbers */
    int highest_exponent;
    int sign_place;
} result_format;

typedef struct {
    const char* name;
    int group;   /* products that are added at once */
    int of_four; /* groups take two of each four products: those of 32 are two groups */
    int kept;    /* bits below the largest exponent */
    const result_format* result;
    int result_bits;    /* of its fraction, what is made */
    int to_nearest;     /* the result is rounded to nearest even, not cut */
    int promoted_after; /* products after which the sum is added to one of the result's format; 0: never */
    int scaled;         /* E8M0 scales of 32 are part of the exponents */
} tensor_core;

extern const tensor_core tensor_cores[];
extern const int tensor_core_count;

/* A code as an integer of fraction_bits below the point, and its exponent. */
typedef enum { finite, infinite, not_a_number } number_kind;
typedef struct {
    number_kind kind;
    int32_t significand; /* with its sign */
    int exponent;
} element;

element read_element(const element_format* format, uint8_t code);

/* c + a[0] b[0] + a[1] b[1] + ..., all of k. The scales are of 32 products each, NULL where there are none. */
uint32_t tensor_core_dot(const tensor_core* model, int fraction_bits_of_product, const element* a, const element* b,
                         const uint8_t* scales_a, const uint8_t* scales_b, uint64_t k, uint32_t c);

#endif
