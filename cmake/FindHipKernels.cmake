# SPDX-License-Identifier: Apache-2.0
# What the backend `hip` is built with; no device is needed. find_package(HipKernels QUIET) gives
#   HipKernels_CLANG        a clang++ that compiles for the architectures MXCERT_HIP_ARCHITECTURES
#   mxcert_hip              HIP's headers and library
# The packages are clang-19, clang-tools-19, lld-19 and libamdhip64-dev, or those of ROCm, in /opt/rocm; MXCERT_HIP=DIR says
# where it is.
set(MXCERT_HIP "" CACHE PATH "Folder of ROCm, with include/, lib/ and llvm/bin/; empty to search")
set(MXCERT_HIP_ARCHITECTURES "gfx942;gfx1201" CACHE STRING "What the kernels of the backend hip are compiled for")
set(_hip_folders ${MXCERT_HIP} $ENV{ROCM_PATH} /opt/rocm)
find_program(HipKernels_CLANG NAMES clang++ HINTS ${_hip_folders} PATH_SUFFIXES llvm/bin NO_DEFAULT_PATH)
find_program(HipKernels_CLANG NAMES clang++-21 clang++-20 clang++-19)
find_path(HipKernels_INCLUDE_DIR hip/hip_runtime_api.h HINTS ${_hip_folders} PATH_SUFFIXES include)
find_library(HipKernels_LIBRARY amdhip64 HINTS ${_hip_folders} PATH_SUFFIXES lib)
# Only for tests, and looked for only beside a clang, so that no older ones are remembered from before it was installed. Clang
# itself looks for the bundler where it lies.
if(HipKernels_CLANG)
  get_filename_component(_hip_clang_folder "${HipKernels_CLANG}" REALPATH)
  get_filename_component(_hip_clang_folder "${_hip_clang_folder}" DIRECTORY)
  find_program(HipKernels_BUNDLER NAMES clang-offload-bundler HINTS ${_hip_clang_folder})
  find_program(HipKernels_OBJDUMP NAMES llvm-objdump HINTS ${_hip_folders} ${_hip_clang_folder} PATH_SUFFIXES llvm/bin NO_DEFAULT_PATH)
  find_program(HipKernels_OBJDUMP NAMES llvm-objdump-21 llvm-objdump-20 llvm-objdump-19 llvm-objdump)
endif()
mark_as_advanced(HipKernels_CLANG HipKernels_INCLUDE_DIR HipKernels_LIBRARY HipKernels_BUNDLER HipKernels_OBJDUMP)

# One that compiles for each of them, and links: that takes lld.
set(_hip_compiles)
if(HipKernels_CLANG)
  set(_hip_probe ${CMAKE_BINARY_DIR}/CMakeFiles/hip_probe)
  file(WRITE ${_hip_probe}.hip "extern \"C\" __attribute__((global)) void nothing() {}\n")
  set(_hip_compiles yes)
  foreach(_hip_architecture IN LISTS MXCERT_HIP_ARCHITECTURES)
    execute_process(COMMAND ${HipKernels_CLANG} -x hip --offload-arch=${_hip_architecture} --cuda-device-only --no-gpu-bundle-output
                            -nogpulib -nogpuinc ${_hip_probe}.hip -o ${_hip_probe}.o
                    RESULT_VARIABLE _hip_result OUTPUT_QUIET ERROR_QUIET)
    if(NOT _hip_result EQUAL 0)
      set(_hip_compiles)
    endif()
  endforeach()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HipKernels REQUIRED_VARS HipKernels_CLANG HipKernels_LIBRARY HipKernels_INCLUDE_DIR _hip_compiles)
if(HipKernels_FOUND AND NOT TARGET mxcert_hip)
  add_library(mxcert_hip INTERFACE)
  target_include_directories(mxcert_hip SYSTEM INTERFACE ${HipKernels_INCLUDE_DIR})
  target_link_libraries(mxcert_hip INTERFACE ${HipKernels_LIBRARY})
endif()
