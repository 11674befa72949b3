# SPDX-License-Identifier: Apache-2.0
# OpenBLAS, a backend for matrix products and what exact ones are measured against: the target mxcert_openblas. The package is
# libopenblas-dev; MXCERT_OPENBLAS=DIR says where another one is installed.
set(MXCERT_OPENBLAS "" CACHE PATH "Folder of an OpenBLAS, with include/ and lib/; empty to search")
find_path(OpenBlas_INCLUDE_DIR cblas.h HINTS ${MXCERT_OPENBLAS} PATH_SUFFIXES include include/openblas openblas openblas-pthread)
find_library(OpenBlas_LIBRARY openblas HINTS ${MXCERT_OPENBLAS} PATH_SUFFIXES lib)
mark_as_advanced(OpenBlas_INCLUDE_DIR OpenBlas_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenBlas REQUIRED_VARS OpenBlas_LIBRARY OpenBlas_INCLUDE_DIR)
if(OpenBlas_FOUND AND NOT TARGET mxcert_openblas)
  add_library(mxcert_openblas INTERFACE)
  target_include_directories(mxcert_openblas SYSTEM INTERFACE ${OpenBlas_INCLUDE_DIR})
  target_link_libraries(mxcert_openblas INTERFACE ${OpenBlas_LIBRARY})
  target_compile_definitions(mxcert_openblas INTERFACE MXCERT_HAVE_OPENBLAS=1)
endif()
