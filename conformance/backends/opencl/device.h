/* SPDX-License-Identifier: Apache-2.0
 * The devices there are, and the one that the options ask for. */
#ifndef MXCERT_OPENCL_DEVICE_H
#define MXCERT_OPENCL_DEVICE_H

#include <CL/cl.h>
#include <stddef.h>
#include <stdint.h>

enum { OPTION_SIZE = 256 };

/* `device=` and `platform=` are a number or a part of a name; `build=` is for the compiler of the kernels. "" each
 * where nothing is said. */
typedef struct {
    char device[OPTION_SIZE];
    char platform[OPTION_SIZE];
    char build[OPTION_SIZE];
} opencl_options;

/* Reads `device=1,build=-DX`. 0, or another status after kernels_fail(). */
int32_t opencl_read_options(const char* text, opencl_options* options);

/* Lists the devices, "0: NAME (PLATFORM); 1: ..."; "no device" where there is none. Cut to `size`. */
void opencl_list(char* text, size_t size);

/* The device that the options ask for, the first if they do not, if the kernels can run on it. 0, or another status
 * after kernels_fail(), which says what there is. */
int32_t opencl_choose(const opencl_options* options, cl_device_id* device);

/* The name of an error as cl.h has it, or "error". */
const char* opencl_error_name(cl_int error);

#endif
