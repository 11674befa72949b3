/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface of a backend: an implementation of FP8 conversions under test, built as a shared library.
 *
 * C11, no dependencies. Export one function, mxcert_get_api(), that returns a pointer to a static mxcert_api. The
 * library runs in its own worker process: a crash, a hang or a leak affects its own verdict only, and it may print. It
 * never sees an expected answer. Calls come from one thread, one at a time. No C++ exception may leave a function; one
 * that does is caught and counts as MXCERT_ERROR.
 *
 * Versions: a change of MXCERT_ABI_MAJOR is incompatible. Fields are only ever appended to a struct, which raises
 * MXCERT_ABI_MINOR. Every struct except mxcert_array and mxcert_step starts with its size as the backend's compiler saw
 * it, and nothing beyond is read. Reserved fields are 0 in this version: the worker sets them to 0 and refuses a
 * backend that does not. A later version may define flags that a worker of this version must refuse.
 *
 * A complete example is in docs/writing-a-backend.md; a larger one is conformance/backends/portable/portable.c.
 */
#ifndef MXCERT_BACKEND_H
#define MXCERT_BACKEND_H

#include <stddef.h> /* NULL, for the optional functions; offsetof */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MXCERT_ABI_MAJOR 2u
#define MXCERT_ABI_MINOR 1u

/* What convert() returns. Anything else is an error too, and is reported with its number. */
#define MXCERT_OK 0
#define MXCERT_UNSUPPORTED 1 /* this device or build cannot do this conversion after all; last_error() says why */
#define MXCERT_ERROR 2       /* it failed; last_error() says why */

/* One conversion that the backend offers. All strings are names as `mxcert formats` and `mxcert choices` print them.
 * The scale of a block is a conversion too: from its largest magnitude, "amax_fp32", "amax_fp16" or "amax_bf16", to an
 * E8M0 byte, "e8m0_for_e4m3" or "e8m0_for_e5m2", with a scale rule (`mxcert rules`) in the place of the rounding.
 * Quantizing with a given scale is one from "fp32_by_e8m0" and the like, dequantizing one from "e4m3_times_e8m0" or
 * "e5m2_times_e8m0".
 * Every element of an array of these has the struct_size of the first, which is also the distance between elements. */
typedef struct mxcert_conversion {
    uint32_t struct_size;
    uint32_t random_bits; /* stochastic roundings: n, the number of random bits a value takes, 1 to 32; otherwise 0 */
    const char* source;   /* format of the input: "fp64", "fp32", "fp16", "bf16", "e4m3", ... */
    const char* target;   /* format of the output */
    const char* rounding; /* "nearest_even", "toward_zero", "up", ...; where nothing is rounded, "nearest_even" */
    const char* overflow; /* "sat", "nosat" or "sat_finite"; where nothing overflows, "nosat" */
} mxcert_conversion;

/* The exceptions of IEEE 754 that a conversion raises, as bits of a byte: those of RISC-V's fflags. */
#define MXCERT_INEXACT 0x01u
#define MXCERT_UNDERFLOW 0x02u
#define MXCERT_OVERFLOW 0x04u
#define MXCERT_DIVIDE_BY_ZERO 0x08u /* no conversion raises it */
#define MXCERT_INVALID 0x10u

/* One batch. The buffers belong to the caller, hold `count` values each, do not overlap, and are valid during the call.
 * Formats narrower than a byte take one byte a value, right-aligned; multi-byte values are in native byte order.
 * Buffers are aligned to the size of a value, no more. Nothing outside `output` may be written. `count` is at least 1
 * and changes from call to call. */
typedef struct mxcert_convert_args {
    uint32_t struct_size;
    uint32_t conversion; /* index into mxcert_api.conversions */
    uint64_t count;
    const void* input;
    const uint32_t* random; /* stochastic roundings: R of each value, 0 <= R < 2^random_bits; otherwise NULL */
    void* output;
    /* Sources with a given scale: the scale of the whole batch, an E8M0 code; otherwise 0. `input` holds the values
     * without it: "fp32_by_e8m0" comes as FP32. */
    uint32_t scale;
    uint32_t tensor_scale; /* reserved, 0: the second scale of formats that have two */
    /* Since 2.1; read it through MXCERT_FLAGS(args). Conversions that have mxcert_api.has_flags: a byte for each value
     * to fill with the exceptions of that value alone, or, with MXCERT_FLAGS_OF_BATCH, one byte to fill with those of
     * all values together; NULL if nobody asks. The output is to be filled as well. */
    uint8_t* flags;
} mxcert_convert_args;

/* The flags to fill, or NULL, in a worker that knows no flags too. */
#define MXCERT_FLAGS(args)                                                                                             \
    ((args)->struct_size >= offsetof(mxcert_convert_args, flags) + sizeof(uint8_t*) ? (args)->flags : NULL)

/* mxcert_api.has_flags: the exceptions of each value, or those of a whole batch. */
#define MXCERT_FLAGS_OF_VALUES 1u
#define MXCERT_FLAGS_OF_BATCH 2u

/* The code of every input up to `last`, from the input after the step before, or from the first one. */
typedef struct mxcert_step {
    uint64_t last;
    uint64_t code;
} mxcert_step;

/* `count` inputs of up to 32 bits, at least one: the codes `first`, first + 1, ... , without their scale
 * as in mxcert_convert_args; the backend makes them itself. The answer is run-length encoded: `step_count` steps in
 * ascending order, of which the last one ends with the last input. Where there would be more than `capacity`, any
 * larger number with MXCERT_OK: `steps` is not looked at then, and the range comes in batches. */
typedef struct mxcert_range_args {
    uint32_t struct_size;
    uint32_t conversion; /* index into mxcert_api.conversions; none that takes random bits */
    uint64_t first;
    uint64_t count;
    uint32_t scale; /* as in mxcert_convert_args */
    uint32_t capacity;
    mxcert_step* steps;
    uint64_t* step_count;
} mxcert_range_args;

/* One operation on arrays that the backend offers, such as quantizing a matrix in blocks. docs/operations.md
 * lists the inputs, outputs and attributes of each. `attributes` has every attribute as "key=value", separated by
 * spaces, in any order. Every element of an array of these has the struct_size of the
 * first, which is also the distance between elements. */
typedef struct mxcert_operation {
    uint32_t struct_size;
    const char* name;       /* "quantize", "dequantize" */
    const char* attributes; /* "source=fp32 element=e4m3 scale=e8m0 rule=ocp_floor ..." */
} mxcert_operation;

/* `count` values of `width` bytes each (1, 2, 4 or 8), in native byte order, aligned to 64 bytes. With the attribute
 * `packing` a byte holds several elements, row after row; with `layout` scales include the layout's padding. */
typedef struct mxcert_array {
    void* data;
    uint64_t count;
    uint32_t width;
    uint32_t packing; /* reserved, 0 */
} mxcert_array;

/* One run of an operation. The arrays belong to the caller, are valid during the call and do not overlap. Fill the
 * outputs, do not write the inputs, and touch nothing else. */
typedef struct mxcert_run_args {
    uint32_t struct_size;
    uint32_t operation; /* index into mxcert_api.operations */
    uint64_t shape[4];  /* sizes, as the operation says; the rest 0 */
    uint32_t input_count;
    uint32_t output_count;
    const mxcert_array* inputs;
    const mxcert_array* outputs;
} mxcert_run_args;

/* mxcert_api.flags: all workers share one device, which serves them in turn and slowly. There is one worker, unless
 * --jobs sets a number. */
#define MXCERT_ONE_WORKER 1u

typedef struct mxcert_api {
    uint32_t struct_size;
    uint32_t abi_major; /* MXCERT_ABI_MAJOR of the header the backend was built with */
    uint32_t abi_minor;
    uint32_t conversion_count; /* at least 1, unless there are operations */
    const mxcert_conversion* conversions;
    /* Strings are UTF-8, at most 1023 bytes, and never NULL. */
    const char* name;        /* short, no spaces: "portable" */
    const char* version;     /* of the implementation under test: "13.0" */
    const char* description; /* one line for people: what code this is, on what it runs */

    /* Called once before the first convert(), run() or convert_range(); `options` is what --backend-option gave, or "",
     * valid during the call. 0, or an MXCERT_ status, which is then the answer to every request. May be NULL. */
    int32_t (*open)(const char* options);

    /* Converts a batch: 0, or an MXCERT_ status. Not NULL if there are conversions. */
    int32_t (*convert)(const mxcert_convert_args* args);

    /* Why the last call failed: one line, valid until the next call. May be NULL. */
    const char* (*last_error)(void);

    /* Called once at the end, if open() succeeded or is NULL. May be NULL. The library is never unloaded. */
    void (*close)(void);

    /* The operations, and the function that runs one: 0, or an MXCERT_ status; MXCERT_UNSUPPORTED for a
     * shape that the implementation refuses. NULL without operations. */
    uint32_t operation_count;
    uint32_t flags; /* MXCERT_ONE_WORKER, or 0 */
    const mxcert_operation* operations;
    int32_t (*run)(const mxcert_run_args* args);

    /* Converts a range of inputs that the backend makes itself, so that neither inputs nor outputs pass through
     * host memory. 0, or an MXCERT_ status; MXCERT_UNSUPPORTED if it cannot do this for the conversion. Some of the
     * same inputs are passed to convert() as well. May be NULL. */
    int32_t (*convert_range)(const mxcert_range_args* args);

    /* The largest `count` that convert() accepts. 0: any number, beyond 2^31. The verdict names the largest
     * count that was used. */
    uint64_t max_batch;

    /* Since 2.1. A byte for each conversion: MXCERT_FLAGS_OF_VALUES or MXCERT_FLAGS_OF_BATCH if convert() tells
     * exceptions where it is asked for them, so that the conversion to "flags_of_e4m3", or the like, is judged too;
     * otherwise 0. NULL: none does. Those of a batch are asked of each value alone, and of all values of a call that
     * raised the same ones alone. */
    const uint8_t* has_flags;
} mxcert_api;

#if defined(_WIN32)
#define MXCERT_EXPORT __declspec(dllexport)
#else
#define MXCERT_EXPORT __attribute__((visibility("default")))
#endif

/* The only exported symbol. Returns NULL for an unknown host_abi_major. The result and everything it points to
 * stay valid and unchanged as long as the library is loaded. */
MXCERT_EXPORT const mxcert_api* mxcert_get_api(uint32_t host_abi_major);

#ifdef __cplusplus
}
#endif

#endif
