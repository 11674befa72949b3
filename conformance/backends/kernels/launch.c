/* SPDX-License-Identifier: Apache-2.0
 * The kernels compiled as C, run one place after the other. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter" /* every kernel gets every array */
#endif
#include "launch.h"
#include "kernels.h"

typedef void launcher(void* const* b, const parameters p);

/* The loops of a launch. What the kernel is told is a copy that nothing can change meanwhile, so that they become
 * vector code. */
#define LAUNCHER(name)                                                                                                 \
    static void launch_##name(void* const* b, const parameters p) {                                                    \
        for (u64 z = 0; z < p.size[2]; ++z)                                                                            \
            for (u64 y = 0; y < p.size[1]; ++y)                                                                        \
                for (u64 x = 0; x < p.size[0]; ++x) name(b[0], b[1], b[2], b[3], b[4], b[5], p, x, y, z);              \
    }
KERNELS(LAUNCHER)

#define LAUNCHER_NAME(name) launch_##name,
static launcher* const launchers[] = {KERNELS(LAUNCHER_NAME)};

void kernels_launch(kernels_number kernel, void* const* buffers, const parameters* what) {
    launchers[kernel](buffers, *what);
}
