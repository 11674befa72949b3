/* SPDX-License-Identifier: Apache-2.0
 * The kernels on CUDA and HIP: in an image for an architecture, launched in groups. A runtime is a table of the calls
 * of its driver; all of them give 0 or an error of the driver. */
#ifndef MXCERT_GPU_GPU_H
#define MXCERT_GPU_GPU_H

#include "conformance/backends/kernels/runtime.h"
#include "device.h"

/* Compiled kernels, for the devices of this architecture: "gfx942"; "" for one that the driver chooses from itself. */
typedef struct {
    const char* architecture;
    const void* image;
} gpu_image;

typedef struct {
    const gpu_image* images;
    size_t image_count;
    int (*load)(const void* image);
    int (*find)(kernels_number kernel);
    int (*launch)(kernels_number kernel, const uint32_t* groups, const uint32_t* group, void** arguments);
} gpu_launcher;

/* Defined by the file of the runtime. */
extern const gpu_launcher gpu_this_launcher;

/* What a kernels_runtime has. */
int32_t gpu_open(const char* text);
int32_t gpu_run(const kernels_job* job);
int gpu_instructs(void);

/* Launches the last kernel again, so often, on what is on the device, and waits: to measure it. */
int32_t gpu_repeat(uint32_t times);

#endif
