# SPDX-License-Identifier: Apache-2.0
# Finds LLVM's APFloat: its header and the static library it is in (Debian: llvm-19-dev). find_package(ApFloat QUIET) gives
#   ApFloat_FOUND      whether a program that converts to E4M3 with it compiles and links
#   mxcert_apfloat     interface target, only when found
# Looked for in: MXCERT_LLVM (-D or environment; when it is set, nowhere else), /usr/lib/llvm-19, which the profile and the tests
# are about, /usr/lib/llvm-N with the newest N first, and /usr/local. LLVM's own CMake package is not asked: it wants all the libraries that LLVM was built with, and APFloat needs none.

set(MXCERT_LLVM "$ENV{MXCERT_LLVM}" CACHE PATH "Folder of an LLVM 19 or newer, with include/ and lib/; empty to search")

if(MXCERT_LLVM)
  set(_apfloat_homes ${MXCERT_LLVM})
else()
  file(GLOB _apfloat_homes /usr/lib/llvm-*)
  list(SORT _apfloat_homes COMPARE NATURAL ORDER DESCENDING)
  list(PREPEND _apfloat_homes /usr/lib/llvm-19)
  list(APPEND _apfloat_homes /usr/local)
endif()

include(CheckCXXSourceCompiles)
set(ApFloat_HOME ApFloat_HOME-NOTFOUND)
foreach(_apfloat_home IN LISTS _apfloat_homes)
  if(NOT EXISTS ${_apfloat_home}/include/llvm/ADT/APFloat.h OR NOT EXISTS ${_apfloat_home}/lib/libLLVMSupport.a)
    continue()
  endif()
  # It starts threads and loads libraries elsewhere in that archive. (libLLVMDemangle is what it prints stacks with.)
  set(_apfloat_libraries ${_apfloat_home}/lib/libLLVMSupport.a ${_apfloat_home}/lib/libLLVMDemangle.a ${CMAKE_DL_LIBS}
                         Threads::Threads)
  string(MAKE_C_IDENTIFIER "MXCERT_APFLOAT_LINKS_${_apfloat_home}" _apfloat_check)
  set(CMAKE_REQUIRED_INCLUDES ${_apfloat_home}/include)
  set(CMAKE_REQUIRED_LIBRARIES ${_apfloat_libraries})
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_compiles(
    "#include <llvm/ADT/APFloat.h>
     int main() {
       llvm::APFloat x(1.0F);
       bool lost = false;
       (void)x.convert(llvm::APFloat::Float8E4M3FN(), llvm::APFloat::rmNearestTiesToEven, &lost);
       return static_cast<int>(x.bitcastToAPInt().getZExtValue());
     }"
    ${_apfloat_check})
  # E8M0 came with LLVM 20.
  check_cxx_source_compiles(
    "#include <llvm/ADT/APFloat.h>
     int main() { return &llvm::APFloat::Float8E8M0FNU() == nullptr; }"
    ${_apfloat_check}_E8M0)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
  unset(CMAKE_REQUIRED_QUIET)
  if(${_apfloat_check})
    set(ApFloat_HOME ${_apfloat_home})
    set(ApFloat_HAS_E8M0 ${${_apfloat_check}_E8M0})
    break()
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ApFloat REQUIRED_VARS ApFloat_HOME)
if(ApFloat_FOUND AND NOT TARGET mxcert_apfloat)
  add_library(mxcert_apfloat INTERFACE IMPORTED GLOBAL)
  target_include_directories(mxcert_apfloat SYSTEM INTERFACE ${ApFloat_HOME}/include)
  target_link_libraries(mxcert_apfloat INTERFACE ${_apfloat_libraries})
  target_compile_definitions(mxcert_apfloat INTERFACE MXCERT_APFLOAT_E8M0=$<BOOL:${ApFloat_HAS_E8M0}>)
endif()
