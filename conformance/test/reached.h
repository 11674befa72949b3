/* SPDX-License-Identifier: Apache-2.0
 *
 * How a test learns what a backend has come to: a byte more in the file that MXCERT_TEST_REACHED names, if it is set.
 * What starts the backend waits for the bytes, and need not guess how long a machine takes.
 */
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static inline void test_reached(void) {
    const char* name = getenv("MXCERT_TEST_REACHED");
    const int file = name == NULL ? -1 : open(name, O_CREAT | O_WRONLY | O_APPEND, 0600);
    if (file < 0) return;
    (void)!write(file, "", 1);
    close(file);
}
