/* SPDX-License-Identifier: Apache-2.0
 * The interface as strict C11 sees it, with nothing included before it. A field that moves breaks every plugin there
 * is, so sizes and offsets are pinned. */
#include "conformance/backend.h"

/* One declaration, so that this is a translation unit on other machines too. */
extern const mxcert_api* (*const mxcert_header_is_c11)(uint32_t);
const mxcert_api* (*const mxcert_header_is_c11)(uint32_t) = mxcert_get_api;

#if UINTPTR_MAX == UINT64_MAX
#define AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field)

AT(mxcert_conversion, struct_size, 0);
AT(mxcert_conversion, random_bits, 4);
AT(mxcert_conversion, source, 8);
AT(mxcert_conversion, target, 16);
AT(mxcert_conversion, rounding, 24);
AT(mxcert_conversion, overflow, 32);
_Static_assert(sizeof(mxcert_conversion) == 40, "mxcert_conversion");

AT(mxcert_convert_args, struct_size, 0);
AT(mxcert_convert_args, conversion, 4);
AT(mxcert_convert_args, count, 8);
AT(mxcert_convert_args, input, 16);
AT(mxcert_convert_args, random, 24);
AT(mxcert_convert_args, output, 32);
_Static_assert(sizeof(mxcert_convert_args) == 40, "mxcert_convert_args");

AT(mxcert_api, struct_size, 0);
AT(mxcert_api, abi_major, 4);
AT(mxcert_api, abi_minor, 8);
AT(mxcert_api, conversion_count, 12);
AT(mxcert_api, conversions, 16);
AT(mxcert_api, name, 24);
AT(mxcert_api, version, 32);
AT(mxcert_api, description, 40);
AT(mxcert_api, open, 48);
AT(mxcert_api, convert, 56);
AT(mxcert_api, last_error, 64);
AT(mxcert_api, close, 72);
_Static_assert(sizeof(mxcert_api) == 80, "mxcert_api");
#endif
