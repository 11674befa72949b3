/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MXCERT_PORTABLE_BLOCKS_H
#define MXCERT_PORTABLE_BLOCKS_H

#include "conformance/backend.h"

/* The operations on blocks, and what runs one. */
extern mxcert_operation portable_operations[];
extern const uint32_t portable_operation_count;
int32_t portable_run(const mxcert_run_args* args);
/* Why the last run failed. */
const char* portable_run_error(void);
/* To be called once before the operations are read. */
void portable_make_operations(void);

#endif
