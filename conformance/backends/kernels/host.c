/* SPDX-License-Identifier: Apache-2.0
 * The kernels on the processor. */
#include "launch.h"

static int32_t run(const kernels_job* job) {
    void* buffers[BUFFER_COUNT];
    for (int i = 0; i < BUFFER_COUNT; ++i) buffers[i] = job->buffers[i].bytes != 0 ? job->buffers[i].data : NULL;
    kernels_launch(job->step.kernel, buffers, &job->step.what);
    return MXCERT_OK;
}

static int32_t open_host(const char* options) {
    return options[0] == '\0' ? MXCERT_OK : kernels_fail(MXCERT_ERROR, "there are no options, not '%s'", options);
}

static const char* description(void) { return "the kernels for devices, compiled as C for the host"; }

const kernels_runtime kernels_this_runtime = {
    .name = "kernels_host",
    .version = "1",
    .description = description,
    .open = open_host,
    .run = run,
};
