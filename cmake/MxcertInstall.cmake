# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where, and the packages for CMake, pkg-config and Debian (docs/install.md).

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The program finds its parts from its own place (backend_spec.cpp, golden_files.cpp): these folders cannot be chosen.
if(MXCERT_STATIC)
  install(PROGRAMS $<TARGET_FILE:mxcert-static> DESTINATION bin)
else()
  install(TARGETS mxcert RUNTIME DESTINATION bin)
  install(TARGETS mxcert-worker RUNTIME DESTINATION libexec/mxcert)
  install(TARGETS mxcert-library LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  # Whatever backends were built, plugins and programs.
  install(DIRECTORY ${CMAKE_BINARY_DIR}/lib/mxcert/ DESTINATION lib/mxcert USE_SOURCE_PERMISSIONS
          PATTERN __pycache__ EXCLUDE PATTERN ml_dtypes EXCLUDE PATTERN gfloat EXCLUDE PATTERN gfloat_blocks EXCLUDE
          PATTERN gguf EXCLUDE PATTERN jax EXCLUDE PATTERN torchao EXCLUDE) # see backends/python
  install(DIRECTORY vectors/golden/ DESTINATION share/mxcert/vectors)
  install(DIRECTORY conformance/schema/ DESTINATION share/mxcert/schema)
endif()

# Manual page and completion are what the program says of itself.
function(mxcert_page file)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/share/${file}
                     COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/share
                     COMMAND mxcert ${ARGN} > ${CMAKE_BINARY_DIR}/share/${file}
                     DEPENDS mxcert VERBATIM)
endfunction()
mxcert_page(mxcert.1 man)
set(pages ${CMAKE_BINARY_DIR}/share/mxcert.1)
foreach(shell bash zsh fish)
  mxcert_page(mxcert.${shell} completion ${shell})
  list(APPEND pages ${CMAKE_BINARY_DIR}/share/mxcert.${shell})
endforeach()
add_custom_target(mxcert_pages ALL DEPENDS ${pages})
install(FILES ${CMAKE_BINARY_DIR}/share/mxcert.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_BINARY_DIR}/share/mxcert.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME mxcert)
install(FILES ${CMAKE_BINARY_DIR}/share/mxcert.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
        RENAME _mxcert)
install(FILES ${CMAKE_BINARY_DIR}/share/mxcert.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Headers keep their folders, so that the same #include holds in the source tree and in an installation.
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/mxcert)
install(FILES conformance/backend.h conformance/backend.hpp DESTINATION ${headers}/conformance)
install(FILES conformance/library/mxcert.h DESTINATION ${headers}/conformance/library)
install(DIRECTORY reference vectors DESTINATION ${headers} FILES_MATCHING PATTERN *.hpp
        PATTERN test EXCLUDE PATTERN bench EXCLUDE PATTERN golden EXCLUDE PATTERN generate EXCLUDE
        PATTERN csv_rows.hpp EXCLUDE) # of the sources alone, with a parser that users need not have

# The packages. One file of targets each: a plugin needs no more than the C header.
add_library(mxcert_backend INTERFACE)
target_include_directories(mxcert_backend INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
foreach(part backend reference vectors)
  set_target_properties(mxcert_${part} PROPERTIES EXPORT_NAME ${part})
  target_include_directories(mxcert_${part} INTERFACE $<INSTALL_INTERFACE:${headers}>)
  add_library(mxcert::${part} ALIAS mxcert_${part})
endforeach()
install(TARGETS mxcert_backend EXPORT mxcertTargets)
install(TARGETS mxcert_reference EXPORT mxcertReferenceTargets)
install(TARGETS mxcert_vectors EXPORT mxcertVectorsTargets)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/mxcert)
foreach(export mxcertTargets mxcertReferenceTargets mxcertVectorsTargets)
  install(EXPORT ${export} NAMESPACE mxcert:: DESTINATION ${package})
endforeach()
set(MXCERT_BOOST_VERSION 1.74)
# Before 1.0 a minor version may change an interface.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/share/mxcertConfigVersion.cmake COMPATIBILITY SameMinorVersion)
set(vectors_folder share/mxcert/vectors)
set(program bin/mxcert)
configure_package_config_file(cmake/mxcertConfig.cmake.in ${CMAKE_BINARY_DIR}/share/mxcertConfig.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS vectors_folder program)
install(FILES ${CMAKE_BINARY_DIR}/share/mxcertConfig.cmake ${CMAKE_BINARY_DIR}/share/mxcertConfigVersion.cmake
              cmake/mxcertAddTest.cmake DESTINATION ${package})
# The same for projects that use this build without an installation: -DCMAKE_PREFIX_PATH=build/release.
set(built ${CMAKE_BINARY_DIR}/lib/cmake/mxcert)
set(vectors_folder ${PROJECT_SOURCE_DIR}/vectors/golden)
set(program ${CMAKE_BINARY_DIR}/bin/mxcert)
configure_package_config_file(cmake/mxcertConfig.cmake.in ${built}/mxcertConfig.cmake
                              INSTALL_DESTINATION ${built} INSTALL_PREFIX ${CMAKE_BINARY_DIR}
                              PATH_VARS vectors_folder program)
configure_file(${CMAKE_BINARY_DIR}/share/mxcertConfigVersion.cmake ${built}/mxcertConfigVersion.cmake COPYONLY)
configure_file(cmake/mxcertAddTest.cmake ${built}/mxcertAddTest.cmake COPYONLY)
export(EXPORT mxcertTargets NAMESPACE mxcert:: FILE ${built}/mxcertTargets.cmake)

# pkg-config takes its folders from where the file lies.
set(pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pkgconfig_to_prefix /${pkgconfig} /)
string(REGEX REPLACE "/$" "" pkgconfig_to_prefix ${pkgconfig_to_prefix})
foreach(name mxcert mxcert-reference mxcert-vectors)
  configure_file(cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/share/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/share/${name}.pc DESTINATION ${pkgconfig})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The mxcert developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "man-db, bash-completion")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libboost-dev, libfmt-dev, nlohmann-json3-dev, libssl-dev")
include(CPack)
