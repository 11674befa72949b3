/* SPDX-License-Identifier: Apache-2.0
 * Numbers taken apart and put together, in integers alone: what a device does with subnormal floats, or how it rounds
 * them, makes no difference. */
#ifndef MXCERT_KERNELS_NUMBER_H
#define MXCERT_KERNELS_NUMBER_H

/* Where the highest bit of a significand is put: two bits are left below the 23 of a float, so that something is cut
 * off of every number and one formula rounds them all. */
#define TOP 25

/* significand x 2^(exponent - TOP). */
typedef struct {
    u32 significand; /* bit TOP is the highest one; 0 for zero */
    i32 exponent;
} number;

/* A magnitude that is neither Inf nor NaN. */
DEVICE number unpack(const u32 magnitude, const format f) {
    const u32 field = magnitude >> f.fraction_bits;
    const u32 hidden = field != 0 ? 1u : 0u;
    const u32 significand = (magnitude & ((1u << f.fraction_bits) - 1u)) | hidden << f.fraction_bits;
    const i32 up = (i32)CLZ(significand) - (31 - TOP);
    number n;
    n.significand = significand << up;
    n.exponent = (i32)(hidden != 0 ? field : 1u) - f.bias + (TOP - f.fraction_bits) - up;
    return n;
}

/* Cuts `cut` bits off, 1 to 31, and rounds. */
DEVICE u32 rounded(const u32 significand, const i32 cut, const rounding r) {
    /* Just under half, and the last bit that stays: a tie goes up only from an odd code. */
    const u32 more = (1u << (cut - 1)) - 1u + (significand >> cut & 1u);
    return (significand + (more & r.nearest)) >> cut;
}

/* The magnitude of a number that is not normalised: `significand` has bit `top` if it is normal, in a binade whose
 * exponent field is `field`. Of what is below the normal numbers more is cut off. */
DEVICE u32 magnitude_of(const u32 significand, const i32 top, const i32 field, const format f, const rounding r) {
    const i32 below = field < 1 ? 1 - field : 0;
    const i32 cut = top - f.fraction_bits + below;
    const u32 kept = rounded(significand, cut < 31 ? cut : 31, r);
    /* The hidden bit adds the one that is missing in the field, and a carry goes on into it. */
    const u32 code = kept + ((u32)(field < 1 ? 0 : field - 1) << f.fraction_bits);
    return code > f.largest ? r.beyond : code;
}

/* The code of an E8M0 scale that is no number. */
#define SCALE_NAN 0xFFu
#define SCALE_BIAS 127

#endif
