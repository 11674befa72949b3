/* SPDX-License-Identifier: Apache-2.0
 * The words for last_error(). */
#ifndef MXCERT_KERNELS_ERROR_H
#define MXCERT_KERNELS_ERROR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Keeps a line, as of printf(), for last_error(); too long a one is cut. Returns `status`. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int32_t
kernels_fail(int32_t status, const char* message, ...);

/* The last line, at most 1023 bytes. */
const char* kernels_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
