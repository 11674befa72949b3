/* SPDX-License-Identifier: Apache-2.0
 * The backend `cuda`: the kernels on NVIDIA's devices, compiled when it was built. The driver is looked for when the
 * backend is opened: the plugin can be built and loaded where there is none. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>

#include "conformance/backends/gpu/gpu.h"
#include "cuda_images.h"

enum { NO_DRIVER = -1 };

/* The calls of the driver, by the names it exports. */
#define CALLS(C)                                                                                                       \
    C(cuInit, cuInit)                                                                                                  \
    C(cuGetErrorString, cuGetErrorString)                                                                              \
    C(cuDeviceGetCount, cuDeviceGetCount)                                                                              \
    C(cuDeviceGet, cuDeviceGet)                                                                                        \
    C(cuDeviceGetName, cuDeviceGetName)                                                                                \
    C(cuDeviceGetAttribute, cuDeviceGetAttribute)                                                                      \
    C(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain)                                                              \
    C(cuCtxSetCurrent, cuCtxSetCurrent)                                                                                \
    C(cuCtxSynchronize, cuCtxSynchronize)                                                                              \
    C(cuModuleLoadData, cuModuleLoadData)                                                                              \
    C(cuModuleGetFunction, cuModuleGetFunction)                                                                        \
    C(cuMemAlloc, cuMemAlloc_v2)                                                                                       \
    C(cuMemFree, cuMemFree_v2)                                                                                         \
    C(cuMemcpyHtoD, cuMemcpyHtoD_v2)                                                                                   \
    C(cuMemcpyDtoH, cuMemcpyDtoH_v2)                                                                                   \
    C(cuLaunchKernel, cuLaunchKernel)

/* NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member takes none */
#define POINTER(name, exported) __typeof__(&(exported)) name;
#undef cuMemAlloc
#undef cuMemFree
#undef cuMemcpyHtoD
#undef cuMemcpyDtoH
static struct { CALLS(POINTER) } driver;

static char no_driver[256];
static CUmodule module;
static CUfunction functions[ALL_KERNELS];

/* A pointer to a function from one to data, as POSIX has it. */
static int find_call(void* library, const char* name, void* call) {
    *(void**)call = dlsym(library, name);
    return *(void**)call != NULL;
}

static int load(void) {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(no_driver, sizeof no_driver, "%s", dlerror());
        return NO_DRIVER;
    }
#define FIND(name, exported)                                                                                           \
    if (!find_call(library, #exported, &driver.name)) {                                                                \
        snprintf(no_driver, sizeof no_driver, "libcuda.so.1 has no %s", #exported);                                    \
        return NO_DRIVER;                                                                                              \
    }
    CALLS(FIND)
    return (int)driver.cuInit(0);
}

static int count_devices(int* count) {
    const int error = load();
    return error != 0 ? error : (int)driver.cuDeviceGetCount(count);
}

static int describe(int device, char* name, size_t name_size, char* architecture, size_t architecture_size) {
    CUdevice handle;
    int major = 0;
    int minor = 0;
    CUresult error = driver.cuDeviceGet(&handle, device);
    if (error == CUDA_SUCCESS) error = driver.cuDeviceGetName(name, (int)name_size, handle);
    if (error == CUDA_SUCCESS)
        error = driver.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, handle);
    if (error == CUDA_SUCCESS)
        error = driver.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, handle);
    snprintf(architecture, architecture_size, "sm_%d%d", major, minor);
    return (int)error;
}

static int use(int device, const void* image) {
    CUdevice handle;
    CUcontext context;
    CUresult error = driver.cuDeviceGet(&handle, device);
    if (error == CUDA_SUCCESS) error = driver.cuDevicePrimaryCtxRetain(&context, handle);
    if (error == CUDA_SUCCESS) error = driver.cuCtxSetCurrent(context);
    if (error == CUDA_SUCCESS) error = driver.cuModuleLoadData(&module, image);
    return (int)error;
}

static int find(kernels_number kernel) {
    return (int)driver.cuModuleGetFunction(&functions[kernel], module, kernels_names[kernel]);
}
static int allocate(uint64_t* memory, uint64_t bytes) {
    CUdeviceptr there = 0;
    const CUresult error = driver.cuMemAlloc(&there, bytes);
    *memory = there;
    return (int)error;
}
static int release(uint64_t memory) { return (int)driver.cuMemFree(memory); }
static int to_device(uint64_t memory, const void* data, uint64_t bytes) {
    return (int)driver.cuMemcpyHtoD(memory, data, bytes);
}
static int from_device(void* data, uint64_t memory, uint64_t bytes) {
    return (int)driver.cuMemcpyDtoH(data, memory, bytes);
}
static int launch(kernels_number kernel, const uint32_t* groups, const uint32_t* group, void** arguments) {
    return (int)driver.cuLaunchKernel(functions[kernel], groups[0], groups[1], groups[2], group[0], group[1], group[2],
                                      0, NULL, arguments, NULL);
}
static int finish(void) { return (int)driver.cuCtxSynchronize(); }

static const char* words(int error) {
    const char* text = NULL;
    if (error == NO_DRIVER) return no_driver;
    return driver.cuGetErrorString((CUresult)error, &text) == CUDA_SUCCESS && text != NULL ? text : "unknown error";
}

const gpu_driver gpu_this_driver = {
    "CUDA",        "NVIDIA's driver must be installed, and nvidia-smi show the device",
    cuda_images,   sizeof cuda_images / sizeof cuda_images[0],
    count_devices, describe,
    use,           find,
    allocate,      release,
    to_device,     from_device,
    launch,        finish,
    words,
};

static const char* description(void) { return "the kernels, and conversion instructions, on NVIDIA's devices by CUDA"; }

const kernels_runtime kernels_this_runtime = {
    .name = "cuda",
    .version = "1",
    .description = description,
    .open = gpu_open,
    .run = gpu_run,
    .close = gpu_close,
    .instructs = gpu_instructs,
    .instructions_end = ALL_KERNELS,
    .architecture = gpu_architecture,
    .has_one_of = gpu_has_one_of,
};
