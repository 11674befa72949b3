/* SPDX-License-Identifier: Apache-2.0 */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>

#include "conformance/backend.h"
#include "conformance/backends/gpu/find_call.h"
#include "conformance/backends/kernels/error.h"

cublaslt_calls lt;

int32_t cublaslt_load(void) {
    char name[64];
    snprintf(name, sizeof name, "libcublasLt.so.%d", CUBLAS_VER_MAJOR);
    void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) library = dlopen(MXCERT_CUBLASLT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return kernels_fail(MXCERT_UNSUPPORTED, "%s. LD_LIBRARY_PATH says where %s is", dlerror(), name);
#define FIND(name_of)                                                                                                  \
    if (!find_call(library, #name_of, &lt.name_of))                                                                    \
        return kernels_fail(MXCERT_UNSUPPORTED, "%s has no %s", name, #name_of);
    CUBLASLT_CALLS(FIND)
    return MXCERT_OK;
}

int32_t cublaslt_checked(const char* what, cublasStatus_t status) {
    if (status == CUBLAS_STATUS_SUCCESS) return MXCERT_OK;
    return kernels_fail(status == CUBLAS_STATUS_NOT_SUPPORTED ? MXCERT_UNSUPPORTED : MXCERT_ERROR,
                        "cuBLASLt, %s: %s (%d)", what, lt.cublasLtGetStatusString(status), (int)status);
}
