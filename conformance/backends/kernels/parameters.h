/* SPDX-License-Identifier: Apache-2.0
 * What the kernels are told: formats, roundings, rules and shapes are numbers here, so that there are few kernels. The
 * records are the same bytes in every language. */
#ifndef MXCERT_KERNELS_PARAMETERS_H
#define MXCERT_KERNELS_PARAMETERS_H

/* A format with a sign bit above `magnitude`. */
typedef struct {
    i32 fraction_bits;
    i32 bias;
    i32 sign_bit;  /* its number */
    u32 magnitude; /* all bits but the sign */
    u32 largest;   /* code of the largest finite magnitude; what is above is Inf or NaN */
    u32 infinity;  /* code of Inf; 0 if there is none */
    u32 nan;       /* the NaN that is written */
    u32 unused;    /* keeps the records a multiple of 8 bytes */
} format;

typedef struct {
    u32 nearest;         /* all ones: to nearest, ties to even; 0: toward zero */
    u32 beyond;          /* code of what is rounded beyond the largest value */
    u32 beyond_infinity; /* code of Inf */
    u32 limit;           /* for conversion instructions: the FP32 code that magnitudes are limited to first */
} rounding;

/* The scale of an amax 1.m x 2^e: the code of 2^(e - emax), one more if m exceeds `threshold`. */
typedef struct {
    i32 emax;
    u32 threshold;       /* 24 bits of m, of which 23 are below the point */
    u32 lowest_more;     /* added to the threshold at the code 00 */
    u32 beyond;          /* code of what is beyond the largest scale */
    u32 beyond_infinity; /* code of an amax of Inf */
    u32 largest_counted; /* magnitudes above it are no amax: NaN, or none */
} rule;

/* Where a value lies whose place is X, Y, Z, and where its scale: the sum of place x stride. */
typedef struct {
    u64 value[3];
    u64 result[3];
    u64 scale[3];
    u64 along[3]; /* its place along the blocked axis, counted in values */
    u64 length;   /* of that axis; there is nothing at or beyond it */
    u64 block;    /* values that share a scale, and their distance */
    u64 stride;
} placement;

/* D = A B + C: X is the column of D, Y its row. */
typedef struct {
    u64 rows, columns; /* of D */
    u64 k;
    u64 block; /* products that share the scales; 0 without scales */
    u64 left_line, left_next, left_scale_line, left_scale_next;
    u64 right_line, right_next, right_scale_line, right_scale_next;
    u32 has_added;
    u32 unused;
} product;

/* Scales between rows and a layout of tiles: X is the column of the padded matrix, Y its row. */
typedef struct {
    u64 rows, columns;  /* of the scales */
    u64 padded_columns; /* of the layout */
    u32 columnwise;     /* the long side of a tile lies along the columns */
    u32 swizzled;       /* else the padded matrix in rows */
    u32 restores;       /* from the layout to rows */
    u32 unused;
} layout;

/* Codes that one place of a kernel for steps looks at. */
#define CODES_AT_ONCE 64

/* Where a step ends: place and code. */
typedef struct {
    u32 place;
    u32 code;
} found_step;

/* Codes first, first + 1, ... */
typedef struct {
    u32 first;
    u32 capacity; /* steps that there is room for */
} counting;

/* Random words are those of a counter that is mixed: `first`, first + 1, ... */
typedef struct {
    u64 first;
} drawing;

typedef struct {
    u64 size[3]; /* X, Y and Z are below these */
    placement place;
    product multiply;
    layout arrange;
    counting range;
    drawing draw;
    format from;
    format to;
    format right;
    rounding round;
    rule scale;
} parameters;

#endif
