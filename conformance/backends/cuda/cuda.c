/* SPDX-License-Identifier: Apache-2.0
 * The backend `cuda`: the kernels on NVIDIA's devices, compiled when it was built. */
#include "conformance/backends/gpu/gpu.h"
#include "cuda_images.h"
#include "driver.h"

static CUmodule module;
static CUfunction functions[ALL_KERNELS];

static int load(const void* image) { return (int)cuda.cuModuleLoadData(&module, image); }
static int find(kernels_number kernel) {
    return (int)cuda.cuModuleGetFunction(&functions[kernel], module, kernels_names[kernel]);
}
static int launch(kernels_number kernel, const uint32_t* groups, const uint32_t* group, void** arguments) {
    return (int)cuda.cuLaunchKernel(functions[kernel], groups[0], groups[1], groups[2], group[0], group[1], group[2], 0,
                                    NULL, arguments, NULL);
}

const gpu_launcher gpu_this_launcher = {cuda_images, sizeof cuda_images / sizeof cuda_images[0], load, find, launch};

static const char* description(void) {
    return gpu_described("the kernels, and instructions for conversions and products, on NVIDIA's devices by CUDA");
}

const kernels_runtime kernels_this_runtime = {
    .name = "cuda",
    .version = "1",
    .description = description,
    .open = gpu_open,
    .run = gpu_run,
    .close = gpu_close,
    .instructs = gpu_instructs,
    .instructions_end = ALL_KERNELS,
    .is_one_device = 1,
    .architecture = gpu_architecture,
    .has_one_of = gpu_has_one_of,
};
