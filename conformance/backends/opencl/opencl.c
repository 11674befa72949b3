/* SPDX-License-Identifier: Apache-2.0
 * The backend `opencl`: the kernels on any device with OpenCL 1.2. The driver compiles them when the backend is
 * opened; arrays are copied to the device and back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "kernels_text.h"

#include "conformance/backends/kernels/runtime.h"

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernels[KERNEL_COUNT];
static size_t group_limit[KERNEL_COUNT]; /* the largest group that each can run in */
/* Arrays of the device, kept from call to call and made anew when they are too small. */
static cl_mem memory[BUFFER_COUNT];
static uint64_t memory_bytes[BUFFER_COUNT];
/* Whether FP32 is added as IEEE 754 has it, subnormal numbers as well: OpenCL leaves that to the device. */
static int adds_subnormals;

static int32_t failed(const char* what, cl_int error) {
    return kernels_fail(MXCERT_ERROR, "%s: %s (%d)", what, opencl_error_name(error), (int)error);
}

/* The log of the compiler as one line. */
static int32_t not_compiled(cl_int error, const char* options) {
    static char log[65536];
    size_t size = 0;
    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, &size) != CL_SUCCESS)
        snprintf(log, sizeof log, "the driver gives no log, or one of %zu bytes", size);
    for (char* c = log; *c != '\0'; ++c)
        if (*c == '\n' || *c == '\r' || *c == '\t') *c = ' ';
    return kernels_fail(MXCERT_ERROR, "the kernels do not compile (%s, options '%s'): %s", opencl_error_name(error),
                        options, log);
}

static int32_t build(const char* more) {
    char options[OPTION_SIZE + 32];
    snprintf(options, sizeof options, "-cl-std=CL1.2 %s", more);
    const char* text = kernels_text;
    cl_int error = CL_SUCCESS;
    program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    if (error != CL_SUCCESS) return failed("clCreateProgramWithSource", error);
    error = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (error != CL_SUCCESS) return not_compiled(error, options);
    for (int i = 0; i < KERNEL_COUNT; ++i) {
        kernels[i] = clCreateKernel(program, kernels_names[i], &error);
        if (error == CL_SUCCESS)
            error = clGetKernelWorkGroupInfo(kernels[i], device, CL_KERNEL_WORK_GROUP_SIZE, sizeof group_limit[i],
                                             &group_limit[i], NULL);
        if (error != CL_SUCCESS) return failed(kernels_names[i], error);
    }
    return MXCERT_OK;
}

static int32_t open_device(const char* text) {
    opencl_options options;
    int32_t status = opencl_read_options(text, &options);
    if (status == MXCERT_OK) status = opencl_choose(&options, &device);
    if (status != MXCERT_OK) return status;
    cl_device_fp_config floats = 0;
    const cl_int has_config = clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof floats, &floats, NULL);
    adds_subnormals =
        has_config == CL_SUCCESS && (floats & CL_FP_DENORM) != 0 && (floats & CL_FP_ROUND_TO_NEAREST) != 0;
    cl_int error = CL_SUCCESS;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (error != CL_SUCCESS) return failed("clCreateContext", error);
    queue = clCreateCommandQueue(context, device, 0, &error);
    if (error != CL_SUCCESS) return failed("clCreateCommandQueue", error);
    return build(options.build);
}

/* Room on the device for an array of a job. */
static cl_int make_room(int i, uint64_t bytes) {
    if (memory[i] != NULL && memory_bytes[i] >= bytes) return CL_SUCCESS;
    if (memory[i] != NULL) clReleaseMemObject(memory[i]);
    cl_int error = CL_SUCCESS;
    memory[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (error != CL_SUCCESS) memory[i] = NULL;
    memory_bytes[i] = bytes;
    return error;
}

static int32_t launch(const kernels_job* job, const kernels_step* step) {
    cl_kernel kernel = kernels[step->kernel];
    cl_int error = CL_SUCCESS;
    for (int i = 0; i < BUFFER_COUNT && error == CL_SUCCESS; ++i)
        error = clSetKernelArg(kernel, (cl_uint)i, sizeof(cl_mem), job->buffers[i].bytes == 0 ? NULL : &memory[i]);
    if (error == CL_SUCCESS) error = clSetKernelArg(kernel, BUFFER_COUNT, sizeof step->what, &step->what);
    if (error != CL_SUCCESS) return failed("clSetKernelArg", error);
    /* Groups of a few sizes, and what is left in smaller ones: some drivers compile a kernel anew for each size. */
    static const size_t groups[] = {256, 32, 1};
    size_t offset[3] = {0, 0, 0};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0] && error == CL_SUCCESS; ++i) {
        const size_t local[3] = {groups[i], 1, 1};
        const size_t left = step->what.size[0] - offset[0];
        const size_t size[3] = {left - left % groups[i], step->what.size[1], step->what.size[2]};
        if (size[0] == 0 || groups[i] > group_limit[step->kernel]) continue;
        error = clEnqueueNDRangeKernel(queue, kernel, 3, offset, size, local, 0, NULL, NULL);
        offset[0] += size[0];
    }
    return error == CL_SUCCESS ? MXCERT_OK : failed(kernels_names[step->kernel], error);
}

static int32_t run_kernel(const kernels_job* job) {
    for (int i = 0; i < BUFFER_COUNT; ++i) {
        const kernels_buffer* b = &job->buffers[i];
        if (b->bytes == 0) continue;
        cl_int error = make_room(i, b->bytes);
        if (error != CL_SUCCESS)
            return kernels_fail(MXCERT_ERROR, "an array of %llu bytes on the device: %s (%d)",
                                (unsigned long long)b->bytes, opencl_error_name(error), (int)error);
        error = clEnqueueWriteBuffer(queue, memory[i], CL_FALSE, 0, b->bytes, b->data, 0, NULL, NULL);
        if (error != CL_SUCCESS) return failed("to the device", error);
    }
    const int32_t status = launch(job, &job->step);
    if (status != MXCERT_OK) return status;
    for (int i = 0; i < BUFFER_COUNT; ++i) {
        const kernels_buffer* b = &job->buffers[i];
        if (!b->is_written) continue;
        const cl_int error = clEnqueueReadBuffer(queue, memory[i], CL_FALSE, 0, b->bytes, b->data, 0, NULL, NULL);
        if (error != CL_SUCCESS) return failed("from the device", error);
    }
    return MXCERT_OK;
}

static int32_t run(const kernels_job* job) {
    if (job->step.kernel == KERNEL_matmul && !adds_subnormals)
        return kernels_fail(MXCERT_UNSUPPORTED, "the device does not add FP32 as IEEE 754 has it");
    const int32_t status = run_kernel(job);
    /* Also after an error: what was begun must not reach the arrays later. */
    const cl_int error = clFinish(queue);
    return status == MXCERT_OK && error != CL_SUCCESS ? failed("on the device", error) : status;
}

static const char* description(void) {
    static char text[1000];
    const int used = snprintf(text, sizeof text, "the kernels as OpenCL C; devices here: ");
    opencl_list(text + used, sizeof text - (size_t)used);
    return text;
}

static void close_device(void) {
    for (int i = 0; i < BUFFER_COUNT; ++i)
        if (memory[i] != NULL) clReleaseMemObject(memory[i]);
    for (int i = 0; i < KERNEL_COUNT; ++i) clReleaseKernel(kernels[i]);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

const kernels_runtime kernels_this_runtime = {
    .name = "opencl",
    .version = "1",
    .description = description,
    .open = open_device,
    .run = run,
    .close = close_device,
};
