/* SPDX-License-Identifier: Apache-2.0
 * How fast the kernels are on a device, as ratios to what its memory allows in the same run: NAME_speed [OPTIONS
 * [LOG2]]. OPTIONS are those of the backend; LOG2, for trials, makes all of it smaller: 2^LOG2 inputs instead of 2^32.
 * Exits with 0 if every ratio is what is required, 1 if not, 3 where there is no device. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): so POSIX names it */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conformance/backends/gpu/gpu.h"
#include "conformance/backends/kernels/shell.h"

enum { TRIES = 5, REPEATS = 20, COPIES = 8 };
static const double range_required = 0.5;
static const double quantize_required = 0.7;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { NOT_MET, MET, FAILED, NO_DEVICE };

static int not_measured(const char* what, int32_t status) {
    printf("%s: not measured: %s: %s\n", kernels_this_runtime.name, what, kernels_last_error());
    return status == MXCERT_UNSUPPORTED ? MET : FAILED; /* what a device has not misses nothing */
}

static int report(const char* what, double ratio, double required, double seconds) {
    const int met = ratio >= required;
    printf("%s, %s: %s: %.6f s, %.2f of what memory allows, required >= %.1f: %s\n", kernels_this_runtime.name,
           gpu_name(), what, seconds, ratio, required, met ? "MET" : "NOT MET");
    return met;
}

/* Bytes read and written in a second by copying on the device; 0 after a failure. */
static double copy_speed(uint64_t bytes) {
    double best = 0;
    if (gpu_room(VALUES, bytes) != MXCERT_OK || gpu_room(RESULT, bytes) != MXCERT_OK) return 0;
    for (int i = 0; i < TRIES; ++i) {
        const double begin = now();
        for (int j = 0; j < COPIES; ++j)
            if (gpu_copy_on_device(RESULT, VALUES, bytes) != MXCERT_OK) return 0;
        if (gpu_finish() != MXCERT_OK) return 0;
        const double speed = 2.0 * (double)bytes * COPIES / (now() - begin);
        best = speed > best ? speed : best;
    }
    return best;
}

static int64_t find_conversion(const char* source, const char* target, const char* how, const char* overflow) {
    uint32_t count = 0;
    const mxcert_conversion* all = kernels_conversions(&count);
    for (uint32_t i = 0; i < count; ++i)
        if (strcmp(all[i].source, source) == 0 && strcmp(all[i].target, target) == 0 &&
            strcmp(all[i].rounding, how) == 0 && strcmp(all[i].overflow, overflow) == 0)
            return i;
    return -1;
}

/* Every input of FP32 to E4M3, observed: the steps are here afterwards. Its outputs would be a byte each, written and
 * read. */
static int ranges(double speed, uint64_t inputs) {
    static mxcert_step steps[4096];
    const int64_t conversion = find_conversion("fp32", "e4m3", "nearest_even", "sat");
    double best = 0;
    uint64_t found = 0;
    for (int i = 0; i < TRIES; ++i) {
        const double begin = now();
        found = 0;
        for (uint64_t first = 0; first < inputs; first += UINT64_C(1) << 26) {
            uint64_t count = 0;
            const uint64_t left = inputs - first;
            const mxcert_range_args args = {.struct_size = sizeof args,
                                            .conversion = (uint32_t)conversion,
                                            .first = first,
                                            .count = left < UINT64_C(1) << 26 ? left : UINT64_C(1) << 26,
                                            .capacity = 4096,
                                            .steps = steps,
                                            .step_count = &count};
            const int32_t status = kernels_convert_range(&args);
            if (status != MXCERT_OK) return not_measured("FP32 to E4M3", status);
            found += count;
        }
        const double seconds = now() - begin;
        best = i == 0 || seconds < best ? seconds : best;
    }
    char what[128];
    snprintf(what, sizeof what, "FP32 to E4M3, %" PRIu64 " inputs to %" PRIu64 " steps%s", inputs, found,
             gpu_instructs() ? ", by instructions" : "");
    return report(what, 2.0 * (double)inputs / speed / best, range_required, best);
}

static int quantizing(double speed, const char* axis, uint64_t side) {
    char attributes[160];
    snprintf(attributes, sizeof attributes,
             "source=bf16 element=e4m3 scale=e8m0 rule=rceil rounding=nearest_even overflow=sat axis=%s block=any",
             axis);
    uint32_t count = 0;
    const mxcert_operation* all = kernels_operations(&count);
    uint32_t operation = 0;
    while (operation < count && strcmp(all[operation].attributes, attributes) != 0) ++operation;
    const uint64_t values = side * side;
    void* const in = calloc(values, 2);
    void* const codes = malloc(values);
    void* const scales = malloc(values / 32);
    int result = FAILED;
    if (in != NULL && codes != NULL && scales != NULL) {
        for (uint64_t i = 0; i < values; ++i) ((uint16_t*)in)[i] = (uint16_t)(0x3F80u + i % 1024);
        const mxcert_array inputs[] = {{in, values, 2, 0}};
        const mxcert_array outputs[] = {{codes, values, 1, 0}, {scales, values / 32, 1, 0}};
        const mxcert_run_args args = {.struct_size = sizeof args,
                                      .operation = operation,
                                      .shape = {side, side, 32, 0},
                                      .input_count = 1,
                                      .output_count = 2,
                                      .inputs = inputs,
                                      .outputs = outputs};
        double best = 0;
        int32_t status = kernels_run(&args);
        for (int i = 0; i < TRIES && status == MXCERT_OK; ++i) {
            const double begin = now();
            status = gpu_repeat(REPEATS);
            const double seconds = (now() - begin) / REPEATS;
            best = i == 0 || seconds < best ? seconds : best;
        }
        char what[128];
        snprintf(what, sizeof what, "BF16 to MXFP8 along each %s, %" PRIu64 " x %" PRIu64 "%s", axis, side, side,
                 gpu_instructs() ? ", by instructions" : "");
        const double bytes = (double)values * 3 + (double)values / 32;
        result = status != MXCERT_OK ? not_measured("BF16 to MXFP8", status)
                                     : report(what, bytes / speed / best, quantize_required, best);
    }
    free(in);
    free(codes);
    free(scales);
    return result;
}

static int measure(const char* options, uint64_t inputs) {
    uint32_t count = 0;
    kernels_conversions(&count);
    kernels_operations(&count);
    const int32_t opened = kernels_this_runtime.open(options);
    if (opened != MXCERT_OK) return not_measured("no device", opened) == MET ? NO_DEVICE : FAILED;
    const double speed = copy_speed(inputs / 8);
    if (speed == 0) return not_measured("copies on the device", MXCERT_ERROR);
    printf("%s, %s: copies on the device read and write %.0f GB/s\n", kernels_this_runtime.name, gpu_name(),
           speed / 1e9);
    uint64_t side = 128;
    while (side < 8192 && side * side < inputs / 64) side *= 2;
    const int results[] = {ranges(speed, inputs), quantizing(speed, "row", side), quantizing(speed, "column", side)};
    int worst = MET;
    for (size_t i = 0; i < sizeof results / sizeof results[0]; ++i)
        if (results[i] == FAILED || (results[i] == NOT_MET && worst == MET)) worst = results[i];
    return worst;
}

int main(int argc, char** argv) {
    const int log2 = argc > 2 ? atoi(argv[2]) : 32;
    const int met =
        measure(argc > 1 ? argv[1] : "convert=instruction", UINT64_C(1) << (log2 < 20 || log2 > 32 ? 32 : log2));
    if (kernels_this_runtime.close != NULL && met != NO_DEVICE) kernels_this_runtime.close();
    return met == NO_DEVICE ? 3 : met == MET ? 0 : 1;
}
