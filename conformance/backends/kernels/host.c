/* SPDX-License-Identifier: Apache-2.0
 * The kernels compiled as C, run one place after the other. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter" /* every kernel gets every array */
#endif
#include "kernels.h"
#include "runtime.h"

#include <stdlib.h>

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

/* Arrays between steps, kept from call to call. */
static void* kept[BUFFER_COUNT];
static uint64_t kept_bytes[BUFFER_COUNT];

static void* make_room(int i, uint64_t bytes) {
    if (kept_bytes[i] >= bytes) return kept[i];
    free(kept[i]);
    kept[i] = malloc(bytes);
    kept_bytes[i] = kept[i] != NULL ? bytes : 0;
    return kept[i];
}

static int32_t run(const kernels_job* job) {
    void* buffers[BUFFER_COUNT];
    for (int i = 0; i < BUFFER_COUNT; ++i) {
        const kernels_buffer* b = &job->buffers[i];
        const int is_between = b->bytes != 0 && b->data == NULL;
        buffers[i] = is_between ? make_room(i, b->bytes) : b->bytes != 0 ? b->data : NULL;
        if (is_between && buffers[i] == NULL)
            return kernels_fail(MXCERT_ERROR, "no memory for an array of %llu bytes", (unsigned long long)b->bytes);
    }
    for (uint32_t i = 0; i < job->step_count; ++i) launchers[job->steps[i].kernel](buffers, job->steps[i].what);
    return MXCERT_OK;
}

static int32_t open_host(const char* options) {
    return options[0] == '\0' ? MXCERT_OK : kernels_fail(MXCERT_ERROR, "there are no options, not '%s'", options);
}

static void close_host(void) {
    for (int i = 0; i < BUFFER_COUNT; ++i) free(kept[i]);
}

static const char* description(void) { return "the kernels for devices, compiled as C for the host"; }

const kernels_runtime kernels_this_runtime = {
    .name = "kernels_host",
    .version = "1",
    .description = description,
    .open = open_host,
    .run = run,
    .close = close_host,
};
