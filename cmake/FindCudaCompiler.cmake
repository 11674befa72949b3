# SPDX-License-Identifier: Apache-2.0
# nvcc, for the backend `cuda`; no driver and no device is needed. find_package(CudaCompiler QUIET) gives
#   CudaCompiler_NVCC         an nvcc that compiles for the architectures MXCERT_CUDA_ARCHITECTURES
#   mxcert_cuda_driver_api    the folder of cuda.h
# Looked for in MXCERT_CUDA (a toolkit), CUDA_HOME, CUDA_PATH, the PATH, /usr/local/cuda, and the wheels of PyPI in .venv.
set(MXCERT_CUDA "" CACHE PATH "Folder of a CUDA toolkit, with bin/nvcc; empty to search")
set(MXCERT_CUDA_ARCHITECTURES "89;90a;100a;120a" CACHE STRING "What the kernels of the backend cuda are compiled for")
file(GLOB _cuda_wheels ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu*)
find_program(CudaCompiler_NVCC nvcc HINTS ${MXCERT_CUDA} $ENV{CUDA_HOME} $ENV{CUDA_PATH} PATHS /usr/local/cuda ${_cuda_wheels}
             PATH_SUFFIXES bin)
if(CudaCompiler_NVCC)
  file(REAL_PATH ${CudaCompiler_NVCC} _cuda_nvcc)
  cmake_path(GET _cuda_nvcc PARENT_PATH _cuda_bin)
  find_path(CudaCompiler_INCLUDE_DIR cuda.h HINTS ${_cuda_bin}/../include)
endif()
mark_as_advanced(CudaCompiler_NVCC CudaCompiler_INCLUDE_DIR)

set(_cuda_options)
set(_cuda_compiles)
foreach(_cuda_architecture IN LISTS MXCERT_CUDA_ARCHITECTURES)
  list(APPEND _cuda_options -gencode arch=compute_${_cuda_architecture},code=sm_${_cuda_architecture})
endforeach()
set(CudaCompiler_OPTIONS ${_cuda_options})
if(CudaCompiler_NVCC)
  set(_cuda_probe ${CMAKE_BINARY_DIR}/CMakeFiles/cuda_probe)
  file(WRITE ${_cuda_probe}.cu "#include <cuda_fp8.h>\nextern \"C\" __global__ void nothing() {}\n")
  # Once for each compiler and list: it takes seconds.
  if(NOT "${CudaCompiler_NVCC} ${CudaCompiler_OPTIONS}" STREQUAL "${MXCERT_CUDA_PROBED}")
    execute_process(COMMAND ${CudaCompiler_NVCC} -fatbin ${CudaCompiler_OPTIONS} ${_cuda_probe}.cu -o ${_cuda_probe}.fatbin
                    RESULT_VARIABLE _cuda_result OUTPUT_QUIET ERROR_QUIET)
    set(MXCERT_CUDA_PROBED "${CudaCompiler_NVCC} ${CudaCompiler_OPTIONS}" CACHE INTERNAL "")
    set(MXCERT_CUDA_PROBE_RESULT ${_cuda_result} CACHE INTERNAL "")
  endif()
  if("${MXCERT_CUDA_PROBE_RESULT}" STREQUAL "0")
    set(_cuda_compiles yes)
  endif()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CudaCompiler REQUIRED_VARS CudaCompiler_NVCC CudaCompiler_INCLUDE_DIR _cuda_compiles)
if(CudaCompiler_FOUND AND NOT TARGET mxcert_cuda_driver_api)
  add_library(mxcert_cuda_driver_api INTERFACE)
  target_include_directories(mxcert_cuda_driver_api SYSTEM INTERFACE ${CudaCompiler_INCLUDE_DIR})
  target_link_libraries(mxcert_cuda_driver_api INTERFACE ${CMAKE_DL_LIBS})
endif()
