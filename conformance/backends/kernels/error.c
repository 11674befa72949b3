/* SPDX-License-Identifier: Apache-2.0 */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

static char error[1024];

int32_t kernels_fail(int32_t status, const char* message, ...) {
    va_list arguments;
    va_start(arguments, message);
    vsnprintf(error, sizeof error, message, arguments);
    va_end(arguments);
    return status;
}

const char* kernels_last_error(void) { return error; }
