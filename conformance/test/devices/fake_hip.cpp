// SPDX-License-Identifier: Apache-2.0
// AMD's library for the tests: the calls that the backend `hip` makes.
#define __HIP_PLATFORM_AMD__ 1 // NOLINT(bugprone-reserved-identifier): so HIP names it
#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "conformance/test/devices/fake_device.hpp"

using mxcert::test::fake_error;

#define CALL(name)                                                                                                     \
    if (const int error = fake_error(name)) return static_cast<hipError_t>(error)

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): HIP abbreviates
extern "C" {

const char* hipGetErrorString(hipError_t error) {
    static std::string words;
    words = "error " + std::to_string(error) + " of a driver for tests";
    return words.c_str();
}
hipError_t hipGetDeviceCount(int* count) {
    CALL("hipGetDeviceCount");
    *count = mxcert::test::fake_devices();
    return hipSuccess;
}
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
    CALL("hipGetDeviceProperties");
    std::snprintf(properties->name, sizeof properties->name, "Fake %d", device);
    std::snprintf(properties->gcnArchName, sizeof properties->gcnArchName, "%s:sramecc+:xnack-",
                  mxcert::test::fake_architecture(device).c_str());
    return hipSuccess;
}
hipError_t hipSetDevice(int device) {
    CALL("hipSetDevice");
    mxcert::test::fake_use(device);
    return hipSuccess;
}
hipError_t hipModuleLoadData(hipModule_t*, const void*) {
    CALL("hipModuleLoadData");
    return hipSuccess;
}
hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t, const char* name) {
    CALL("hipModuleGetFunction");
    for (int i = 0; i < ALL_KERNELS; ++i)
        if (std::strcmp(kernels_names[i], name) == 0) {
            const std::intptr_t number = i + 1;
            std::memcpy(function, &number, sizeof number);
            return hipSuccess;
        }
    return hipErrorNotFound;
}
hipError_t hipMalloc(void** there, std::size_t bytes) {
    CALL("hipMalloc");
    *there = std::malloc(bytes);
    return *there == nullptr ? hipErrorOutOfMemory : hipSuccess;
}
hipError_t hipFree(void* memory) {
    std::free(memory);
    return hipSuccess;
}
hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind) {
    CALL("hipMemcpy");
    std::memcpy(to, from, bytes);
    return hipSuccess;
}
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned x, unsigned y, unsigned z, unsigned of_x,
                                 unsigned of_y, unsigned of_z, unsigned, hipStream_t, void** arguments, void**) {
    CALL("hipModuleLaunchKernel");
    std::intptr_t number = 0;
    std::memcpy(&number, &function, sizeof number);
    const std::uint32_t groups[3] = {x, y, z};
    const std::uint32_t group[3] = {of_x, of_y, of_z};
    if (of_x * of_y * of_z > 1024) return hipErrorInvalidValue;
    switch (mxcert::test::fake_launch(static_cast<kernels_number>(number - 1), groups, group, arguments)) {
    case mxcert::test::Launched::too_few_groups: return hipErrorInvalidValue;
    case mxcert::test::Launched::no_such_instruction: return hipErrorLaunchFailure;
    case mxcert::test::Launched::done: break;
    }
    return hipSuccess;
}
hipError_t hipDeviceSynchronize() {
    CALL("hipDeviceSynchronize");
    return hipSuccess;
}

} // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
