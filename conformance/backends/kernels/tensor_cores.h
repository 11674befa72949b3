/* SPDX-License-Identifier: Apache-2.0
 * D = A B + C by the tensor cores of NVIDIA's devices, which are under test here: one instruction after the other along
 * the sum, the D of one the C of the next. A group has 128 lanes. A kernel whose instruction the architecture does not
 * have is there all the same, and stops the device: operations.c knows which it has. */
#ifndef MXCERT_KERNELS_TENSOR_CORES_H
#define MXCERT_KERNELS_TENSOR_CORES_H

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define HAS_WGMMA 1
#endif
#if defined(__CUDA_ARCH_FEAT_SM120_ALL)
#define HAS_BLOCK_SCALE 1
#endif

/* C and D of a lane: four floats, or four halves in two words. */
typedef struct {
    float is[4];
} held_f32;
typedef struct {
    u32 is[2];
} held_f16;

DEVICE void load_f32(held_f32* held, MEMORY const void* added, u64 row, u64 column, u32 lane, const parameters p) {
    for (u32 i = 0; i < 4; ++i) {
        const u64 place = place_of(i, row, column, lane, p);
        held->is[i] = p.multiply.has_added && place != NO_PLACE ? ((MEMORY const float*)added)[place] : 0.0f;
    }
}
DEVICE void load_f16(held_f16* held, MEMORY const void* added, u64 row, u64 column, u32 lane, const parameters p) {
    held->is[0] = 0;
    held->is[1] = 0;
    for (u32 i = 0; i < 4; ++i) {
        const u64 place = place_of(i, row, column, lane, p);
        if (p.multiply.has_added && place != NO_PLACE)
            held->is[i / 2] |= (u32)((MEMORY const u16*)added)[place] << (16 * (i % 2));
    }
}
DEVICE void store_f32(const held_f32* held, MEMORY void* result, u64 row, u64 column, u32 lane, const parameters p) {
    for (u32 i = 0; i < 4; ++i) {
        const u64 place = place_of(i, row, column, lane, p);
        if (place != NO_PLACE) ((MEMORY float*)result)[place] = held->is[i];
    }
}
DEVICE void store_f16(const held_f16* held, MEMORY void* result, u64 row, u64 column, u32 lane, const parameters p) {
    for (u32 i = 0; i < 4; ++i) {
        const u64 place = place_of(i, row, column, lane, p);
        if (place != NO_PLACE) ((MEMORY u16*)result)[place] = (u16)(held->is[i / 2] >> (16 * (i % 2)));
    }
}

/* The operands of an asm statement for C and D; the instructions name them %0 and so on. */
#define HELD_f32(held) "+f"((held).is[0]), "+f"((held).is[1]), "+f"((held).is[2]), "+f"((held).is[3])
#define HELD_f16(held) "+r"((held).is[0]), "+r"((held).is[1])

#define WORDS_LEFT(words) "r"((words)[0]), "r"((words)[1]), "r"((words)[2]), "r"((words)[3])
#define WORDS_HELD(words) "+r"((words)[0]), "+r"((words)[1]), "+r"((words)[2]), "+r"((words)[3])
#define WORDS_RIGHT(words) "r"((words)[0]), "r"((words)[1])

/* One warp has a tile of its own; four tiles lie side by side. The instruction comes last. */
#define WARP_KERNEL(name, result_is, step, ...)                                                                        \
    KERNEL(name) {                                                                                                     \
        const u32 lane = threadIdx.x % 32;                                                                             \
        const u64 row = Y * TILE_ROWS;                                                                                 \
        const u64 column = X / 32 * TILE_COLUMNS;                                                                      \
        held_##result_is d;                                                                                            \
        load_##result_is(&d, added, row, column, lane, p);                                                             \
        for (u64 at = 0; at < p.multiply.k; at += (step)) {                                                            \
            u32 a[4];                                                                                                  \
            u32 b[2];                                                                                                  \
            hold_left(a, values, row, lane, at, p);                                                                    \
            hold_right(b, right, column, lane, at, p);                                                                 \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
        store_##result_is(&d, result, row, column, lane, p);                                                           \
    }

#define ASM_mma_f32(l, r)                                                                                              \
    "mma.sync.aligned.m16n8k32.row.col.f32." #l "." #r ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
#define ASM_mma_f16(l, r)                                                                                              \
    "mma.sync.aligned.m16n8k32.row.col.f16." #l "." #r ".f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
#define KERNEL_OF_mma(name, result_is, l, r)                                                                           \
    WARP_KERNEL(name, result_is, 32,                                                                                   \
                asm volatile(ASM_mma_##result_is(l, r)                                                                 \
                             : HELD_##result_is(d)                                                                     \
                             : WORDS_LEFT(a), WORDS_RIGHT(b)))

#define ASM_mma_k16_f32(l, r)                                                                                          \
    "mma.sync.aligned.m16n8k16.row.col.f32." #l "." #r ".f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
#define ASM_mma_k16_f16(l, r) "mma.sync.aligned.m16n8k16.row.col.f16." #l "." #r ".f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};"
#define KERNEL_OF_mma_k16(name, result_is, l, r)                                                                       \
    WARP_KERNEL(name, result_is, 16,                                                                                   \
                asm volatile(ASM_mma_k16_##result_is(l, r)                                                             \
                             : HELD_##result_is(d)                                                                     \
                             : "r"(a[0]), "r"(a[1]), "r"(b[0])))

/* With the scales of blocks of 32: each lane gives its own, in the first byte of a word. */
#define ASM_mma_scaled(l, r)                                                                                           \
    "mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32." #l "." #r                        \
    ".f32.ue8m0 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3}, {%10}, {0,0}, {%11}, {0,0};"
#if defined(HAS_BLOCK_SCALE)
#define KERNEL_OF_mma_scaled(name, result_is, l, r)                                                                    \
    WARP_KERNEL(name, result_is, 32,                                                                                   \
                asm volatile(ASM_mma_scaled(l, r)                                                                      \
                             : HELD_##result_is(d)                                                                     \
                             : WORDS_LEFT(a), WORDS_RIGHT(b), "r"(hold_left_scale(scales, row, lane, at, p)),          \
                               "r"(hold_right_scale(right_scales, column, lane, at, p))))
#else
#define KERNEL_OF_mma_scaled(name, result_is, l, r)                                                                    \
    KERNEL(name) { __trap(); }
#endif

/* Four warps have 64 rows of A in registers and 8 columns of B in shared memory: 2 x 8 rows of 16 bytes, of one column
 * each, which is B's place without swizzling. `descriptor` says where: its address, and 128 bytes from 16 rows of B to
 * the next and from 8 columns to the next, in units of 16 bytes. */
#if defined(HAS_WGMMA)
#define WGMMA_COLUMNS 8
#define WGMMA_STEP 32
DEVICE u64 share_right(u8* shared, MEMORY const void* values, const u64 tile, const u64 at, const parameters p) {
    const u32 thread = threadIdx.x;
    const u64 column = tile + thread / 16;
    const u32 first = thread % 16 * 2;
    MEMORY const u8* line = (MEMORY const u8*)values + column * p.multiply.right_line;
    for (u32 i = first; i < first + 2; ++i)
        shared[i / 16 * 128 + thread / 16 * 16 + i % 16] =
            column < p.multiply.columns && at + i < p.multiply.k ? line[(at + i) * p.multiply.right_next] : (u8)0;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    const u64 address = __cvta_generic_to_shared(shared);
    return (address & 0x3FFFFu) >> 4 | (u64)(128 >> 4) << 16 | (u64)(128 >> 4) << 32;
}
#define ADDS "{ .reg .pred adds; setp.eq.u32 adds, 0, 0; " /* D is added to */
#define ASM_wgmma_f32(l, r)                                                                                            \
    ADDS "wgmma.mma_async.sync.aligned.m64n8k32.f32." #l "." #r " {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, adds, 1, 1; }"
#define ASM_wgmma_f16(l, r)                                                                                            \
    ADDS "wgmma.mma_async.sync.aligned.m64n8k32.f16." #l "." #r " {%0,%1}, {%2,%3,%4,%5}, %6, adds, 1, 1; }"
#define KERNEL_OF_wgmma(name, result_is, l, r)                                                                         \
    KERNEL(name) {                                                                                                     \
        __shared__ __align__(128) u8 shared[WGMMA_COLUMNS * WGMMA_STEP];                                               \
        const u32 lane = threadIdx.x % 32;                                                                             \
        const u64 row = Y * (4 * TILE_ROWS) + threadIdx.x / 32 * TILE_ROWS;                                            \
        const u64 column = X / 128 * WGMMA_COLUMNS;                                                                    \
        held_##result_is d;                                                                                            \
        load_##result_is(&d, added, row, column, lane, p);                                                             \
        for (u64 at = 0; at < p.multiply.k; at += WGMMA_STEP) {                                                        \
            u32 a[4];                                                                                                  \
            hold_left(a, values, row, lane, at, p);                                                                    \
            const u64 descriptor = share_right(shared, right, column, at, p);                                          \
            __syncthreads();                                                                                           \
            asm volatile("wgmma.fence.sync.aligned;" : HELD_##result_is(d), WORDS_HELD(a) : : "memory");               \
            asm volatile(ASM_wgmma_##result_is(l, r)                                                                   \
                         : HELD_##result_is(d)                                                                         \
                         : WORDS_LEFT(a), "l"(descriptor)                                                              \
                         : "memory");                                                                                  \
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                                             \
            asm volatile("wgmma.wait_group.sync.aligned 0;" : HELD_##result_is(d) : : "memory");                       \
            __syncthreads();                                                                                           \
        }                                                                                                              \
        store_##result_is(&d, result, row, column, lane, p);                                                           \
    }
#else
#define KERNEL_OF_wgmma(name, result_is, l, r)                                                                         \
    KERNEL(name) { __trap(); }
#endif

#define TENSOR_KERNEL(name, instruction, result_is, l, r) KERNEL_OF_##instruction(name, result_is, l, r)
TENSOR_CORES(TENSOR_KERNEL)

#endif
