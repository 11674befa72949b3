/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/backend.h"

#define DRIVER gpu_this_driver

enum { NAME_SIZE = 128 };

static char device_name[NAME_SIZE];
static char architecture[NAME_SIZE];
static uint64_t memory[GPU_PLACES];
static uint64_t memory_bytes[GPU_PLACES]; /* 0: none */

const char* gpu_name(void) { return device_name; }
const char* gpu_architecture(void) { return architecture; }

int32_t gpu_failed(const char* what, int error) {
    return kernels_fail(MXCERT_ERROR, "%s, %s: %s (%d)", DRIVER.kind, what, DRIVER.words(error), error);
}

/* "device=N and convert=instruction" */
static void meanings(const gpu_option* options, size_t count, char* text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && used < size; ++i) {
        const int more = snprintf(text + used, size - used, "%s%s", i == 0 ? "" : " and ", options[i].meaning);
        used += more > 0 ? (size_t)more : 0;
    }
}

int32_t gpu_read_options(const char* text, gpu_option* options, size_t count) {
    while (*text != '\0') {
        const size_t length = strcspn(text, ",");
        const size_t name = strcspn(text, "=,");
        gpu_option* found = NULL;
        for (size_t i = 0; i < count && name < length; ++i)
            if (strlen(options[i].name) == name && strncmp(options[i].name, text, name) == 0) found = &options[i];
        if (found == NULL || length - name - 1 >= GPU_VALUE_SIZE) {
            char there[256];
            meanings(options, count, there, sizeof there);
            return kernels_fail(MXCERT_ERROR, "no option '%.*s': there are %s", (int)(length < 200 ? length : 200),
                                text, there);
        }
        memcpy(found->value, text + name + 1, length - name - 1);
        found->value[length - name - 1] = '\0';
        text += length;
        if (*text == ',') ++text;
    }
    return MXCERT_OK;
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

int32_t gpu_choose(const char* number) {
    int count = 0;
    const int error = DRIVER.count_devices(&count);
    if (error != 0 || count == 0)
        return kernels_fail(MXCERT_UNSUPPORTED, "there is no %s device: %s (%d). %s", DRIVER.kind,
                            error != 0 ? DRIVER.words(error) : "the driver finds none", error, DRIVER.help);
    const int device = strspn(number, "0123456789") == strlen(number) && strlen(number) - 1 < 8 ? atoi(number) : -1;
    if (device < 0 || device >= count) {
        char there[700];
        list(count, there, sizeof there);
        return kernels_fail(MXCERT_ERROR, "no device '%s'; there are %s", number, there);
    }
    int what = DRIVER.describe(device, device_name, sizeof device_name, architecture, sizeof architecture);
    if (what != 0) return gpu_failed("a device's name", what);
    what = DRIVER.use(device);
    return what == 0 ? MXCERT_OK : gpu_failed(device_name, what);
}

const char* gpu_described(const char* text) {
    static char described[900];
    char there[700];
    int count = 0;
    if (DRIVER.count_devices(&count) != 0 || count == 0) return text;
    list(count, there, sizeof there);
    snprintf(described, sizeof described, "%s; here: %s", text, there);
    return described;
}

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

int32_t gpu_room(int place, uint64_t bytes) {
    if (memory_bytes[place] >= bytes) return MXCERT_OK;
    if (memory_bytes[place] != 0) DRIVER.release(memory[place]);
    memory_bytes[place] = 0;
    const int error = DRIVER.allocate(&memory[place], bytes);
    if (error != 0) return gpu_failed("memory for an array", error);
    memory_bytes[place] = bytes;
    return MXCERT_OK;
}

int32_t gpu_copy_in(int place, const void* data, uint64_t bytes) {
    const int32_t status = gpu_room(place, bytes);
    if (status != MXCERT_OK) return status;
    const int error = DRIVER.to_device(memory[place], data, bytes);
    return error == 0 ? MXCERT_OK : gpu_failed("to the device", error);
}

int32_t gpu_copy_out(int place, void* data, uint64_t bytes) {
    const int error = DRIVER.from_device(data, memory[place], bytes);
    return error == 0 ? MXCERT_OK : gpu_failed("from the device", error);
}

int32_t gpu_copy_on_device(int to, int from, uint64_t bytes) {
    const int error = DRIVER.on_device(memory[to], memory[from], bytes);
    return error == 0 ? MXCERT_OK : gpu_failed("from one place of the device to another", error);
}

int32_t gpu_finish(void) {
    const int error = DRIVER.finish();
    return error == 0 ? MXCERT_OK : gpu_failed("on the device", error);
}

uint64_t* gpu_address(int place) { return &memory[place]; }

void gpu_close(void) {
    for (int i = 0; i < GPU_PLACES; ++i)
        if (memory_bytes[i] != 0) DRIVER.release(memory[i]);
}
