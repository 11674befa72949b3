/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu.h"

#include <string.h>

enum { GROUP = 128, LARGEST_GRID = 65535, GROUP_Z = 64 };

static int instructs;
static kernels_job last;

int gpu_instructs(void) { return instructs; }

static const void* image_for(const char* of) {
    for (size_t i = 0; i < gpu_this_launcher.image_count; ++i) {
        const gpu_image* image = &gpu_this_launcher.images[i];
        if (image->architecture[0] == '\0' || strcmp(image->architecture, of) == 0) return image->image;
    }
    return NULL;
}

int32_t gpu_open(const char* text) {
    gpu_option options[] = {{"device", "device=N", "0"}, {"convert", "convert=instruction", ""}};
    int32_t status = gpu_read_options(text, options, sizeof options / sizeof options[0]);
    if (status != MXCERT_OK) return status;
    instructs = options[1].value[0] != '\0';
    if (instructs && strcmp(options[1].value, "instruction") != 0)
        return kernels_fail(MXCERT_ERROR, "no convert=%s: there is %s", options[1].value, options[1].meaning);
    status = gpu_choose(options[0].value);
    if (status != MXCERT_OK) return status;
    const void* const image = image_for(gpu_architecture());
    if (image == NULL)
        return kernels_fail(MXCERT_UNSUPPORTED, "%s is %s, for which no kernels were compiled", gpu_name(),
                            gpu_architecture());
    int error = gpu_this_launcher.load(image);
    if (error != 0) return gpu_failed(gpu_name(), error);
    const int end = (int)kernels_this_runtime.instructions_end;
    for (int i = 0; i < (end > KERNEL_COUNT ? end : KERNEL_COUNT); ++i) {
        error = gpu_this_launcher.find((kernels_number)i);
        if (error != 0) return gpu_failed(kernels_names[i], error);
    }
    return MXCERT_OK;
}

/* Groups of up to 128: as many along X as there are, the rest along Y, then Z. */
static int32_t launch(const kernels_job* job, const kernels_step* step) {
    uint32_t group[3] = {1, 1, 1};
    uint32_t groups[3];
    uint32_t left = GROUP;
    for (int i = 0; i < 3; ++i) {
        const uint32_t most = i == 2 && left > GROUP_Z ? GROUP_Z : left;
        while (group[i] < most && group[i] < step->what.size[i]) group[i] *= 2;
        left /= group[i];
        const uint64_t needed = (step->what.size[i] + group[i] - 1) / group[i];
        if (needed > (i == 0 ? 0x7FFFFFFFu : (uint64_t)LARGEST_GRID))
            return kernels_fail(MXCERT_UNSUPPORTED, "%llu places on one side are more than a launch has",
                                (unsigned long long)step->what.size[i]);
        groups[i] = (uint32_t)needed;
    }
    static uint64_t nothing = 0;
    void* arguments[BUFFER_COUNT + 1];
    for (int i = 0; i < BUFFER_COUNT; ++i) arguments[i] = job->buffers[i].bytes == 0 ? &nothing : gpu_address(i);
    parameters what = step->what;
    arguments[BUFFER_COUNT] = &what;
    const int error = gpu_this_launcher.launch(step->kernel, groups, group, arguments);
    return error == 0 ? MXCERT_OK : gpu_failed(kernels_names[step->kernel], error);
}

int32_t gpu_repeat(uint32_t times) {
    int32_t status = MXCERT_OK;
    for (uint32_t i = 0; i < times && status == MXCERT_OK; ++i) status = launch(&last, &last.step);
    return status == MXCERT_OK ? gpu_finish() : status;
}

int32_t gpu_run(const kernels_job* job) {
    last = *job;
    int32_t status = MXCERT_OK;
    for (int i = 0; i < BUFFER_COUNT && status == MXCERT_OK; ++i) {
        const kernels_buffer* b = &job->buffers[i];
        if (b->bytes != 0) status = gpu_copy_in(i, b->data, b->bytes);
    }
    if (status == MXCERT_OK) status = launch(job, &job->step);
    if (status == MXCERT_OK) status = gpu_finish();
    for (int i = 0; i < BUFFER_COUNT && status == MXCERT_OK; ++i) {
        const kernels_buffer* b = &job->buffers[i];
        if (b->is_written) status = gpu_copy_out(i, b->data, b->bytes);
    }
    return status;
}
