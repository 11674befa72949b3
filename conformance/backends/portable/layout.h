/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MXCERT_PORTABLE_LAYOUT_H
#define MXCERT_PORTABLE_LAYOUT_H

#include <stdint.h>
#include <string.h>

typedef enum { PADDED_128X4, PADDED_4X128, SWIZZLE_128X4, SWIZZLE_128X4_COLUMNWISE } portable_layout_kind;

/* Scales in rows to a layout, or back if it restores. 0 if the sizes are not those of such scales. */
int portable_layout(portable_layout_kind kind, int restores, uint64_t rows, uint64_t columns, const uint8_t* in,
                    uint64_t in_count, uint8_t* out, uint64_t out_count);

#endif
