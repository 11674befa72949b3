/* SPDX-License-Identifier: Apache-2.0
 * The kernels on the processor. */
#include "launch.h"

#include <stdlib.h>

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
    for (uint32_t i = 0; i < job->step_count; ++i) kernels_launch(job->steps[i].kernel, buffers, &job->steps[i].what);
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
