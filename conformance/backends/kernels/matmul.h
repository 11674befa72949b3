/* SPDX-License-Identifier: Apache-2.0
 * D = A B + C, one product after the other in FP32: each product is rounded, and each sum. Only the sum is one of
 * floats; the product of two elements and both their scales, which can be beyond any float, is made of integers. */
#ifndef MXCERT_KERNELS_MATMUL_H
#define MXCERT_KERNELS_MATMUL_H

DEVICE u32 product_of(const u32 a, const u32 b, const i32 scales, const u32 is_nan, const parameters p) {
    const u32 left = a & p.from.magnitude;
    const u32 right_magnitude = b & p.right.magnitude;
    const u32 left_special = left > p.from.largest ? 1u : 0u;
    const u32 right_special = right_magnitude > p.right.largest ? 1u : 0u;
    const u32 sign = (a >> p.from.sign_bit ^ b >> p.right.sign_bit) & 1u;
    const number n = unpack(left, p.from);
    const number o = unpack(right_magnitude, p.right);
    /* Four bits each, so the product has eight. */
    const u32 significand = (n.significand >> (TOP - 3)) * (o.significand >> (TOP - 3));
    const i32 up = (i32)CLZ(significand) - (31 - TOP);
    const i32 binade = n.exponent + o.exponent + scales + (TOP - 6) - up + p.to.bias;
    const u32 finite = significand == 0 ? 0u : magnitude_of(significand << up, TOP, binade, p.to, p.round);
    const u32 infinite = (left_special && left != p.from.infinity) ||
                                 (right_special && right_magnitude != p.right.infinity) || left == 0 ||
                                 right_magnitude == 0
                             ? p.to.nan
                             : p.to.infinity;
    const u32 code = is_nan ? p.to.nan : left_special || right_special ? infinite : finite;
    return code | sign << p.to.sign_bit;
}

KERNEL(matmul) {
    if (OUTSIDE) return;
    MEMORY const u8* a = (MEMORY const u8*)values + Y * p.multiply.left_line;
    MEMORY const u8* b = (MEMORY const u8*)right + X * p.multiply.right_line;
    const u64 at = Y * p.size[0] + X;
    float sum = p.multiply.has_added ? ((MEMORY const float*)added)[at] : 0.0f;
    for (u64 i = 0; i < p.multiply.k; ++i) {
        i32 exponents = 0;
        u32 is_nan = 0;
        if (p.multiply.block != 0) {
            const u64 block = i / p.multiply.block;
            const u32 of_a =
                ((MEMORY const u8*)scales)[Y * p.multiply.left_scale_line + block * p.multiply.left_scale_next];
            const u32 of_b =
                ((MEMORY const u8*)right_scales)[X * p.multiply.right_scale_line + block * p.multiply.right_scale_next];
            exponents = (i32)(of_a + of_b) - 2 * SCALE_BIAS;
            is_nan = of_a == SCALE_NAN || of_b == SCALE_NAN ? 1u : 0u;
        }
        sum += FLOAT(product_of(a[i * p.multiply.left_next], b[i * p.multiply.right_next], exponents, is_nan, p));
    }
    ((MEMORY float*)result)[at] = sum;
}

#endif
