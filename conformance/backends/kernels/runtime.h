/* SPDX-License-Identifier: Apache-2.0
 * What a runtime does for the kernels: it copies arrays to the device, launches kernels by name, and copies arrays
 * back. All else, which conversions and operations there are and which kernels make them, is the same for every one
 * (shell.c). A plugin has one runtime. */
#ifndef MXCERT_KERNELS_RUNTIME_H
#define MXCERT_KERNELS_RUNTIME_H

#include "types.h"

#include "error.h"
#include "list.h"
#include "parameters.h"

#include "conformance/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Their numbers, those of instructions last; kernels_names[] has their names in the same order. */
#define KERNEL_NUMBER(name) KERNEL_##name,
#define TENSOR_KERNEL_NUMBER(name, ...) KERNEL_##name,
typedef enum {
    KERNELS(KERNEL_NUMBER) INSTRUCTIONS(KERNEL_NUMBER) TENSOR_CORES(TENSOR_KERNEL_NUMBER) ALL_KERNELS
} kernels_number;
#define KERNEL_COUNT KERNEL_instruct_e4m3 /* how many there are without those of instructions */
extern const char* const kernels_names[ALL_KERNELS];

/* The arrays of a kernel, in the order of its arguments. */
enum { VALUES, SCALES, RESULT, RIGHT, RIGHT_SCALES, ADDED, BUFFER_COUNT };

/* One of them. Arrays are copied in before, also those that are only written: what a kernel leaves out must be seen as
 * it was, and not as the last one left it. Those that are written are copied out after. */
typedef struct {
    void* data;     /* of the host */
    uint64_t bytes; /* 0: the kernel gets NULL */
    int is_written;
} kernels_buffer;

typedef struct {
    kernels_number kernel;
    parameters what; /* `size` is how often it runs, in X, Y and Z; none of them is 0 */
} kernels_step;

/* A kernel and its arrays. */
typedef struct {
    kernels_buffer buffers[BUFFER_COUNT];
    kernels_step step;
} kernels_job;

typedef struct {
    const char* name;
    const char* version;
    const char* (*description)(void); /* called once, before the others */
    /* As in mxcert_api. */
    int32_t (*open)(const char* options);
    /* Does a job. MXCERT_OK, or another status after kernels_fail(). */
    int32_t (*run)(const kernels_job* job);
    /* May be NULL. */
    void (*close)(void);
    /* Whether conversions are to be made by instructions of the device, and no other way. NULL: it has none. */
    int (*instructs)(void);
    /* Which there are: those before this one. 0: none. */
    kernels_number instructions_end;
    /* Whether there are instructions for the FNUZ formats, so that these conversions are offered. */
    int has_fnuz;
    /* The architecture of the device that is open: "sm_90". NULL: there are no products by tensor cores. */
    const char* (*architecture)(void);
    /* Whether all processes share one device. */
    int is_one_device;
    /* Whether a device of this machine is one of these: "sm_90, sm_100". Where there is no device all are. */
    int (*has_one_of)(const char* architectures);
} kernels_runtime;

/* Defined by the file of the runtime. */
extern const kernels_runtime kernels_this_runtime;

#ifdef __cplusplus
}
#endif

#endif
