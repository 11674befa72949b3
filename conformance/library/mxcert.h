/* SPDX-License-Identifier: Apache-2.0 */
/* The reference on arrays, for programs in any language: libmxcert.
 *
 * A function returns MXCERT_OK, or another status with a text that mxcert_message() gives. Buffers are the caller's,
 * hold native-endian values one after the other in rows, and do not overlap. A format of 8 bits or fewer takes a byte a
 * value, right-aligned, whatever its width; `mxcert formats` lists the names.
 *
 * Options are one text of words NAME=VALUE with spaces between, named and valued as the options of the program's
 * command: "rounding=toward_zero overflow=nosat" as in `mxcert convert --rounding toward_zero --overflow nosat`. Words
 * that may be repeated on the command line may be repeated here: "choice=via=fp16_nearest_even". NULL or "" is none of
 * them.
 *
 * `threads`: at most so many work on a call; 0: one a core. Functions may be called from several threads at once. */
#ifndef MXCERT_LIBRARY_H
#define MXCERT_LIBRARY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header. mxcert_library_abi() gives that of the library: another one has other functions. */
#define MXCERT_LIBRARY_ABI 1u

#define MXCERT_OK 0
#define MXCERT_INVALID 2 /* an argument: an unknown name, a shape, a byte that is no code, ... */
#define MXCERT_FAILED 3  /* memory, threads, files */

#define MXCERT_MAX_RANK 64

#define MXCERT_LIBRARY_EXPORT __attribute__((visibility("default")))

MXCERT_LIBRARY_EXPORT uint32_t mxcert_library_abi(void);
/* "0.2.0" */
MXCERT_LIBRARY_EXPORT const char* mxcert_library_version(void);

/* The error of the last call of this thread that did not return MXCERT_OK. Valid until its next call. */
MXCERT_LIBRARY_EXPORT const char* mxcert_message(void);

/* Frees a text that a function gave out. NULL is allowed. */
MXCERT_LIBRARY_EXPORT void mxcert_free(char* text);

/* The bytes of a value of a format: 1, 2, 4 or 8. */
MXCERT_LIBRARY_EXPORT int mxcert_format_bytes(const char* format, uint32_t* bytes);

/* Converts `count` values, as `mxcert convert` does: OFP8 1.0 for e4m3 and e5m2. Options: profile, rounding, overflow,
 * choice. `random`: for a stochastic rounding a number of `random_bits` bits, 1 to 32, for each value; else NULL and 0.
 */
MXCERT_LIBRARY_EXPORT int mxcert_convert(const char* from, const char* to, const char* options, const void* in,
                                         const uint32_t* random, uint32_t random_bits, void* out, uint64_t count,
                                         uint32_t threads);

/* The result of quantizing, apart from the bytes. */
typedef struct mxcert_quantized {
    const char* element_format; /* "e4m3" */
    const char* scale_format;   /* "e8m0" */
    uint32_t block;             /* elements that share a scale */
    uint32_t tensor_scale;      /* of nvfp4: the decode scale of the tensor, bits of FP32; else those of 1 */
    uint32_t tensor_amax;       /* of nvfp4: what that was made from, bits of FP32; else 0 */
    uint32_t element_rank;
    uint32_t scale_rank;
    uint64_t element_shape[MXCERT_MAX_RANK]; /* of the bytes of the elements */
    uint64_t scale_shape[MXCERT_MAX_RANK];
} mxcert_quantized;

/* The result of mxcert_quantize() for values in a shape; without tensor_scale and tensor_amax, which need the values.
 */
MXCERT_LIBRARY_EXPORT int mxcert_quantized_shape(const char* format, const char* source, const char* options,
                                                 uint32_t rank, const uint64_t* shape, mxcert_quantized* result);

/* Quantizes in blocks, as `mxcert quantize` does: MX v1.0 6.3, or a recipe of NVFP4. `format`: "mxfp8_e4m3"; `source`,
 * the format of the values: fp32, fp16 or bf16. Options: profile, rule, rounding, overflow, scale-choice,
 * element-choice, amax-nan, amax-inf, recipe, tensor-amax, axis (row: blocks along the last axis; column: along the one
 * before it), block, packing, layout. */
MXCERT_LIBRARY_EXPORT int mxcert_quantize(const char* format, const char* source, const char* options, uint32_t rank,
                                          const uint64_t* shape, const void* values, uint8_t* elements, uint8_t* scales,
                                          mxcert_quantized* result, uint32_t threads);

/* The reverse, as `mxcert dequantize` does: MX v1.0 5.1. `shape` is that of the values, which become values of `to`:
 * fp64, fp32, fp16 or bf16. Options: axis, block, packing, layout, tensor-scale, rounding, overflow. */
MXCERT_LIBRARY_EXPORT int mxcert_dequantize(const char* format, const char* to, const char* options, uint32_t rank,
                                            const uint64_t* shape, const uint8_t* elements, const uint8_t* scales,
                                            void* values, uint32_t threads);

/* A matrix of a product. */
typedef struct mxcert_matrix {
    const char* format;   /* of the elements: "e4m3", "fp32" */
    const void* elements; /* in rows, unpacked */
    uint64_t rows;        /* as it lies */
    uint64_t columns;
    const uint8_t* scales;    /* of blocks, in rows; NULL: there are none */
    const char* scale_format; /* NULL: "e8m0" */
    const char* axis;         /* "row" or "column": along what a block lies; NULL: "row" */
    uint32_t block;
    uint32_t has_tensor_scale; /* 1 of nvfp4 */
    uint32_t tensor_scale;     /* bits of FP32 */
    uint32_t tensor_amax;
} mxcert_matrix;

/* The size of D = A B + C and the name of its format. Arguments as mxcert_matmul(). */
MXCERT_LIBRARY_EXPORT int mxcert_matmul_shape(const mxcert_matrix* a, const mxcert_matrix* b, const mxcert_matrix* c,
                                              const char* options, uint64_t* rows, uint64_t* columns,
                                              const char** format);

/* D = A B + C, as `mxcert matmul` does: exactly and rounded once, or as an accumulator adds. `c`: NULL for +0. `d`: in
 * rows. Options: transpose (nn, nt, tn or tt; without it nn), accumulator, epilogue, to. */
MXCERT_LIBRARY_EXPORT int mxcert_matmul(const mxcert_matrix* a, const mxcert_matrix* b, const mxcert_matrix* c,
                                        const char* options, void* d, uint32_t threads);

/* How one input becomes a code, as `mxcert explain` says it; or, with the option block=yes, how inputs with spaces
 * between become a block. Options: from, to, rounding, overflow, random, scale, rule, choice, block, and form: json as
 * `mxcert explain --json -` prints it, or text. `*text` is freed with mxcert_free(). */
MXCERT_LIBRARY_EXPORT int mxcert_explain(const char* inputs, const char* options, char** text);

/* The codes that a profile permits on every input of a conversion, "fp32-e4m3-nearest_even-sat". `profile`: NULL or ""
 * for ocp-sat or ocp-nosat, as the conversion says. JSON: "conversion", "profile", "from", "to", "vectors", "sha256"
 * and "rows", each with "first", "last", "codes", "any_nan" and "clause". */
MXCERT_LIBRARY_EXPORT int mxcert_step_table(const char* conversion, const char* profile, char** json);

/* The folder of the golden files that step tables are read from; without it they are computed, unless the environment
 * variable MXCERT_VECTORS names one. To be called before the first step table is asked for. */
MXCERT_LIBRARY_EXPORT int mxcert_use_vectors(const char* folder);

/* The classes of bugs that verdicts name, as `mxcert bugs --json -` prints them. */
MXCERT_LIBRARY_EXPORT int mxcert_bugs(char** json);

#ifdef __cplusplus
}
#endif

#endif
