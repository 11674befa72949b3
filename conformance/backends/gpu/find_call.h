/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MXCERT_GPU_FIND_CALL_H
#define MXCERT_GPU_FIND_CALL_H

#include <dlfcn.h>
#include <stddef.h>

/* Whether a library has a function. `call` is where a pointer to it goes: one to data becomes one to a function, as
 * POSIX has it. */
static inline int find_call(void* library, const char* name, void* call) {
    *(void**)call = dlsym(library, name);
    return *(void**)call != NULL;
}

#endif
