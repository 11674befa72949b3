// SPDX-License-Identifier: Apache-2.0
#include "conformance/backends/backends.hpp"

namespace mxcert {
namespace {

constexpr BuiltinBackend table[] = {
    {"portable", "portable.so", "plain C, float arithmetic and bit casts, on the host",
     "portable.so was not found in lib/mxcert: build the target `portable`"},
    {"cuda_fp8", "cuda_fp8.so", "cuda_fp8.h of the CUDA toolkit, compiled for the host",
     "cuda_fp8.h was not found when this was built: install the CUDA toolkit 12.9 or 13, or `pip install "
     "nvidia-cuda-runtime`, and configure with -DMXCERT_CUDA_INCLUDE=DIR"},
};

} // namespace

std::span<const BuiltinBackend> builtin_backends() { return table; }

} // namespace mxcert
