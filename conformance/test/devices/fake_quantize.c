/* SPDX-License-Identifier: Apache-2.0
 * The kernels that quantize by conversion instructions, as C; the instructions are those of fake_device.cpp. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter" /* every kernel gets every array */
#pragma GCC diagnostic ignored "-Wunused-function"  /* of the others */
#endif
#include "conformance/backends/kernels/kernels.h"

#include "conformance/test/devices/fake_quantize.h"

#define UNROLL
#define ALIGNED_16 __attribute__((aligned(16), may_alias))
#define FLOAT_OF_FP16(bits) FLOAT(fake_fp16_to_fp32(bits))

DEVICE u32 instructed_e4m3(const u32 bits, const parameters p) { return fake_instructed(0, p.round.limit, bits); }
DEVICE u32 instructed_e5m2(const u32 bits, const parameters p) { return fake_instructed(1, p.round.limit, bits); }

#include "conformance/backends/kernels/instruct_quantize.h"

#define CASE(name)                                                                                                     \
    if (kernel == KERNEL_instruct_quantize_##name) {                                                                   \
        for (u64 y = 0; y < p->size[1]; ++y)                                                                           \
            for (u64 x = 0; x < p->size[0]; ++x)                                                                       \
                instruct_quantize_##name(b[0], b[1], b[2], b[3], b[4], b[5], *p, x, y, 0);                             \
        return 1;                                                                                                      \
    }
int fake_quantize(kernels_number kernel, void* const* b, const parameters* p) {
    CASE(fp32_e4m3)
    CASE(fp16_e4m3)
    CASE(bf16_e4m3)
    CASE(fp32_e5m2)
    CASE(fp16_e5m2)
    CASE(bf16_e5m2)
    return 0;
}
