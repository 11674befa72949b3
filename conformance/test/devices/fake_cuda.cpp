// SPDX-License-Identifier: Apache-2.0
// libcuda.so.1 for the tests: the calls that the backend `cuda` makes.
#include <cuda.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "conformance/test/devices/fake_device.hpp"

using mxcert::test::fake_error;

#define CALL(name)                                                                                                     \
    if (const int error = fake_error(name)) return static_cast<CUresult>(error)

extern "C" {

CUresult cuInit(unsigned) {
    CALL("cuInit");
    return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char** text) {
    static std::string words;
    words = "error " + std::to_string(error) + " of a driver for tests";
    *text = words.c_str();
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
    CALL("cuDeviceGetCount");
    *count = mxcert::test::fake_devices();
    return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int number) {
    *device = number;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
    const std::string text = "Fake " + std::to_string(device);
    std::memcpy(name, text.c_str(), std::min(text.size() + 1, static_cast<std::size_t>(size)));
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    const int number = std::atoi(mxcert::test::fake_architecture(device).substr(3).c_str());
    *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? number / 10 : number % 10;
    return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext*, CUdevice device) {
    CALL("cuDevicePrimaryCtxRetain");
    mxcert::test::fake_use(device);
    return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxSynchronize() {
    CALL("cuCtxSynchronize");
    return CUDA_SUCCESS;
}
CUresult cuModuleLoadData(CUmodule*, const void*) {
    CALL("cuModuleLoadData");
    return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
    CALL("cuModuleGetFunction");
    for (int i = 0; i < ALL_KERNELS; ++i)
        if (std::strcmp(kernels_names[i], name) == 0) {
            const std::intptr_t number = i + 1;
            std::memcpy(function, &number, sizeof number);
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_NOT_FOUND;
}
CUresult cuMemAlloc(CUdeviceptr* there, std::size_t bytes) {
    CALL("cuMemAlloc");
    void* const memory = std::malloc(bytes);
    std::memcpy(there, &memory, sizeof memory);
    return memory == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr there) {
    void* memory = nullptr;
    std::memcpy(&memory, &there, sizeof memory);
    std::free(memory);
    return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
    CALL("cuMemcpyHtoD");
    void* memory = nullptr;
    std::memcpy(&memory, &to, sizeof memory);
    std::memcpy(memory, from, bytes);
    return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    CALL("cuMemcpyDtoD");
    void* target = nullptr;
    const void* source = nullptr;
    std::memcpy(&target, &to, sizeof target);
    std::memcpy(&source, &from, sizeof source);
    std::memcpy(target, source, bytes);
    return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
    CALL("cuMemcpyDtoH");
    const void* memory = nullptr;
    std::memcpy(&memory, &from, sizeof memory);
    std::memcpy(to, memory, bytes);
    return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned x, unsigned y, unsigned z, unsigned of_x, unsigned of_y,
                        unsigned of_z, unsigned, CUstream, void** arguments, void**) {
    CALL("cuLaunchKernel");
    std::intptr_t number = 0;
    std::memcpy(&number, &function, sizeof number);
    const std::uint32_t groups[3] = {x, y, z};
    const std::uint32_t group[3] = {of_x, of_y, of_z};
    if (of_x * of_y * of_z > 1024) return CUDA_ERROR_INVALID_VALUE;
    switch (mxcert::test::fake_launch(static_cast<kernels_number>(number - 1), groups, group, arguments)) {
    case mxcert::test::Launched::too_few_groups: return CUDA_ERROR_INVALID_VALUE;
    case mxcert::test::Launched::no_such_instruction: return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case mxcert::test::Launched::done: break;
    }
    return CUDA_SUCCESS;
}

} // extern "C"
