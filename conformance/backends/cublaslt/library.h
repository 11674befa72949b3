/* SPDX-License-Identifier: Apache-2.0
 * cuBLASLt. It is looked for when the backend is opened: the plugin can be built and loaded where there is none. */
#ifndef MXCERT_CUBLASLT_LIBRARY_H
#define MXCERT_CUBLASLT_LIBRARY_H

#include <cublasLt.h>
#include <stdint.h>

/* The calls, by the names that are exported. */
#define CUBLASLT_CALLS(C)                                                                                              \
    C(cublasLtCreate)                                                                                                  \
    C(cublasLtDestroy)                                                                                                 \
    C(cublasLtGetVersion)                                                                                              \
    C(cublasLtGetStatusString)                                                                                         \
    C(cublasLtMatmulDescCreate)                                                                                        \
    C(cublasLtMatmulDescDestroy)                                                                                       \
    C(cublasLtMatmulDescSetAttribute)                                                                                  \
    C(cublasLtMatrixLayoutCreate)                                                                                      \
    C(cublasLtMatrixLayoutDestroy)                                                                                     \
    C(cublasLtMatmulPreferenceCreate)                                                                                  \
    C(cublasLtMatmulPreferenceDestroy)                                                                                 \
    C(cublasLtMatmulPreferenceSetAttribute)                                                                            \
    C(cublasLtMatmulAlgoGetHeuristic)                                                                                  \
    C(cublasLtMatmul)

/* NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member takes none */
#define CUBLASLT_POINTER(name) __typeof__(&(name)) name;
typedef struct {
    CUBLASLT_CALLS(CUBLASLT_POINTER)
} cublaslt_calls;

/* There once cublaslt_load() went well. */
extern cublaslt_calls lt;

/* Loads the library, of the header's major version: where the system finds it, or else beside the header.
 * MXCERT_UNSUPPORTED after kernels_fail(): there is none. */
int32_t cublaslt_load(void);

/* MXCERT_OK, or another status after kernels_fail() for one of the library's; what it does not do is
 * MXCERT_UNSUPPORTED. */
int32_t cublaslt_checked(const char* what, cublasStatus_t status);

#endif
