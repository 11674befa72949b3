# SPDX-License-Identifier: Apache-2.0
# The headers of cuBLASLt and of CUDA's driver: the target mxcert_cublaslt. No library, driver and device is needed to build.
# Looked for in MXCERT_CUDA (a toolkit), CUDA_HOME, CUDA_PATH, /usr/local/cuda, and the wheels of PyPI in .venv. The version
# must have block scales: 12.8.
set(MXCERT_CUDA "" CACHE PATH "Folder of a CUDA toolkit, with bin/nvcc; empty to search")
file(GLOB _cublaslt_wheels ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu*)
find_path(CublasLt_INCLUDE_DIR cublasLt.h HINTS ${MXCERT_CUDA} $ENV{CUDA_HOME} $ENV{CUDA_PATH} PATHS /usr/local/cuda ${_cublaslt_wheels}
          PATH_SUFFIXES include)
mark_as_advanced(CublasLt_INCLUDE_DIR)
set(_cublaslt_complete)
if(CublasLt_INCLUDE_DIR AND EXISTS ${CublasLt_INCLUDE_DIR}/cuda.h AND EXISTS ${CublasLt_INCLUDE_DIR}/library_types.h)
  file(STRINGS ${CublasLt_INCLUDE_DIR}/cublasLt.h _cublaslt_block_scales REGEX "CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0")
  file(STRINGS ${CublasLt_INCLUDE_DIR}/cublas_api.h _cublaslt_major REGEX "#define CUBLAS_VER_MAJOR ")
  string(REGEX MATCH "[0-9]+" _cublaslt_major "${_cublaslt_major}")
  if(_cublaslt_block_scales)
    set(_cublaslt_complete yes)
  endif()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CublasLt REQUIRED_VARS CublasLt_INCLUDE_DIR _cublaslt_complete)
if(CublasLt_FOUND AND NOT TARGET mxcert_cublaslt)
  add_library(mxcert_cublaslt INTERFACE)
  target_include_directories(mxcert_cublaslt SYSTEM INTERFACE ${CublasLt_INCLUDE_DIR})
  target_compile_definitions(mxcert_cublaslt INTERFACE
                             MXCERT_CUBLASLT_LIBRARY="${CublasLt_INCLUDE_DIR}/../lib/libcublasLt.so.${_cublaslt_major}")
  target_link_libraries(mxcert_cublaslt INTERFACE ${CMAKE_DL_LIBS})
endif()
