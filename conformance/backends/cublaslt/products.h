/* SPDX-License-Identifier: Apache-2.0
 * The products that are offered: what cuBLASLt does on the devices of this machine, as operations. */
#ifndef MXCERT_CUBLASLT_PRODUCTS_H
#define MXCERT_CUBLASLT_PRODUCTS_H

#include <library_types.h>
#include <stdint.h>

#include "conformance/backend.h"

typedef struct {
    cudaDataType_t a;
    cudaDataType_t b;
    cudaDataType_t d;
    int is_scaled; /* by E8M0, in blocks of 32 along the sum */
    int a_transposed;
    int b_transposed;
    int is_fast;               /* nothing is promoted on the way */
    const char* architectures; /* that do it */
} product;

const mxcert_operation* cublaslt_operations(uint32_t* count);
const product* cublaslt_product(uint32_t operation); /* NULL: there is none */

#endif
