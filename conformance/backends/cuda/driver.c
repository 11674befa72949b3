/* SPDX-License-Identifier: Apache-2.0 */
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>

#include "conformance/backends/gpu/find_call.h"

enum { NO_DRIVER = -1 };

cuda_calls cuda;

static char no_driver[256];

static int load_once(void) {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(no_driver, sizeof no_driver, "%s", dlerror());
        return NO_DRIVER;
    }
#define FIND(name, exported)                                                                                           \
    if (!find_call(library, #exported, &cuda.name)) {                                                                  \
        snprintf(no_driver, sizeof no_driver, "libcuda.so.1 has no %s", #exported);                                    \
        return NO_DRIVER;                                                                                              \
    }
    CUDA_CALLS(FIND)
    return (int)cuda.cuInit(0);
}

/* The driver is asked for by each who counts the devices. */
static int load(void) {
    static int error;
    static int is_loaded = 0;
    if (!is_loaded) error = load_once();
    is_loaded = 1;
    return error;
}

static int count_devices(int* count) {
    const int error = load();
    return error != 0 ? error : (int)cuda.cuDeviceGetCount(count);
}

static int describe(int device, char* name, size_t name_size, char* architecture, size_t architecture_size) {
    CUdevice handle;
    int major = 0;
    int minor = 0;
    CUresult error = cuda.cuDeviceGet(&handle, device);
    if (error == CUDA_SUCCESS) error = cuda.cuDeviceGetName(name, (int)name_size, handle);
    if (error == CUDA_SUCCESS)
        error = cuda.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, handle);
    if (error == CUDA_SUCCESS)
        error = cuda.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, handle);
    snprintf(architecture, architecture_size, "sm_%d%d", major, minor);
    return (int)error;
}

static int use(int device) {
    CUdevice handle;
    CUcontext context;
    CUresult error = cuda.cuDeviceGet(&handle, device);
    if (error == CUDA_SUCCESS) error = cuda.cuDevicePrimaryCtxRetain(&context, handle);
    if (error == CUDA_SUCCESS) error = cuda.cuCtxSetCurrent(context);
    return (int)error;
}

static int allocate(uint64_t* memory, uint64_t bytes) {
    CUdeviceptr there = 0;
    const CUresult error = cuda.cuMemAlloc(&there, bytes);
    *memory = there;
    return (int)error;
}
static int release(uint64_t memory) { return (int)cuda.cuMemFree(memory); }
static int to_device(uint64_t memory, const void* data, uint64_t bytes) {
    return (int)cuda.cuMemcpyHtoD(memory, data, bytes);
}
static int from_device(void* data, uint64_t memory, uint64_t bytes) {
    return (int)cuda.cuMemcpyDtoH(data, memory, bytes);
}
static int on_device(uint64_t to, uint64_t from, uint64_t bytes) { return (int)cuda.cuMemcpyDtoD(to, from, bytes); }
static int finish(void) { return (int)cuda.cuCtxSynchronize(); }

static const char* words(int error) {
    const char* text = NULL;
    if (error == NO_DRIVER) return no_driver;
    return cuda.cuGetErrorString((CUresult)error, &text) == CUDA_SUCCESS && text != NULL ? text : "unknown error";
}

const gpu_driver gpu_this_driver = {
    .kind = "CUDA",
    .help = "NVIDIA's driver must be installed, and nvidia-smi show the device",
    .count_devices = count_devices,
    .describe = describe,
    .use = use,
    .allocate = allocate,
    .release = release,
    .to_device = to_device,
    .from_device = from_device,
    .on_device = on_device,
    .finish = finish,
    .words = words,
};
