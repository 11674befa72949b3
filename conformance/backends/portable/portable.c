/* SPDX-License-Identifier: Apache-2.0
 * The backend `portable`: conversions of the MX formats in plain C as a kernel author writes them, with float
 * arithmetic and moved bits. It shares no code with the reference model and is certified like any other implementation.
 */
#include "kernels.h"

#include "operations.h"

#include "conformance/backend.h"

typedef struct {
    const char* source;
    const char* target;
    const char* rounding;
    const char* overflow;
    portable_kernel* kernel;
    portable_scaled_kernel* scaled; /* instead of it, where the source has a scale */
    portable_random_kernel* random; /* instead of it, where random bits are given */
    uint32_t random_bits;
} entry;

/* One row each; a row ends with a comma. */
#define ROW(source, target, rounding, overflow, kernel) {source, target, rounding, overflow, kernel, NULL, NULL, 0},
#define SCALED(source, target, rounding, overflow, kernel) {source, target, rounding, overflow, NULL, kernel, NULL, 0},
#define RANDOM_IN(source, target, mode, bits, kernel) {source, target, "stochastic_a", mode, NULL, NULL, kernel, bits},
#define RANDOM(source, target, bits, prefix)                                                                           \
    RANDOM_IN(source, target, "sat", bits, prefix##_sat)                                                               \
    RANDOM_IN(source, target, "nosat", bits, prefix##_nosat)
#define TO_FP8(source, target, prefix)                                                                                 \
    ROW(source, target, "nearest_even", "sat", prefix##_ne_sat)                                                        \
    ROW(source, target, "nearest_even", "nosat", prefix##_ne_nosat)                                                    \
    ROW(source, target, "toward_zero", "sat", prefix##_tz_sat)                                                         \
    ROW(source, target, "toward_zero", "nosat", prefix##_tz_nosat)
#define TO_SMALL(source, target, prefix)                                                                               \
    ROW(source, target, "nearest_even", "sat", prefix##_ne_sat)                                                        \
    ROW(source, target, "toward_zero", "sat", prefix##_tz_sat)
#define SMALL(element)                                                                                                 \
    TO_SMALL("fp32", #element, portable_fp32_##element)                                                                \
    TO_SMALL("fp16", #element, portable_fp16_##element)                                                                \
    TO_SMALL("bf16", #element, portable_bf16_##element)                                                                \
    TO_SMALL("fp64", #element, portable_fp64_##element)                                                                \
    WIDEN(ROW, #element, portable_##element)
#define UNSIGNED(element)                                                                                              \
    TO_FP8("fp32", #element, portable_fp32_##element)                                                                  \
    TO_FP8("fp16", #element, portable_fp16_##element)                                                                  \
    TO_FP8("bf16", #element, portable_bf16_##element)                                                                  \
    TO_FP8("fp64", #element, portable_fp64_##element)                                                                  \
    WIDEN(ROW, #element, portable_##element)
#define SMALL_BLOCKS(element)                                                                                          \
    SMALL_FROM("amax_fp32", "fp32_by_e8m0", fp32, element)                                                             \
    SMALL_FROM("amax_fp16", "fp16_by_e8m0", fp16, element)                                                             \
    SMALL_FROM("amax_bf16", "bf16_by_e8m0", bf16, element)                                                             \
    WIDEN(SCALED, #element "_times_e8m0", portable_dequantize_##element)
#define SMALL_FROM(amax, by_scale, source, element)                                                                    \
    ROW(amax, "e8m0_for_" #element, "ocp_floor", "sat", portable_##source##_e8m0_for_##element##_floor_sat)            \
    SCALED(by_scale, #element, "nearest_even", "sat", portable_quantize_##source##_##element##_sat)
#define TO_E8M0(source, prefix)                                                                                        \
    ROW(source, "e8m0", "toward_zero", "sat", prefix##_tz_sat)                                                         \
    ROW(source, "e8m0", "toward_zero", "nosat", prefix##_tz_nosat)                                                     \
    ROW(source, "e8m0", "up", "sat", prefix##_up_sat)                                                                  \
    ROW(source, "e8m0", "up", "nosat", prefix##_up_nosat)                                                              \
    ROW(source, "e8m0", "nearest_away", "sat", prefix##_na_sat)                                                        \
    ROW(source, "e8m0", "nearest_away", "nosat", prefix##_na_nosat)
#define SCALE(source, target, prefix)                                                                                  \
    ROW(source, target, "ocp_floor", "sat", prefix##_floor_sat)                                                        \
    ROW(source, target, "ocp_floor", "nosat", prefix##_floor_nosat)                                                    \
    ROW(source, target, "rceil", "sat", prefix##_rceil_sat)
/* `row` is ROW or SCALED. */
/* clang-format off */
#define WIDEN(row, source, prefix)                                                                                     \
    row(source, "fp32", "nearest_even", "nosat", prefix##_fp32)                                                        \
    row(source, "fp16", "nearest_even", "nosat", prefix##_fp16)                                                        \
    row(source, "bf16", "nearest_even", "nosat", prefix##_bf16)                                                        \
    row(source, "fp64", "nearest_even", "nosat", prefix##_fp64)
/* clang-format on */
#define QUANTIZE(source, target, prefix)                                                                               \
    SCALED(source, target, "nearest_even", "sat", prefix##_sat)                                                        \
    SCALED(source, target, "nearest_even", "nosat", prefix##_nosat)

/* clang-format off */
static const entry entries[] = {
    TO_FP8("fp32", "e4m3", portable_fp32_e4m3)
    TO_FP8("fp32", "e5m2", portable_fp32_e5m2)
    TO_FP8("fp16", "e4m3", portable_fp16_e4m3)
    TO_FP8("fp16", "e5m2", portable_fp16_e5m2)
    TO_FP8("bf16", "e4m3", portable_bf16_e4m3)
    TO_FP8("bf16", "e5m2", portable_bf16_e5m2)
    TO_FP8("fp64", "e4m3", portable_fp64_e4m3)
    TO_FP8("fp64", "e5m2", portable_fp64_e5m2)
    TO_E8M0("fp32", portable_fp32_e8m0)
    TO_E8M0("fp16", portable_fp16_e8m0)
    TO_E8M0("bf16", portable_bf16_e8m0)
    TO_E8M0("fp64", portable_fp64_e8m0)
    SCALE("amax_fp32", "e8m0_for_e4m3", portable_fp32_e8m0_for_e4m3)
    SCALE("amax_fp32", "e8m0_for_e5m2", portable_fp32_e8m0_for_e5m2)
    SCALE("amax_fp16", "e8m0_for_e4m3", portable_fp16_e8m0_for_e4m3)
    SCALE("amax_fp16", "e8m0_for_e5m2", portable_fp16_e8m0_for_e5m2)
    SCALE("amax_bf16", "e8m0_for_e4m3", portable_bf16_e8m0_for_e4m3)
    SCALE("amax_bf16", "e8m0_for_e5m2", portable_bf16_e8m0_for_e5m2)
    QUANTIZE("fp32_by_e8m0", "e4m3", portable_quantize_fp32_e4m3)
    QUANTIZE("fp32_by_e8m0", "e5m2", portable_quantize_fp32_e5m2)
    QUANTIZE("fp16_by_e8m0", "e4m3", portable_quantize_fp16_e4m3)
    QUANTIZE("fp16_by_e8m0", "e5m2", portable_quantize_fp16_e5m2)
    QUANTIZE("bf16_by_e8m0", "e4m3", portable_quantize_bf16_e4m3)
    QUANTIZE("bf16_by_e8m0", "e5m2", portable_quantize_bf16_e5m2)
    WIDEN(SCALED, "e4m3_times_e8m0", portable_dequantize_e4m3)
    WIDEN(SCALED, "e5m2_times_e8m0", portable_dequantize_e5m2)
    WIDEN(ROW, "e4m3", portable_e4m3)
    WIDEN(ROW, "e5m2", portable_e5m2)
    WIDEN(ROW, "e8m0", portable_e8m0)
    SMALL(e3m2)
    SMALL(e2m3)
    SMALL(e2m1)
    SMALL(int8)
    UNSIGNED(ue4m3)
    UNSIGNED(ue5m3)
    SMALL_BLOCKS(e3m2)
    SMALL_BLOCKS(e2m3)
    SMALL_BLOCKS(e2m1)
    SMALL_BLOCKS(int8)
    RANDOM("fp32", "e4m3", 8, portable_fp32_e4m3_random)
    RANDOM("fp32", "e4m3", 32, portable_fp32_e4m3_random)
    RANDOM("fp32", "e5m2", 8, portable_fp32_e5m2_random)
    RANDOM("fp32", "e5m2", 32, portable_fp32_e5m2_random)
    RANDOM_IN("fp32", "e2m1", "sat", 16, portable_fp32_e2m1_random_sat)
};
/* clang-format on */
enum { entry_count = sizeof entries / sizeof entries[0] };

static mxcert_conversion conversions[entry_count];

static int32_t convert(const mxcert_convert_args* args) {
    if (args->conversion >= entry_count) return MXCERT_ERROR;
    const entry* asked = &entries[args->conversion];
    if (asked->random != NULL)
        asked->random(args->input, args->random, asked->random_bits, args->output, args->count);
    else if (asked->scaled != NULL)
        asked->scaled(args->input, args->output, args->count, (uint8_t)args->scale);
    else
        asked->kernel(args->input, args->output, args->count);
    return MXCERT_OK;
}

static mxcert_api api = {
    .struct_size = sizeof(mxcert_api),
    .abi_major = MXCERT_ABI_MAJOR,
    .abi_minor = MXCERT_ABI_MINOR,
    .conversion_count = entry_count,
    .conversions = conversions,
    .name = "portable",
    .version = "1",
    .description = "plain C, float arithmetic and bit casts, on the host",
    .convert = convert,
    .last_error = portable_run_error,
    .operations = portable_operations,
    .run = portable_run,
};

const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {
    if (host_abi_major != MXCERT_ABI_MAJOR) return NULL;
    for (uint32_t i = 0; i < entry_count; ++i) {
        conversions[i].struct_size = sizeof(mxcert_conversion);
        conversions[i].source = entries[i].source;
        conversions[i].target = entries[i].target;
        conversions[i].rounding = entries[i].rounding;
        conversions[i].overflow = entries[i].overflow;
        conversions[i].random_bits = entries[i].random_bits;
    }
    portable_make_operations();
    api.operation_count = portable_operation_count;
    return &api;
}
