# SPDX-License-Identifier: Apache-2.0
# OpenCL's headers and the loader that finds the drivers, for the backend `opencl`: the target mxcert_opencl. The packages are
# opencl-c-headers and ocl-icd-opencl-dev, a driver is not needed to build; MXCERT_OPENCL=DIR says where others are installed.
set(MXCERT_OPENCL "" CACHE PATH "Folder of OpenCL, with include/ and lib/; empty to search")
find_path(OpenClIcd_INCLUDE_DIR CL/cl.h HINTS ${MXCERT_OPENCL} PATH_SUFFIXES include)
find_library(OpenClIcd_LIBRARY OpenCL HINTS ${MXCERT_OPENCL} PATH_SUFFIXES lib)
mark_as_advanced(OpenClIcd_INCLUDE_DIR OpenClIcd_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenClIcd REQUIRED_VARS OpenClIcd_LIBRARY OpenClIcd_INCLUDE_DIR)
if(OpenClIcd_FOUND AND NOT TARGET mxcert_opencl)
  add_library(mxcert_opencl INTERFACE)
  target_include_directories(mxcert_opencl SYSTEM INTERFACE ${OpenClIcd_INCLUDE_DIR})
  target_link_libraries(mxcert_opencl INTERFACE ${OpenClIcd_LIBRARY})
  target_compile_definitions(mxcert_opencl INTERFACE CL_TARGET_OPENCL_VERSION=120)
endif()
