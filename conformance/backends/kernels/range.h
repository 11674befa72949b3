/* SPDX-License-Identifier: Apache-2.0
 * A range that is made on the device: of the codes that its inputs become only the places where they change. Inputs and
 * codes are never in memory. */
#ifndef MXCERT_KERNELS_RANGE_H
#define MXCERT_KERNELS_RANGE_H

/* The place and the code with which each step ends, in any order, and how many they are; those for which there is no
 * room are counted. X is a run of codes: most have no end in them, which is seen first. `code_of` makes a code of an
 * input. */
#define STEPS(name, code_of)                                                                                           \
    KERNEL(steps_##name) {                                                                                             \
        if (OUTSIDE) return;                                                                                           \
        MEMORY u32* found = (MEMORY u32*)right;                                                                        \
        MEMORY found_step* steps = (MEMORY found_step*)added;                                                          \
        const u64 first = X * CODES_AT_ONCE;                                                                           \
        const u64 left = p.place.length - first;                                                                       \
        const u64 count = left < CODES_AT_ONCE ? left : CODES_AT_ONCE;                                                 \
        const u32 input = p.range.first + (u32)first;                                                                  \
        if (left > CODES_AT_ONCE) {                                                                                    \
            const u32 next = code_of(input + CODES_AT_ONCE, p);                                                        \
            u32 differs = 0;                                                                                           \
            for (u32 i = 0; i < CODES_AT_ONCE; ++i) differs |= code_of(input + i, p) ^ next;                           \
            if (differs == 0) return;                                                                                  \
        }                                                                                                              \
        for (u32 i = 0; i < (u32)count; ++i) {                                                                         \
            const u32 code = code_of(input + i, p);                                                                    \
            if (first + i + 1 != p.place.length && code == code_of(input + i + 1, p)) continue;                        \
            const u32 at = COUNT_ONE(found);                                                                           \
            if (at >= p.range.capacity) continue;                                                                      \
            steps[at].place = (u32)first + i;                                                                          \
            steps[at].code = code;                                                                                     \
        }                                                                                                              \
    }

#define ENCODED_SCALED(bits, p) encode_scaled(bits, ((MEMORY const u8*)scales)[0], p)
#define SCALE_OF_VALUE(bits, p) scale_of(counted(bits, p), p)
STEPS(encode, encode)
STEPS(encode_scaled, ENCODED_SCALED)
STEPS(scale, SCALE_OF_VALUE)

#endif
