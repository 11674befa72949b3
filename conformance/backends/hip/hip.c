/* SPDX-License-Identifier: Apache-2.0
 * The backend `hip`: the kernels on AMD's devices, compiled when it was built. */
#define __HIP_PLATFORM_AMD__ 1 /* NOLINT(bugprone-reserved-identifier): so HIP names it */
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "conformance/backends/gpu/gpu.h"
#include "hip_images.h"

static hipModule_t module;
static hipFunction_t functions[ALL_KERNELS];

static int count_devices(int* count) { return (int)hipGetDeviceCount(count); }

/* "gfx942:sramecc+:xnack-" is gfx942. */
static int describe(int device, char* name, size_t name_size, char* architecture, size_t architecture_size) {
    static hipDeviceProp_t properties;
    const hipError_t error = hipGetDeviceProperties(&properties, device);
    if (error != hipSuccess) return (int)error;
    snprintf(name, name_size, "%s", properties.name);
    snprintf(architecture, architecture_size, "%.*s", (int)strcspn(properties.gcnArchName, ":"),
             properties.gcnArchName);
    return 0;
}

static int use(int device) { return (int)hipSetDevice(device); }

static int load(const void* image) { return (int)hipModuleLoadData(&module, image); }
static int find(kernels_number kernel) {
    return (int)hipModuleGetFunction(&functions[kernel], module, kernels_names[kernel]);
}

static void* pointer(uint64_t memory) {
    return (void*)(uintptr_t)memory; /* NOLINT(performance-no-int-to-ptr): a device's, CUDA's are integers */
}

static int allocate(uint64_t* memory, uint64_t bytes) {
    void* there = NULL;
    const hipError_t error = hipMalloc(&there, bytes);
    *memory = (uint64_t)(uintptr_t)there;
    return (int)error;
}
static int release(uint64_t memory) { return (int)hipFree(pointer(memory)); }
static int to_device(uint64_t memory, const void* data, uint64_t bytes) {
    return (int)hipMemcpy(pointer(memory), data, bytes, hipMemcpyHostToDevice);
}
static int from_device(void* data, uint64_t memory, uint64_t bytes) {
    return (int)hipMemcpy(data, pointer(memory), bytes, hipMemcpyDeviceToHost);
}
static int on_device(uint64_t to, uint64_t from, uint64_t bytes) {
    return (int)hipMemcpy(pointer(to), pointer(from), bytes, hipMemcpyDeviceToDevice);
}
static int launch(kernels_number kernel, const uint32_t* groups, const uint32_t* group, void** arguments) {
    return (int)hipModuleLaunchKernel(functions[kernel], groups[0], groups[1], groups[2], group[0], group[1], group[2],
                                      0, NULL, arguments, NULL);
}
static int finish(void) { return (int)hipDeviceSynchronize(); }
static const char* words(int error) { return hipGetErrorString((hipError_t)error); }

const gpu_driver gpu_this_driver = {
    .kind = "HIP",
    .help = "amdgpu must be loaded, and /dev/kfd and /dev/dri be open to this user",
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

const gpu_launcher gpu_this_launcher = {hip_images, sizeof hip_images / sizeof hip_images[0], load, find, launch};

/* The instructions of CDNA3 give FNUZ, those of later devices OCP's formats. */
static int32_t run(const kernels_job* job) {
    const int gives_fnuz = strncmp(gpu_architecture(), "gfx94", 5) == 0;
    const int is_fnuz = job->step.what.to.nan == 0x80u;
    if (job->step.kernel >= KERNEL_COUNT && is_fnuz != gives_fnuz)
        return kernels_fail(MXCERT_UNSUPPORTED, "the conversion instructions of %s give the %s formats",
                            gpu_architecture(), gives_fnuz ? "FNUZ" : "OCP");
    return gpu_run(job);
}

static const char* description(void) {
    return gpu_described("the kernels, and conversion instructions, on AMD's devices by HIP");
}

const kernels_runtime kernels_this_runtime = {
    .name = "hip",
    .version = "1",
    .description = description,
    .open = gpu_open,
    .run = run,
    .close = gpu_close,
    .instructs = gpu_instructs,
    .instructions_end = KERNEL_instruct_fp16_e4m3,
    .has_fnuz = 1,
    .is_one_device = 1,
};
