// SPDX-License-Identifier: Apache-2.0
// The interface as strict C++20 sees it, with nothing included before it; header_c11.c has the same in C.
#include "conformance/backend.h"

extern const mxcert_api* (*const mxcert_header_is_cpp20)(uint32_t);
const mxcert_api* (*const mxcert_header_is_cpp20)(uint32_t) = mxcert_get_api;

#if UINTPTR_MAX == UINT64_MAX
#define AT(type, field, offset) static_assert(offsetof(type, field) == (offset), #type "." #field)
#define SIZE(type, bytes) static_assert(sizeof(type) == (bytes), #type)
#include "header_layout.inc"
#endif
