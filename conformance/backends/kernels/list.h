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
    K(quantize_u32)                                                                                                    \
    K(quantize_u16)                                                                                                    \
    K(steps_encode)                                                                                                    \
    K(steps_encode_scaled)                                                                                             \
    K(steps_scale)                                                                                                     \
    K(matmul)                                                                                                          \
    K(move_scales)

/* K(name) for those that are made of conversion instructions, which a device may have: from FP32 to an element and
 * what is made with that, which AMD's and NVIDIA's have, and those that only NVIDIA's have. */
#define INSTRUCTIONS(K)                                                                                                \
    K(instruct_e4m3)                                                                                                   \
    K(instruct_e5m2)                                                                                                   \
    K(steps_instruct_e4m3)                                                                                             \
    K(steps_instruct_e5m2)                                                                                             \
    K(instruct_quantize_fp32_e4m3)                                                                                     \
    K(instruct_quantize_fp16_e4m3)                                                                                     \
    K(instruct_quantize_bf16_e4m3)                                                                                     \
    K(instruct_quantize_fp32_e5m2)                                                                                     \
    K(instruct_quantize_fp16_e5m2)                                                                                     \
    K(instruct_quantize_bf16_e5m2)                                                                                     \
    K(instruct_fp16_e4m3)                                                                                              \
    K(instruct_fp16_e5m2)                                                                                              \
    K(instruct_bf16_e4m3)                                                                                              \
    K(instruct_bf16_e5m2)                                                                                              \
    K(instruct_e8m0)                                                                                                   \
    K(instruct_bf16_e8m0)                                                                                              \
    K(steps_instruct_fp16_e4m3)                                                                                        \
    K(steps_instruct_fp16_e5m2)                                                                                        \
    K(steps_instruct_bf16_e4m3)                                                                                        \
    K(steps_instruct_bf16_e5m2)                                                                                        \
    K(steps_instruct_e8m0)                                                                                             \
    K(steps_instruct_bf16_e8m0)                                                                                        \
    K(instruct_e4m3_fp16)                                                                                              \
    K(instruct_e5m2_fp16)                                                                                              \
    K(instruct_e8m0_bf16)                                                                                              \
    K(instruct_random_e4m3)                                                                                            \
    K(instruct_random_e5m2)

/* K(name, instruction, result, left, right) for matrix products by the tensor cores of NVIDIA's devices. */
#define TENSOR_CORES(K)                                                                                                \
    PAIRS(K, mma, f32)                                                                                                 \
    PAIRS(K, mma, f16)                                                                                                 \
    PAIRS(K, mma_k16, f32)                                                                                             \
    PAIRS(K, mma_k16, f16)                                                                                             \
    PAIRS(K, mma_scaled, f32)                                                                                          \
    PAIRS(K, wgmma, f32)                                                                                               \
    PAIRS(K, wgmma, f16)
#define PAIRS(K, instruction, result)                                                                                  \
    K(instruction##_##result##_e4m3_e4m3, instruction, result, e4m3, e4m3)                                             \
    K(instruction##_##result##_e4m3_e5m2, instruction, result, e4m3, e5m2)                                             \
    K(instruction##_##result##_e5m2_e4m3, instruction, result, e5m2, e4m3)                                             \
    K(instruction##_##result##_e5m2_e5m2, instruction, result, e5m2, e5m2)

#endif
