/* SPDX-License-Identifier: Apache-2.0
 * What CUDA and HIP have in common: devices by number, kernels in an image for an architecture, launches in groups. A
 * runtime is a table of the calls of its driver; all of them give 0 or an error of the driver. */
#ifndef MXCERT_GPU_GPU_H
#define MXCERT_GPU_GPU_H

#include <stddef.h>

#include "conformance/backends/kernels/runtime.h"

/* Compiled kernels, for the devices of this architecture: "gfx942"; "" for one that the driver chooses from itself. */
typedef struct {
    const char* architecture;
    const void* image;
} gpu_image;

typedef struct {
    const char* kind; /* "HIP" */
    const char* help; /* what to look at if there is no device */
    const gpu_image* images;
    size_t image_count;
    int (*count_devices)(int* count);
    /* The architecture as the images name it. */
    int (*describe)(int device, char* name, size_t name_size, char* architecture, size_t architecture_size);
    int (*use)(int device, const void* image);
    int (*find)(kernels_number kernel);
    int (*allocate)(uint64_t* memory, uint64_t bytes);
    int (*release)(uint64_t memory);
    int (*to_device)(uint64_t memory, const void* data, uint64_t bytes);
    int (*from_device)(void* data, uint64_t memory, uint64_t bytes);
    int (*launch)(kernels_number kernel, const uint32_t* groups, const uint32_t* group, void** arguments);
    int (*finish)(void);
    const char* (*words)(int error); /* of the driver; never NULL */
} gpu_driver;

/* Defined by the file of the driver. */
extern const gpu_driver gpu_this_driver;

/* What a kernels_runtime has. */
int32_t gpu_open(const char* options);
int32_t gpu_run(const kernels_job* job);
int gpu_instructs(void);
void gpu_close(void);

/* The architecture of the device that is open, and whether a device of this machine is one of these, as a
 * kernels_runtime has them. */
const char* gpu_architecture(void);
int gpu_has_one_of(const char* architectures);

#endif
