/* SPDX-License-Identifier: Apache-2.0
 * A range that is made on the device: its inputs, and of the codes that became of them only where they change. */
#ifndef MXCERT_KERNELS_RANGE_H
#define MXCERT_KERNELS_RANGE_H

/* The inputs; nothing is found yet. */
#define COUNT_UP(width)                                                                                                \
    KERNEL(count_up_##width) {                                                                                         \
        if (OUTSIDE) return;                                                                                           \
        ((MEMORY width*)values)[X] = (width)(p.range.first + (u32)X);                                                  \
        if (X == 0) *(MEMORY u32*)added = 0;                                                                           \
    }
COUNT_UP(u32)
COUNT_UP(u16)

/* The place and the code with which each step ends, in any order behind how many they are; those for which there is no
 * room are counted. X is a run of codes; most have no end in them, which words of eight tell. */
KERNEL(find_steps) {
    if (OUTSIDE) return;
    MEMORY const void* made = p.range.in_scales ? scales : result;
    MEMORY const u8* codes = (MEMORY const u8*)made;
    MEMORY u32* found = (MEMORY u32*)added;
    MEMORY found_step* steps = (MEMORY found_step*)(found + 1);
    const u64 first = X * CODES_AT_ONCE;
    const u64 left = p.place.length - first;
    const u64 count = left < CODES_AT_ONCE ? left : CODES_AT_ONCE;
    if (left > CODES_AT_ONCE) {
        MEMORY const u64* words = (MEMORY const u64*)made + X * (CODES_AT_ONCE / 8);
        const u64 next = codes[first + CODES_AT_ONCE] * (u64)0x0101010101010101;
        u64 differs = 0;
        for (u32 i = 0; i < CODES_AT_ONCE / 8; ++i) differs |= words[i] ^ next;
        if (differs == 0) return;
    }
    for (u64 i = first; i < first + count; ++i) {
        if (i + 1 != p.place.length && codes[i] == codes[i + 1]) continue;
        const u32 at = COUNT_ONE(found);
        if (at >= p.range.capacity) continue;
        steps[at].place = (u32)i;
        steps[at].code = codes[i];
    }
}

#endif
