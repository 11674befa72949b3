/* SPDX-License-Identifier: Apache-2.0
 * Wide formats to E4M3 and E5M2. */
#ifndef MXCERT_KERNELS_ENCODE_H
#define MXCERT_KERNELS_ENCODE_H

/* The code of a magnitude whose number has `code`, with its sign; a NaN has none. */
DEVICE u32 finished(const u32 bits, const u32 code, const u32 is_nan, const parameters p) {
    const u32 magnitude = bits & p.from.magnitude;
    const u32 is_special = magnitude > p.from.largest ? 1u : 0u;
    const u32 sign = (bits >> p.from.sign_bit & 1u) << p.to.sign_bit;
    const u32 any = (is_special ? p.round.beyond_infinity : code) | sign;
    return is_nan || (is_special && magnitude != p.from.infinity) ? p.to.nan : any;
}

/* A value divided by a scale. */
DEVICE u32 encode_scaled(const u32 bits, const u32 scale, const parameters p) {
    const u32 magnitude = bits & p.from.magnitude;
    number quotient = unpack(magnitude, p.from);
    quotient.exponent -= (i32)scale - SCALE_BIAS;
    const number n = planted(quotient);
    const i32 binade = n.exponent + p.to.bias;
    const u32 code = magnitude_of(n.significand, TOP, binade, p.to, p.round);
    return finished(bits, n.significand == 0 ? 0 : code, scale == SCALE_NAN, p);
}

/* A value as it is. The subnormals of the source need not be normalised: they are no larger than those of the target,
 * or have its exponent. */
#if defined(PLANT_VIA_FP16) || defined(PLANT_CUT_TO_FP16)
#define encode(bits, p) encode_scaled(bits, SCALE_BIAS, p)
#else
DEVICE u32 encode(const u32 bits, const parameters p) {
    const u32 magnitude = bits & p.from.magnitude;
    const u32 field = magnitude >> p.from.fraction_bits;
    const u32 hidden = field != 0 ? 1u : 0u;
    const u32 significand = (magnitude & ((1u << p.from.fraction_bits) - 1u)) | hidden << p.from.fraction_bits;
    const i32 binade = (i32)(hidden != 0 ? field : 1u) - p.from.bias + p.to.bias;
    const u32 code = magnitude_of(significand, p.from.fraction_bits, binade, p.to, p.round);
    return finished(bits, code, 0, p);
}
#endif

#define ENCODE(width)                                                                                                  \
    KERNEL(encode_##width) {                                                                                           \
        if (OUTSIDE) return;                                                                                           \
        ((MEMORY u8*)result)[X] = (u8)encode(((MEMORY const width*)values)[X], p);                                     \
    }
ENCODE(u32)
ENCODE(u16)

/* Each value with the scale of its block. */
#define ENCODE_SCALED(width)                                                                                           \
    KERNEL(encode_scaled_##width) {                                                                                    \
        if (OUTSIDE || ALONG >= p.place.length) return;                                                                \
        ((MEMORY u8*)result)[PLACE(result)] = (u8)encode_scaled(((MEMORY const width*)values)[PLACE(value)],           \
                                                                ((MEMORY const u8*)scales)[PLACE(scale)], p);          \
    }
ENCODE_SCALED(u32)
ENCODE_SCALED(u16)

#endif
