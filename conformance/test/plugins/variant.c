/* SPDX-License-Identifier: Apache-2.0
 * A plugin with one conversion, fp16 -> e4m3, whose output is the low byte of its input. Each definition
 * MXCERT_VARIANT_... makes one thing about it different; the worker must say which, or for the last one must not mind.
 */
#include <string.h>

#include "conformance/backend.h"

/* What a later version of the interface would look like: fields appended. */
typedef struct {
    mxcert_conversion base;
    uint64_t later;
} longer_conversion;
typedef struct {
    mxcert_api base;
    uint64_t later;
} longer_api;

#if defined(MXCERT_VARIANT_LONGER_STRUCTS)
typedef longer_conversion my_conversion;
typedef longer_api my_api;
#else
typedef mxcert_conversion my_conversion;
typedef mxcert_api my_api;
#endif

static my_conversion conversions[2];
static mxcert_operation operation;
static my_api api;

#if !defined(MXCERT_VARIANT_NULL_CONVERT)
static int32_t convert(const mxcert_convert_args* args) {
    const uint16_t* in = (const uint16_t*)args->input;
    uint8_t* out = (uint8_t*)args->output;
    for (uint64_t i = 0; i < args->count; ++i) out[i] = (uint8_t)(in[i] & 0xFFu);
    return MXCERT_OK;
}
#endif

static int32_t run(const mxcert_run_args* args) {
    (void)args;
    return MXCERT_UNSUPPORTED;
}

static void set(mxcert_conversion* conversion, uint32_t size) {
    conversion->struct_size = size;
    conversion->source = "fp16";
    conversion->target = "e4m3";
    conversion->rounding = "nearest_even";
    conversion->overflow = "sat";
}

#if defined(MXCERT_VARIANT_NO_SYMBOL)
#define mxcert_get_api mxcert_get_apo
MXCERT_EXPORT const mxcert_api* mxcert_get_apo(uint32_t host_abi_major);
#endif

const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {
    (void)host_abi_major;
    mxcert_conversion* first = (mxcert_conversion*)&conversions[0];
    mxcert_conversion* second = (mxcert_conversion*)&conversions[1];
    mxcert_api* a = (mxcert_api*)&api;
    set(first, sizeof(my_conversion));
    set(second, sizeof(my_conversion));
    second->source = "bf16";
    a->struct_size = sizeof(my_api);
    a->abi_major = MXCERT_ABI_MAJOR;
    a->abi_minor = MXCERT_ABI_MINOR;
    a->conversion_count = 2;
    a->conversions = first;
    a->name = "variant";
    a->version = "1";
    a->description = "for tests";
    operation.struct_size = sizeof operation;
    operation.name = "quantize";
    operation.attributes = "block=32";
    a->operation_count = 1;
    a->operations = &operation;
    a->run = run;
#if !defined(MXCERT_VARIANT_NULL_CONVERT)
    a->convert = convert;
#endif

#if defined(MXCERT_VARIANT_NULL_API)
    return NULL;
#elif defined(MXCERT_VARIANT_WRONG_MAJOR)
    a->abi_major = MXCERT_ABI_MAJOR + 1;
#elif defined(MXCERT_VARIANT_SMALL_STRUCT)
    a->struct_size = offsetof(mxcert_api, max_batch);
#elif defined(MXCERT_VARIANT_HUGE_STRUCT)
    a->struct_size = 0xFFFFFFFFu;
#elif defined(MXCERT_VARIANT_NULL_CONVERSIONS)
    a->conversions = NULL;
#elif defined(MXCERT_VARIANT_NULL_NAME)
    a->name = NULL;
#elif defined(MXCERT_VARIANT_EMPTY_VERSION)
    a->version = "";
#elif defined(MXCERT_VARIANT_ENDLESS_NAME)
    static char text[2000];
    memset(text, 'x', sizeof text);
    a->name = text;
#elif defined(MXCERT_VARIANT_NULL_SOURCE)
    second->source = NULL;
#elif defined(MXCERT_VARIANT_NO_CONVERSIONS)
    a->conversion_count = 0;
    a->operation_count = 0;
#elif defined(MXCERT_VARIANT_NULL_RUN)
    a->run = NULL;
#elif defined(MXCERT_VARIANT_NULL_OPERATIONS)
    a->operations = NULL;
#elif defined(MXCERT_VARIANT_MANY_OPERATIONS)
    a->operation_count = 0xFFFFFFFFu;
#elif defined(MXCERT_VARIANT_SMALL_OPERATION)
    operation.struct_size = 4;
#elif defined(MXCERT_VARIANT_NULL_ATTRIBUTES)
    operation.attributes = NULL;
#elif defined(MXCERT_VARIANT_ODD_ATTRIBUTES)
    operation.attributes = "source=fp16 fp32";
#elif defined(MXCERT_VARIANT_TWICE_ATTRIBUTES)
    operation.attributes = "source=fp16 source=fp32";
#elif defined(MXCERT_VARIANT_MANY_CONVERSIONS)
    a->conversion_count = 0xFFFFFFFFu;
#elif defined(MXCERT_VARIANT_SMALL_CONVERSION)
    first->struct_size = 4;
#elif defined(MXCERT_VARIANT_UNEVEN_CONVERSIONS)
    second->struct_size = sizeof(my_conversion) + 8;
#elif defined(MXCERT_VARIANT_MANY_RANDOM_BITS)
    second->random_bits = 33;
#elif defined(MXCERT_VARIANT_UNKNOWN_FLAGS)
    a->flags = 2;
#elif defined(MXCERT_VARIANT_UNCLEAR_HAS_FLAGS)
    static const uint8_t has_flags[2] = {1, 3};
    a->has_flags = has_flags;
#elif defined(MXCERT_VARIANT_BEFORE_FLAGS)
    /* The struct ends before the field: what is there is another's. */
    a->struct_size = offsetof(mxcert_api, has_flags);
    a->has_flags = (const uint8_t*)a;
#endif
    return a;
}
