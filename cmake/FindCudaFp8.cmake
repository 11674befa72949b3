# SPDX-License-Identifier: Apache-2.0
# Finds cuda_fp8.h for use on the host; neither nvcc nor a GPU is needed. find_package(CudaFp8 QUIET) gives
#   CudaFp8_FOUND          whether the header is there and compiles with the C++ compiler
#   mxcert_cuda_headers    interface target with the include directory, only when found
# Looked for in: MXCERT_CUDA_INCLUDE (-D or environment; when it is set, nowhere else), the CUDA toolkit (CUDA_HOME,
# CUDA_PATH, nvcc's folder, /usr/local/cuda*), and the headers of PyPI's nvidia-cuda-runtime in an active virtual
# environment, the source folder's .venv, and the system's and the user's Python packages.

set(MXCERT_CUDA_INCLUDE "$ENV{MXCERT_CUDA_INCLUDE}" CACHE PATH "Directory with cuda_fp8.h; empty to search")

if(MXCERT_CUDA_INCLUDE)
  set(_cuda_fp8_directories ${MXCERT_CUDA_INCLUDE})
else()
  file(GLOB _cuda_fp8_toolkits /usr/local/cuda-*/include)
  list(SORT _cuda_fp8_toolkits COMPARE NATURAL ORDER DESCENDING)
  set(_cuda_fp8_pythons $ENV{VIRTUAL_ENV}/lib ${PROJECT_SOURCE_DIR}/.venv/lib $ENV{HOME}/.local/lib /usr/local/lib
                        /usr/lib)
  set(_cuda_fp8_wheels)
  foreach(_cuda_fp8_python IN LISTS _cuda_fp8_pythons)
    file(GLOB _cuda_fp8_found ${_cuda_fp8_python}/python3*/site-packages/nvidia/*/include
         ${_cuda_fp8_python}/python3*/dist-packages/nvidia/*/include)
    list(SORT _cuda_fp8_found COMPARE NATURAL ORDER DESCENDING)
    list(APPEND _cuda_fp8_wheels ${_cuda_fp8_found})
  endforeach()
  find_program(_cuda_fp8_nvcc nvcc NO_CACHE)
  set(_cuda_fp8_directories)
  foreach(_cuda_fp8_home $ENV{CUDA_HOME} $ENV{CUDA_PATH})
    list(APPEND _cuda_fp8_directories ${_cuda_fp8_home}/include)
  endforeach()
  if(_cuda_fp8_nvcc)
    file(REAL_PATH ${_cuda_fp8_nvcc} _cuda_fp8_nvcc)
    cmake_path(GET _cuda_fp8_nvcc PARENT_PATH _cuda_fp8_nvcc)
    list(APPEND _cuda_fp8_directories ${_cuda_fp8_nvcc}/../include)
  endif()
  list(APPEND _cuda_fp8_directories /usr/local/cuda/include ${_cuda_fp8_toolkits} ${_cuda_fp8_wheels})
endif()

# The first directory whose header compiles: a wheel may lack the headers that this one includes.
include(CheckCXXSourceCompiles)
set(CudaFp8_INCLUDE_DIR CudaFp8_INCLUDE_DIR-NOTFOUND)
foreach(_cuda_fp8_directory IN LISTS _cuda_fp8_directories)
  if(NOT EXISTS ${_cuda_fp8_directory}/cuda_fp8.h)
    continue()
  endif()
  string(MAKE_C_IDENTIFIER "MXCERT_CUDA_FP8_COMPILES_${_cuda_fp8_directory}" _cuda_fp8_check)
  set(CMAKE_REQUIRED_INCLUDES ${_cuda_fp8_directory})
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_compiles(
    "#include <cuda_fp8.h>
     int main() { return __nv_cvt_float_to_fp8(0.0F, __NV_SATFINITE, __NV_E4M3); }"
    ${_cuda_fp8_check})
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_QUIET)
  if(${_cuda_fp8_check})
    set(CudaFp8_INCLUDE_DIR ${_cuda_fp8_directory})
    break()
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CudaFp8 REQUIRED_VARS CudaFp8_INCLUDE_DIR)
if(CudaFp8_FOUND AND NOT TARGET mxcert_cuda_headers)
  add_library(mxcert_cuda_headers INTERFACE IMPORTED GLOBAL)
  target_include_directories(mxcert_cuda_headers SYSTEM INTERFACE ${CudaFp8_INCLUDE_DIR})
endif()
