// SPDX-License-Identifier: Apache-2.0
#include "conformance/backends/backends.hpp"

namespace mxcert {
namespace {

constexpr BuiltinBackend table[] = {
    {"portable", "portable.so", "plain C, float arithmetic and bit casts, on the host",
     "portable.so was not found in lib/mxcert: build the target `portable`"},
    {"cuda_fp8", "cuda_fp8.so", "cuda_fp8.h of the CUDA toolkit, compiled for the host",
     "cuda_fp8.h was not found when this was built: install the CUDA toolkit 12.9 or 13, or fetch its headers alone "
     "from "
     "PyPI with `./dev setup --cuda` or `pip install nvidia-cuda-runtime==13.0.96`, and build again; "
     "-DMXCERT_CUDA_INCLUDE=DIR says where the header is"},
    {"apfloat", "apfloat.so", "APFloat of LLVM, in software on the host",
     "LLVM's APFloat was not found when this was built: `./dev setup --peers`, or install llvm-19-dev, and build "
     "again; "
     "-DMXCERT_LLVM=DIR says where an LLVM 19 or newer is"},
    {"openblas", "openblas.so", "sgemm and dgemm of OpenBLAS on widened elements, on the host",
     "OpenBLAS was not found when this was built: `./dev setup --peers`, or install libopenblas-dev, and build again; "
     "-DMXCERT_OPENBLAS=DIR says where one is installed"},
    {"tensor_cores", "tensor_cores.so", "FP8 products as NVIDIA's tensor cores add them, plain C, on the host",
     "tensor_cores.so was not found in lib/mxcert: build the target `tensor_cores`"},
    {"kernels_host", "kernels_host.so", "the kernels for devices, compiled as C for the host",
     "kernels_host.so was not found in lib/mxcert: build the target `kernels_host`"},
    {"opencl", "opencl.so", "the kernels on any device with OpenCL 1.2",
     "OpenCL was not found when this was built: `./dev setup --devices`, or install ocl-icd-opencl-dev and a driver "
     "such "
     "as pocl-opencl-icd, and build again; -DMXCERT_OPENCL=DIR says where another one is"},
    {"hip", "hip.so", "the kernels, and conversion instructions, on AMD's devices by HIP",
     "HIP was not found when this was built, or a Clang that compiles for AMD's devices: `./dev setup --devices`, or "
     "install ROCm, or libamdhip64-dev, clang-19 and lld-19, and build again; -DMXCERT_HIP=DIR says where ROCm is"},
    {"cuda", "cuda.so", "the kernels, and instructions for conversions and products, on NVIDIA's devices by CUDA",
     "no nvcc was found when this was built: `./dev setup --devices`, or install the CUDA toolkit 12.9 or 13, and "
     "build "
     "again; -DMXCERT_CUDA=DIR says where one is"},
    {"cublaslt", "cublaslt.so", "matrix products of FP8 and MXFP8 by NVIDIA's cuBLASLt",
     "cublasLt.h was not found when this was built: `./dev setup --devices`, or install the CUDA toolkit 12.8 or "
     "newer, "
     "and build again; -DMXCERT_CUDA=DIR says where one is"},
    {"ml_dtypes", "ml_dtypes", "ml_dtypes of PyPI, in numpy",
     "no Python with ml_dtypes was found when this was built: `./dev setup --peers`, or `pip install "
     "ml_dtypes==0.6.0`, and "
     "build again; -DMXCERT_PYTHON=INTERPRETER says which Python has it"},
    {"gfloat", "gfloat", "gfloat of PyPI, in numpy",
     "no Python with gfloat was found when this was built: `./dev setup --peers`, or `pip install gfloat==0.5.2`, and "
     "build "
     "again; -DMXCERT_PYTHON=INTERPRETER says which Python has it"},
    {"gfloat_blocks", "gfloat_blocks", "the blocks of gfloat of PyPI, in Python",
     "no Python with gfloat was found when this was built: `./dev setup --peers`, or `pip install gfloat==0.5.2`, and "
     "build again; -DMXCERT_PYTHON=INTERPRETER says which Python has it"},
    {"gguf", "gguf", "the MXFP4 blocks of gguf of PyPI, llama.cpp's files, in numpy",
     "no Python with gguf was found when this was built: `./dev setup --peers`, or `pip install gguf==0.19.0`, and "
     "build again; -DMXCERT_PYTHON=INTERPRETER says which Python has it"},
    {"jax", "jax", "XLA's conversions and FP8 products, by jax of PyPI, on the host",
     "no Python with jax was found when this was built: `./dev setup --peers`, or `pip install jax==0.10.2 "
     "jaxlib==0.10.2`, and build again; -DMXCERT_PYTHON=INTERPRETER says which Python has it"},
    {"torchao", "torchao", "the MX blocks and NVFP4 of torchao of PyPI, eager, in torch on the host",
     "no Python with torch and torchao was found when this was built: `./dev setup --torch`, or `pip install "
     "torch==2.15.0 torchao==0.18.0`, and build again; -DMXCERT_PYTHON=INTERPRETER says which Python has them"},
    {"modelopt", "modelopt", "NVFP4 of NVIDIA's ModelOpt of PyPI, in torch on the host",
     "no Python with torch and modelopt was found when this was built: `./dev setup --torch`, or `pip install "
     "torch==2.15.0 nvidia-modelopt==0.47.0`, and build again; -DMXCERT_PYTHON=INTERPRETER says which Python has them"},
    {"compressed_tensors", "compressed_tensors", "NVFP4 of compressed-tensors of PyPI, in torch on the host",
     "no Python with torch and compressed-tensors was found when this was built: `./dev setup --torch`, or `pip "
     "install torch==2.15.0 compressed-tensors==0.20.0`, and build again; -DMXCERT_PYTHON=INTERPRETER says which "
     "Python has them"},
};

} // namespace

std::span<const BuiltinBackend> builtin_backends() { return table; }

} // namespace mxcert
