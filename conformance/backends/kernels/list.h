/* SPDX-License-Identifier: Apache-2.0
 * The names of the kernels. */
#ifndef MXCERT_KERNELS_LIST_H
#define MXCERT_KERNELS_LIST_H

/* K(name) for each of them. */
#define KERNELS(K)                                                                                                     \
    K(encode_u32)                                                                                                      \
    K(encode_u16)                                                                                                      \
    K(encode_scaled_u32)                                                                                               \
    K(encode_scaled_u16)                                                                                               \
    K(decode_u64)                                                                                                      \
    K(decode_u32)                                                                                                      \
    K(decode_u16)                                                                                                      \
    K(scale_u32)                                                                                                       \
    K(scale_u16)                                                                                                       \
    K(matmul)                                                                                                          \
    K(move_scales)

/* K(name) for those that are made of conversion instructions, which a device may have. */
#define INSTRUCTIONS(K)                                                                                                \
    K(instruct_e4m3)                                                                                                   \
    K(instruct_e5m2)

#endif
