/* SPDX-License-Identifier: Apache-2.0
 * What backends on CUDA and HIP have in common: the choice of a device, and memory on it. A driver is a table of its
 * calls; all of them give 0 or an error of the driver. */
#ifndef MXCERT_GPU_DEVICE_H
#define MXCERT_GPU_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "conformance/backends/kernels/error.h"

typedef struct {
    const char* kind; /* "HIP" */
    const char* help; /* what to look at if there is no device */
    int (*count_devices)(int* count);
    /* The architecture by the name its compiler has for it: "gfx942", "sm_90". */
    int (*describe)(int device, char* name, size_t name_size, char* architecture, size_t architecture_size);
    int (*use)(int device);
    int (*allocate)(uint64_t* memory, uint64_t bytes);
    int (*release)(uint64_t memory);
    int (*to_device)(uint64_t memory, const void* data, uint64_t bytes);
    int (*from_device)(void* data, uint64_t memory, uint64_t bytes);
    int (*on_device)(uint64_t to, uint64_t from, uint64_t bytes); /* may return before it is done */
    int (*finish)(void);
    const char* (*words)(int error); /* of the driver; never NULL */
} gpu_driver;

/* Defined by the file of the driver. */
extern const gpu_driver gpu_this_driver;

/* Of what a backend takes as options, "NAME=VALUE,...", the value of one name; it is there beforehand if none is given.
 */
enum { GPU_VALUE_SIZE = 256 };
typedef struct {
    const char* name;
    const char* meaning; /* "device=N", for the error of a name that there is not */
    char value[GPU_VALUE_SIZE];
} gpu_option;

/* Fills the values in. MXCERT_ERROR: a name that there is not, or too long a value. */
int32_t gpu_read_options(const char* text, gpu_option* options, size_t count);

/* Opens the device of that number. MXCERT_UNSUPPORTED: there is none at all. */
int32_t gpu_choose(const char* number);

/* Of the device that is open. */
const char* gpu_name(void);
const char* gpu_architecture(void);

/* The text with the devices of this machine, "...; here: 0: NAME (sm_90)", so that a report names them. Once. */
const char* gpu_described(const char* text);

/* Whether a device of this machine is one of these, "sm_90, sm_100"; where there is no device all are. */
int gpu_has_one_of(const char* architectures);

/* MXCERT_ERROR, and words for an error of the driver. */
int32_t gpu_failed(const char* what, int error);

/* Memory on the device, kept from call to call: a place has the bytes that were ever asked for. All give MXCERT_OK or
 * another status after gpu_failed(). */
enum { GPU_PLACES = 8 };
int32_t gpu_room(int place, uint64_t bytes);
int32_t gpu_copy_in(int place, const void* data, uint64_t bytes);
int32_t gpu_copy_out(int place, void* data, uint64_t bytes);
int32_t gpu_copy_on_device(int to, int from, uint64_t bytes);
int32_t gpu_finish(void);
/* Its address, for a launch. */
uint64_t* gpu_address(int place);

void gpu_close(void);

#endif
