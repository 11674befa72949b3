/* SPDX-License-Identifier: Apache-2.0
 * The operations on arrays: a table of them in operations.c, a file for each kind. */
#ifndef MXCERT_PORTABLE_OPERATIONS_H
#define MXCERT_PORTABLE_OPERATIONS_H

#include "kernels.h"

#include "conformance/backend.h"

extern mxcert_operation portable_operations[];
extern const uint32_t portable_operation_count;
int32_t portable_run(const mxcert_run_args* args);
/* Why the last run failed. */
const char* portable_run_error(void);
/* To be called once before the operations are read. */
void portable_make_operations(void);

/* What runs operations of a kind: `how` is the kind's own record, `*error` why it was not MXCERT_OK. */
typedef int32_t portable_runner(const void* how, const mxcert_run_args* args, const char** error);
portable_runner portable_run_quantize, portable_run_quantize_2d, portable_run_dequantize, portable_run_float_quantize,
    portable_run_float_dequantize, portable_run_layout, portable_run_stochastic, portable_run_matmul,
    portable_run_matmul_promoted, portable_run_matmul_scaled, portable_run_linear, portable_run_nvfp4,
    portable_run_nvfp4_back, portable_run_partial_cast, portable_run_hadamard, portable_run_transformed,
    portable_run_packed, portable_run_packed_product, portable_run_laid_out, portable_run_activated;

static inline int32_t portable_fail(int32_t status, const char* why, const char** error) {
    *error = why;
    return status;
}

/* blocks.c: quantize and dequantize, with E8M0 scales. */
enum { ROW, COLUMN };
typedef struct {
    portable_kernel* scale;        /* quantize: an amax to the scale */
    portable_scaled_kernel* value; /* a value to its element, or back */
    uint32_t infinity;             /* the bits of the source's Inf; quantize only */
    uint32_t from;                 /* bytes of a value that comes in */
    uint32_t to;                   /* bytes of one that goes out */
    int axis;
} portable_blocks;

/* blocks.c: the amax of values, of `from` bytes each, to its scale. */
uint8_t portable_scale_of(const portable_blocks* e, const void* values, uint64_t count);

/* The values that share a scale; a side of 0 is all of the matrix. */
typedef struct {
    uint64_t rows;
    uint64_t columns;
} portable_tile;

/* quantize_2d.c: one E8M0 scale a tile. */
typedef struct {
    portable_blocks blocks;
    portable_tile tile;
} portable_quantize_2d;

/* packing.c: an operation of one matrix of elements whose elements are packed. */
typedef enum { PACKED_LOW_FIRST, PACKED_HIGH_FIRST, PACKED_HALVES } portable_packing;
typedef struct {
    portable_packing order;
    unsigned bits;        /* of an element */
    uint64_t block;       /* elements of a block along a row, of halves */
    int of_input;         /* the elements come in */
    portable_runner* run; /* what works on elements of a byte each */
    const void* how;
} portable_packed;

/* float_scale.c: how a float scale is kept, as float, half, bfloat16 or the exponent of a power of two; writing and
 * reading one. */
typedef enum { SCALE_FP32, SCALE_FP16, SCALE_BF16, SCALE_E8M0 } portable_scale_kind;
void portable_store_scale(portable_scale_kind kind, void* scales, uint64_t at, float scale);
float portable_load_scale(portable_scale_kind kind, const void* scales, uint64_t at);

/* The recipes: an amax to the two scales of its block. `largest` is the largest element, 448 or 57344. */
typedef struct {
    float scale;   /* value = element x scale */
    float inverse; /* 1 / scale */
} portable_scales;
typedef portable_scales portable_recipe(float amax, float largest, float limit, portable_scale_kind kind);
/* amax / largest, rounded to what it is kept in; 1 where the amax is zero. */
portable_recipe portable_absmax;
/* Transformer Engine: the inverse first, `limit` where it is beyond float; 1 where there is no amax to use. */
portable_recipe portable_te, portable_te_power_of_two;
/* DeepSeek-V3: amax / largest, whatever comes. */
portable_recipe portable_deepseek;
/* DeepGEMM: the same of 1e-4 at least; and as a power of two. */
portable_recipe portable_deepgemm, portable_deepgemm_power_of_two;

/* float_quantize.c */
typedef enum { FROM_FP32, FROM_FP16, FROM_BF16 } portable_source;
typedef struct {
    portable_source source;
    portable_recipe* recipe;
    portable_kernel* element; /* of the scaled float */
    float largest;
    float limit;
    int divides;        /* x / scale, else x times the inverse */
    int nan_propagates; /* to the amax */
    portable_scale_kind kind;
    portable_tile tile;
} portable_float_quantize;

/* Values of a source, from number `first` on, as float; and the smaller of two numbers. */
void portable_load_floats(portable_source source, const void* values, uint64_t first, uint64_t count, float* to);
static inline uint64_t portable_smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* nvfp4.c: what each recipe computes. A value is element x scale x decode. */
typedef struct {
    float encode;
    float decode;
} portable_nvfp4_tensor;
typedef struct {
    portable_nvfp4_tensor (*tensor)(float amax);
    float (*quotient)(portable_nvfp4_tensor tensor, float amax); /* the scale of a block before it is rounded */
    float (*factor)(portable_nvfp4_tensor tensor, float scale);  /* multiplies or divides the values of a block */
    int divides;
    int nan_propagates; /* to the amax */
    float nan;          /* what stands for a NaN among the values of a block */
    int zero_without_sign;
    uint8_t zero_scale; /* stands for a scale of zero */
    /* Not 0: the range of the tensor; blocks are mapped to 4 where the sum of their errors, squared or not, is smaller.
     */
    float two_maps_range;
    int squared;
    /* NULL: E4M3, which saturates. Else a scale that is zero gives zeros. */
    uint8_t (*rounded_scale)(float quotient);
    portable_kernel* decoded_scale; /* to float; NULL: of E4M3 */
} portable_nvfp4_recipe;
extern const portable_nvfp4_recipe portable_te_nvfp4, portable_te_nvfp4_4over6, portable_te_nvfp4_4over6_448_mse,
    portable_torchao_nvfp4, portable_torchao_nvfp4_one_level, portable_modelopt_nvfp4,
    portable_compressed_tensors_nvfp4, portable_compressed_tensors_nvfp4_bf16, portable_autoround_nvfp4_e5m3;
typedef struct {
    portable_source source;
    const portable_nvfp4_recipe* recipe;
    portable_tile tile;
    enum { NVFP4_GIVES_NOTHING, NVFP4_GIVES_DECODE, NVFP4_GIVES_ENCODE } gives;
    portable_kernel* elements; /* of scaled values; NULL: to nearest even */
} portable_nvfp4;
/* The largest magnitude of all values, as float. */
float portable_nvfp4_amax(const portable_nvfp4* by, const void* values, uint64_t count);

/* blocks.c: a quantizer of values of a source that are activated first. */
typedef enum { RELU, SRELU } portable_activation;
typedef struct {
    portable_source source;
    portable_activation activation;
    portable_runner* run; /* what quantizes them */
    const void* how;
} portable_activated;

/* float_dequantize.c */
typedef enum { TO_FP32, TO_FP16, TO_BF16, TO_FP64 } portable_target;
typedef struct {
    portable_kernel* element; /* to float */
    portable_target target;
    portable_scale_kind kind;
    portable_tile tile;
} portable_float_dequantize;

/* nvfp4.c: NVFP4 and back. `factor`: of the scale of a block and the number of the tensor; null: the scale. */
typedef float portable_nvfp4_factor(float scale, float number);
/* E2M1 to float, -0 as +0: ModelOpt. */
portable_kernel portable_e2m1_fp32_no_minus_zero;
portable_nvfp4_factor portable_nvfp4_times_amax, portable_nvfp4_times_decode, portable_nvfp4_over_encode;
typedef struct {
    portable_nvfp4_factor* factor;
    portable_kernel* scale; /* of a block, to float */
    portable_float_dequantize multiply;
} portable_nvfp4_back;

/* partial_cast.c: values times what their scale says, to elements; and what that is: the multiplier, a code of E8M0, or
 * the decoding scale of a block with the encoding scale of the tensor. */
typedef enum { GIVEN_ENCODE, GIVEN_E8M0, GIVEN_NVFP4 } portable_given;
typedef struct {
    portable_source source;
    portable_kernel* element; /* of the product */
    portable_given given;
    portable_tile block;
    int packs; /* two elements to a byte, the first one low */
} portable_partial_cast;

/* hadamard.c: groups of 16 values, by float. Bit i of the signs set: value i is negated, before the sums or, of the
 * inverse, after them. */
typedef struct portable_hadamard {
    portable_source source;
    portable_target target;
    uint16_t signs;
    int axis;
    int inverse;
} portable_hadamard;

/* hadamard.c: an operation of one matrix of bfloat16, which is transformed first. */
typedef struct {
    portable_hadamard transform;
    portable_runner* run;
    const void* how;
} portable_transformed;

/* layout.c: bytes of scales from rows to a layout, or back if it restores. */
typedef enum { PADDED_128X4, PADDED_4X128, SWIZZLE_128X4, SWIZZLE_128X4_COLUMNWISE } portable_layout_kind;
typedef struct {
    portable_layout_kind kind;
    int restores;
} portable_layout;

/* layout.c: an operation of a matrix in blocks of `block` whose scales, its second array, are in a layout. */
typedef struct {
    portable_layout_kind kind;
    int axis;
    uint64_t block;
    int of_input;         /* the scales come in */
    portable_runner* run; /* what has the scales in rows */
    const void* how;
} portable_laid_out;

/* stochastic.c: float to E4M3, E5M2 or E2M1 (whose NaN is the largest), stochastically. */
typedef struct {
    int fraction_bits;
    int bias;
    uint8_t max_code;
    uint8_t overflow_code; /* without saturation */
    uint8_t nan_code;
    uint8_t sign;
} portable_stochastic;
/* Float to E2M1 with 16 random bits of its own. */
portable_kernel portable_fp32_e2m1_at_random_a16, portable_fp32_e2m1_at_random_a16_pairs;
#define PORTABLE_STOCHASTIC_E4M3                                                                                       \
    { 3, 7, 0x7E, 0x7F, 0x7F, 0x80 }
#define PORTABLE_STOCHASTIC_E5M2                                                                                       \
    { 2, 15, 0x7B, 0x7C, 0x7F, 0x80 }
#define PORTABLE_STOCHASTIC_E2M1                                                                                       \
    { 1, 1, 0x07, 0x07, 0x07, 0x08 }

/* matmul.c: products in float, of elements with or without scales of blocks along the sum. */
typedef struct {
    portable_kernel* a; /* to double */
    portable_kernel* b;
    portable_kernel* scale; /* to double; NULL: none */
    uint64_t block;         /* elements that share a scale */
    int a_transposed;
    int b_transposed;
    int has_c;
} portable_matmul;

/* matmul.c: A and B of a run as floats, as they lie, A first and B at `*of_b`. To be freed by the caller; NULL
 * where there is no memory. */
float* portable_float_operands(portable_kernel* a, portable_kernel* b, const mxcert_run_args* args, float** of_b);

/* matmul_promoted.c: D = A B with float scales where sums of 128 products are promoted. */
typedef struct {
    portable_kernel* a; /* to float */
    portable_kernel* b;
} portable_matmul_promoted;

/* packing.c: A and B of a product, both packed in rows along the sum. */
typedef struct {
    portable_packing order;
    unsigned bits;        /* of an element */
    portable_runner* run; /* what works on elements of a byte each */
    const void* how;
} portable_packed_product;

/* matmul_scaled.c: D = A B^T with scales of tensors, or of rows of A and columns of B, that are applied to the sums. */
typedef struct {
    portable_kernel* a; /* to float */
    portable_kernel* b;
    portable_kernel* block_scale; /* to float: of 16 elements along the sum, applied to these; NULL: none */
    int by_lines;
    int has_bias; /* D is BF16 */
    int to_e4m3;  /* by a scale, with the amax; else D is BF16 */
    float factor; /* of the product of both scales */
} portable_matmul_scaled;

/* linear.c: a product of a linear layer. X W^T, G W, or G^T X, of which the gradients add up. */
typedef enum { FPROP, DGRAD, WGRAD } portable_product;
typedef struct {
    portable_runner* quantize;
    const void* quantize_how;
    portable_runner* dequantize; /* to double, or to float */
    const void* dequantize_how;
    uint64_t block; /* elements that share an E8M0 scale */
    int in_float;
    int has_amax;                              /* of NVFP4: the amax of the tensor is a factor of D */
    const struct portable_hadamard* transform; /* of bfloat16, before everything else; NULL: none */
} portable_operand;
typedef struct {
    portable_product product;
    int has_c;
    int to_bf16; /* D is rounded to BF16 at last */
    portable_operand left;
    portable_operand right;
} portable_linear;

/* scaling.c: a recipe for a whole tensor; `how` is its name. */
portable_runner portable_run_scaling;

#endif
