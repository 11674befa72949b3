/* SPDX-License-Identifier: Apache-2.0
 * A backend that runs a kernel by OpenCL: E5M2 to FP16, which is the upper half of it. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

#include "conformance/backend.h"

static const char* source = "__kernel void widen(__global const uchar* in, __global ushort* out) {\n"
                            "    const size_t i = get_global_id(0);\n"
                            "    out[i] = (ushort)(in[i] << 8);\n"
                            "}\n";

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;
static char error[256];

static int32_t failed(const char* what, cl_int code) {
    snprintf(error, sizeof error, "%s: error %d of OpenCL", what, (int)code);
    return MXCERT_ERROR;
}

static int32_t open_device(const char* options) {
    (void)options;
    cl_platform_id platform;
    cl_int code = clGetPlatformIDs(1, &platform, NULL);
    if (code == CL_SUCCESS) code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    if (code != CL_SUCCESS) {
        failed("no device", code);
        return MXCERT_UNSUPPORTED; /* the answer to every request: no row passes */
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    if (code != CL_SUCCESS) return failed("clCreateContext", code);
    queue = clCreateCommandQueue(context, device, 0, &code);
    if (code != CL_SUCCESS) return failed("clCreateCommandQueue", code);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    if (code != CL_SUCCESS) return failed("clCreateProgramWithSource", code);
    code = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (code != CL_SUCCESS) return failed("clBuildProgram", code);
    kernel = clCreateKernel(program, "widen", &code);
    return code == CL_SUCCESS ? MXCERT_OK : failed("clCreateKernel", code);
}

static int32_t convert(const mxcert_convert_args* args) {
    const size_t count = args->count;
    cl_int code = CL_SUCCESS;
    cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY, count, NULL, &code);
    if (code != CL_SUCCESS) return failed("memory", code);
    cl_mem out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, count * 2, NULL, &code);
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 0, sizeof(cl_mem), &in);
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 1, sizeof(cl_mem), &out);
    if (code == CL_SUCCESS) code = clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, count, args->input, 0, NULL, NULL);
    if (code == CL_SUCCESS) code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL);
    if (code == CL_SUCCESS) code = clEnqueueReadBuffer(queue, out, CL_TRUE, 0, count * 2, args->output, 0, NULL, NULL);
    clReleaseMemObject(in);
    if (out != NULL) clReleaseMemObject(out);
    return code == CL_SUCCESS ? MXCERT_OK : failed("a batch", code);
}

static const char* last_error(void) { return error; }

static const mxcert_conversion conversions[] = {
    {sizeof(mxcert_conversion), 0, "e5m2", "fp16", "nearest_even", "nosat"},
};

static const mxcert_api api = {
    .struct_size = sizeof(mxcert_api),
    .abi_major = MXCERT_ABI_MAJOR,
    .abi_minor = MXCERT_ABI_MINOR,
    .conversion_count = 1,
    .conversions = conversions,
    .name = "widen",
    .version = "1",
    .description = "an example of a kernel by OpenCL",
    .open = open_device,
    .convert = convert,
    .last_error = last_error,
};

const mxcert_api* mxcert_get_api(uint32_t host_abi_major) { return host_abi_major == MXCERT_ABI_MAJOR ? &api : NULL; }
