/* SPDX-License-Identifier: Apache-2.0
 * Reads which mutant this process is. */
#include "conformance/mutants/mutant.h"

#include <stdlib.h>

#ifndef MX_ACTIVE
uint32_t mx_active = 0;
uint64_t mx_value = 0;
double mx_float_value = 0.0;

/* NUMBER, NUMBER:INTEGER, or NUMBER:0xHpN for a floating-point number. What cannot be read ends the process: a mutant
 * that is not there would count as one that escaped. */
__attribute__((constructor)) static void choose_mutant(void) {
    const char* given = getenv("MXCERT_MUTANT");
    if (given == NULL) return;
    char* end;
    mx_active = (uint32_t)strtoul(given, &end, 10);
    if (*end == ':') {
        const char* value = end + 1;
        mx_value = strtoull(value, &end, 0);
        if (*end != '\0') mx_float_value = strtod(value, &end);
        if (end == value) abort();
    }
    if (end == given || *end != '\0') abort();
}
#endif
