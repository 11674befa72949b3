/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DRIVER gpu_this_driver

enum { NAME_SIZE = 128, GROUP = 128, LARGEST_GRID = 65535, GROUP_Z = 64 };

static char architecture[NAME_SIZE];
static uint64_t memory[BUFFER_COUNT];
static uint64_t memory_bytes[BUFFER_COUNT]; /* 0: none */
static int instructs;

const char* gpu_architecture(void) { return architecture; }
int gpu_instructs(void) { return instructs; }

int gpu_has_one_of(const char* architectures) {
    int count = 0;
    if (DRIVER.count_devices(&count) != 0) return 1;
    int known = 0;
    for (int i = 0; i < count; ++i) {
        char name[NAME_SIZE];
        char of[NAME_SIZE];
        if (DRIVER.describe(i, name, sizeof name, of, sizeof of) != 0) continue;
        if (strstr(architectures, of) != NULL) return 1;
        ++known;
    }
    return known == 0;
}

static int32_t failed(const char* what, int error) {
    return kernels_fail(MXCERT_ERROR, "%s, %s: %s (%d)", DRIVER.kind, what, DRIVER.words(error), error);
}

/* "0: NAME (gfx942); 1: ..." */
static void list(int count, char* text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < count && used < size; ++i) {
        char name[NAME_SIZE] = "?";
        char of[NAME_SIZE] = "?";
        if (DRIVER.describe(i, name, sizeof name, of, sizeof of) != 0) continue;
        const int more = snprintf(text + used, size - used, "%s%d: %s (%s)", i == 0 ? "" : "; ", i, name, of);
        used += more > 0 ? (size_t)more : 0;
    }
}

/* Reads `device=N,convert=instruction`. */
static int32_t read_options(const char* text, char* device, size_t size) {
    static const char device_is[] = "device=";
    snprintf(device, size, "0");
    instructs = 0;
    while (*text != '\0') {
        const int length = (int)strcspn(text, ",");
        if (strncmp(text, device_is, sizeof device_is - 1) == 0)
            snprintf(device, size, "%.*s", length - (int)sizeof device_is + 1, text + sizeof device_is - 1);
        else if (length == 19 && strncmp(text, "convert=instruction", 19) == 0)
            instructs = 1;
        else
            return kernels_fail(MXCERT_ERROR, "no option '%.*s': there are device=N and convert=instruction", length,
                                text);
        text += length;
        if (*text == ',') ++text;
    }
    return MXCERT_OK;
}

static const void* image_for(const char* of) {
    for (size_t i = 0; i < DRIVER.image_count; ++i)
        if (DRIVER.images[i].architecture[0] == '\0' || strcmp(DRIVER.images[i].architecture, of) == 0)
            return DRIVER.images[i].image;
    return NULL;
}

int32_t gpu_open(const char* options) {
    char wanted[NAME_SIZE];
    const int32_t status = read_options(options, wanted, sizeof wanted);
    if (status != MXCERT_OK) return status;
    int count = 0;
    const int error = DRIVER.count_devices(&count);
    if (error != 0 || count == 0)
        return kernels_fail(MXCERT_UNSUPPORTED, "there is no %s device: %s (%d). %s", DRIVER.kind,
                            error != 0 ? DRIVER.words(error) : "the driver finds none", error, DRIVER.help);
    const int device = strspn(wanted, "0123456789") == strlen(wanted) && strlen(wanted) - 1 < 8 ? atoi(wanted) : -1;
    if (device < 0 || device >= count) {
        char there[700];
        list(count, there, sizeof there);
        return kernels_fail(MXCERT_ERROR, "no device '%s'; there are %s", wanted, there);
    }
    char name[NAME_SIZE] = "";
    int what = DRIVER.describe(device, name, sizeof name, architecture, sizeof architecture);
    if (what != 0) return failed("a device's name", what);
    const void* const image = image_for(architecture);
    if (image == NULL)
        return kernels_fail(MXCERT_UNSUPPORTED, "%s is %s, for which no kernels were compiled", name, architecture);
    what = DRIVER.use(device, image);
    if (what != 0) return failed(name, what);
    const int end = (int)kernels_this_runtime.instructions_end;
    for (int i = 0; i < (end > KERNEL_COUNT ? end : KERNEL_COUNT); ++i) {
        what = DRIVER.find((kernels_number)i);
        if (what != 0) return failed(kernels_names[i], what);
    }
    return MXCERT_OK;
}

static int make_room(int i, uint64_t bytes) {
    if (memory_bytes[i] >= bytes) return 0;
    if (memory_bytes[i] != 0) DRIVER.release(memory[i]);
    memory_bytes[i] = 0;
    const int error = DRIVER.allocate(&memory[i], bytes);
    if (error == 0) memory_bytes[i] = bytes;
    return error;
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
    for (int i = 0; i < BUFFER_COUNT; ++i) arguments[i] = job->buffers[i].bytes == 0 ? &nothing : &memory[i];
    parameters what = step->what;
    arguments[BUFFER_COUNT] = &what;
    const int error = DRIVER.launch(step->kernel, groups, group, arguments);
    return error == 0 ? MXCERT_OK : failed(kernels_names[step->kernel], error);
}

int32_t gpu_run(const kernels_job* job) {
    for (int i = 0; i < BUFFER_COUNT; ++i) {
        const kernels_buffer* b = &job->buffers[i];
        if (b->bytes == 0) continue;
        int error = make_room(i, b->bytes);
        if (error != 0) return failed("memory for an array", error);
        if (b->is_read) error = DRIVER.to_device(memory[i], b->data, b->bytes);
        if (error != 0) return failed("to the device", error);
    }
    for (uint32_t i = 0; i < job->step_count; ++i) {
        const int32_t status = launch(job, &job->steps[i]);
        if (status != MXCERT_OK) return status;
    }
    const int error = DRIVER.finish();
    if (error != 0) return failed("on the device", error);
    for (int i = 0; i < BUFFER_COUNT; ++i) {
        const kernels_buffer* b = &job->buffers[i];
        const int copied = b->is_written ? DRIVER.from_device(b->data, memory[i], b->bytes) : 0;
        if (copied != 0) return failed("from the device", copied);
    }
    return MXCERT_OK;
}

void gpu_close(void) {
    for (int i = 0; i < BUFFER_COUNT; ++i)
        if (memory_bytes[i] != 0) DRIVER.release(memory[i]);
}
