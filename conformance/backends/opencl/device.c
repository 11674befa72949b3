/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200112L /* setenv(); NOLINT(bugprone-reserved-identifier): so POSIX names it */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/backends/kernels/runtime.h"

enum { MAXIMUM = 64, NAME_SIZE = 128, LIST_SIZE = 700 };

typedef struct {
    cl_device_id id;
    int platform; /* its number */
    char name[NAME_SIZE];
    char platform_name[NAME_SIZE];
} found_device;

int32_t opencl_read_options(const char* text, opencl_options* options) {
    memset(options, 0, sizeof *options);
    while (*text != '\0') {
        const size_t length = strcspn(text, ",");
        const struct {
            const char* key;
            char* value;
        } known[] = {{"device=", options->device}, {"platform=", options->platform}, {"build=", options->build}};
        const size_t count = sizeof known / sizeof known[0];
        size_t i = 0;
        while (i < count && strncmp(text, known[i].key, strlen(known[i].key)) != 0) ++i;
        if (i == count)
            return kernels_fail(MXCERT_ERROR, "no option '%.*s': there are device=, platform= and build=", (int)length,
                                text);
        const size_t key = strlen(known[i].key);
        if (length - key >= OPTION_SIZE)
            return kernels_fail(MXCERT_ERROR, "option %s of more than %d bytes", known[i].key, OPTION_SIZE - 1);
        memcpy(known[i].value, text + key, length - key);
        text += length;
        if (*text == ',') ++text;
    }
    return MXCERT_OK;
}

static int find(found_device* found) {
    /* The harness runs a process for each core already. PoCL's own threads would only wait for each other: with them a
     * batch of 4096 values takes seven times as long. Whoever sets the variable has his way. */
    setenv("POCL_DEVICES", "basic", 0);
    cl_platform_id platforms[MAXIMUM];
    cl_uint platform_count = 0;
    if (clGetPlatformIDs(MAXIMUM, platforms, &platform_count) != CL_SUCCESS) return 0;
    int count = 0;
    for (cl_uint p = 0; p < platform_count && p < MAXIMUM; ++p) {
        cl_device_id devices[MAXIMUM];
        cl_uint device_count = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAXIMUM, devices, &device_count) != CL_SUCCESS) continue;
        for (cl_uint d = 0; d < device_count && count < MAXIMUM; ++d) {
            found_device* f = &found[count++];
            memset(f, 0, sizeof *f);
            f->id = devices[d];
            f->platform = (int)p;
            /* A name that is too long is not written at all. */
            if (clGetDeviceInfo(devices[d], CL_DEVICE_NAME, NAME_SIZE, f->name, NULL) != CL_SUCCESS)
                snprintf(f->name, NAME_SIZE, "a device without a name");
            if (clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, NAME_SIZE, f->platform_name, NULL) != CL_SUCCESS)
                snprintf(f->platform_name, NAME_SIZE, "a platform without a name");
        }
    }
    return count;
}

static void list(const found_device* found, int count, char* text, size_t size) {
    snprintf(text, size, "no device");
    size_t used = 0;
    for (int i = 0; i < count && used < size; ++i) {
        const int more = snprintf(text + used, size - used, "%s%d: %s (platform %d: %s)", i == 0 ? "" : "; ", i,
                                  found[i].name, found[i].platform, found[i].platform_name);
        if (more < 0) return;
        used += (size_t)more;
    }
}

void opencl_list(char* text, size_t size) {
    static found_device found[MAXIMUM];
    list(found, find(found), text, size);
}

/* Whether `wanted` is this number or a part of this name; "" is anything. */
static int is_wanted(const char* wanted, int number, const char* name) {
    if (wanted[0] == '\0') return 1;
    if (strspn(wanted, "0123456789") == strlen(wanted)) return strlen(wanted) < 9 && atoi(wanted) == number;
    return strstr(name, wanted) != NULL;
}

static int has(cl_device_id device, cl_device_info what) {
    cl_bool value = CL_FALSE;
    return clGetDeviceInfo(device, what, sizeof value, &value, NULL) == CL_SUCCESS && value == CL_TRUE;
}

/* Why the kernels cannot run on a device; NULL if they can. */
static const char* unfit(cl_device_id device) {
    char profile[32] = "";
    if (!has(device, CL_DEVICE_AVAILABLE)) return "it is not available";
    if (!has(device, CL_DEVICE_COMPILER_AVAILABLE)) return "its driver has no compiler";
    if (!has(device, CL_DEVICE_ENDIAN_LITTLE)) return "it has the other byte order";
    if (clGetDeviceInfo(device, CL_DEVICE_PROFILE, sizeof profile, profile, NULL) != CL_SUCCESS ||
        strcmp(profile, "FULL_PROFILE") != 0)
        return "it has the embedded profile alone, which need not have 64-bit integers";
    return NULL;
}

int32_t opencl_choose(const opencl_options* options, cl_device_id* device) {
    static found_device found[MAXIMUM];
    const int count = find(found);
    if (count == 0)
        return kernels_fail(MXCERT_UNSUPPORTED, "there is no OpenCL device: no driver is installed (*.icd in "
                                                "/etc/OpenCL/vendors), or none finds a device that it may use");
    for (int i = 0; i < count; ++i) {
        if (!is_wanted(options->device, i, found[i].name) ||
            !is_wanted(options->platform, found[i].platform, found[i].platform_name))
            continue;
        const char* const why = unfit(found[i].id);
        if (why != NULL) return kernels_fail(MXCERT_UNSUPPORTED, "%s: %s", found[i].name, why);
        *device = found[i].id;
        return MXCERT_OK;
    }
    char there[LIST_SIZE];
    list(found, count, there, sizeof there);
    return kernels_fail(MXCERT_ERROR, "no device '%s' of a platform '%s'; there are %s", options->device,
                        options->platform, there);
}

const char* opencl_error_name(cl_int error) {
    static const struct {
        cl_int error;
        const char* name;
    } names[] = {
        {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
        {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
        {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE, the device has not the memory"},
        {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
        {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
        {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
        {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
        {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
        {CL_INVALID_DEVICE, "CL_INVALID_DEVICE"},
        {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
        {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
        {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
        {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
        {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
        {CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE"},
        {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (names[i].error == error) return names[i].name;
    return "error";
}
