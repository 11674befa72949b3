/* SPDX-License-Identifier: Apache-2.0
 * What a file of recorded calls has. */
#ifndef MXCERT_MUTANTS_CALLS_H
#define MXCERT_MUTANTS_CALLS_H

#include "conformance/backend.h"

#include <string.h>

enum { CONVERT = 'C', RUN = 'R' };
enum { LARGEST_CALL = 64 << 20, MOST_ARRAYS = 16 };

/* Bytes of a value of a format of conversions, without its scale. */
static inline uint64_t bytes_of(const char* format) {
    if (strncmp(format, "amax_", 5) == 0) format += 5;
    if (strncmp(format, "fp64", 4) == 0) return 8;
    if (strncmp(format, "fp32", 4) == 0) return 4;
    return strncmp(format, "fp16", 4) == 0 || strncmp(format, "bf16", 4) == 0 ? 2 : 1;
}

#endif
