/* SPDX-License-Identifier: Apache-2.0
 * The interface as strict C11 sees it, with nothing included before it. A field that moves breaks every plugin there
 * is, so sizes and offsets are pinned. */
#include "conformance/backend.h"

/* One declaration, so that this is a translation unit on other machines too. */
extern const mxcert_api* (*const mxcert_header_is_c11)(uint32_t);
const mxcert_api* (*const mxcert_header_is_c11)(uint32_t) = mxcert_get_api;

#if UINTPTR_MAX == UINT64_MAX
#define AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field)
#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type)
#include "header_layout.inc"
#endif
