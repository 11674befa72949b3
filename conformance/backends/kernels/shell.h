/* SPDX-License-Identifier: Apache-2.0
 * What the kernels are offered as: a table of conversions and one of operations, made when the plugin is asked. */
#ifndef MXCERT_KERNELS_SHELL_H
#define MXCERT_KERNELS_SHELL_H

#include "formats.h"

/* conversions.c: called once before the others. The table and its length. */
const mxcert_conversion* kernels_conversions(uint32_t* count);
int32_t kernels_convert(const mxcert_convert_args* args);
int32_t kernels_convert_range(const mxcert_range_args* args);

/* operations.c */
const mxcert_operation* kernels_operations(uint32_t* count);
int32_t kernels_run(const mxcert_run_args* args);

/* The scale rules, by the names of mxcert. */
enum { OCP_FLOOR, RCEIL, RULE_COUNT };
extern const char* const kernels_rule_names[RULE_COUNT];
/* `counts_nan`: whether a NaN is an amax; else it is left out. */
rule kernels_rule(int name, const named_format* source, const element_format* element, int overflow, int counts_nan);

/* A step that runs `count` times, on values, results and scales one after the other. */
kernels_step kernels_line(kernels_number kernel, uint64_t count);

/* Arrays of a job: one that is only read, and one that is written. */
static inline kernels_buffer kernels_in(const void* data, uint64_t bytes) {
    const kernels_buffer b = {(void*)(uintptr_t)data, bytes, 0};
    return b;
}
static inline kernels_buffer kernels_out(void* data, uint64_t bytes) {
    const kernels_buffer b = {data, bytes, 1};
    return b;
}

#endif
