// SPDX-License-Identifier: Apache-2.0
// A backend that runs a kernel by CUDA: E5M2 to FP16, which is the upper half of it.
#include <cstdio>

#include "conformance/backend.h"

__global__ void widen(const unsigned char* in, unsigned short* out, unsigned long long count) {
    const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = (unsigned short)(in[i] << 8);
}

static char error[256];

static int32_t failed(const char* what, cudaError_t code) {
    snprintf(error, sizeof error, "%s: %s", what, cudaGetErrorString(code));
    return MXCERT_ERROR;
}

static int32_t open_device(const char*) {
    int count = 0;
    const cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaSuccess && count > 0) return MXCERT_OK;
    failed("no device", code);
    return MXCERT_UNSUPPORTED; // the answer to every request: no row passes
}

static int32_t convert(const mxcert_convert_args* args) {
    const size_t count = args->count;
    unsigned char* in = nullptr;
    unsigned short* out = nullptr;
    cudaError_t code = cudaMalloc(&in, count);
    if (code == cudaSuccess) code = cudaMalloc(&out, count * 2);
    if (code == cudaSuccess) code = cudaMemcpy(in, args->input, count, cudaMemcpyHostToDevice);
    if (code == cudaSuccess) {
        widen<<<(unsigned)((count + 255) / 256), 256>>>(in, out, count);
        code = cudaGetLastError();
    }
    if (code == cudaSuccess) code = cudaMemcpy(args->output, out, count * 2, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    return code == cudaSuccess ? MXCERT_OK : failed("a batch", code);
}

static const char* last_error() { return error; }

const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {
    static const mxcert_conversion conversion = {sizeof conversion, 0, "e5m2", "fp16", "nearest_even", "nosat"};
    static mxcert_api api = {};
    api.struct_size = sizeof api;
    api.abi_major = MXCERT_ABI_MAJOR;
    api.abi_minor = MXCERT_ABI_MINOR;
    api.conversion_count = 1;
    api.conversions = &conversion;
    api.name = "widen";
    api.version = "1";
    api.description = "an example of a kernel by CUDA";
    api.open = open_device;
    api.convert = convert;
    api.last_error = last_error;
    return host_abi_major == MXCERT_ABI_MAJOR ? &api : nullptr;
}
