# SPDX-License-Identifier: Apache-2.0
set(gpu_folder ${PROJECT_SOURCE_DIR}/conformance/backends/gpu)

# gpu_plugin(NAME "SOURCE..." ARCHITECTURE...): a plugin with the images of these architectures, which lie in the current binary
# folder as ARCHITECTURE.image.
function(gpu_plugin name sources)
  kernels_plugin(${name} ${sources} ${gpu_folder}/gpu.c ${gpu_folder}/device.c)
  set(header ${CMAKE_CURRENT_BINARY_DIR}/${name}_images.h)
  list(TRANSFORM ARGN REPLACE "(.+)" "${CMAKE_CURRENT_BINARY_DIR}/\\1.image" OUTPUT_VARIABLE images)
  list(JOIN ARGN " " architectures)
  set(script ${PROJECT_SOURCE_DIR}/conformance/backends/gpu/embed_images.cmake)
  add_custom_command(OUTPUT ${header}
                     COMMAND ${CMAKE_COMMAND} -DNAME=${name}_images -DARCHITECTURES=${architectures}
                             -DFOLDER=${CMAKE_CURRENT_BINARY_DIR} -DOUTPUT=${header} -P ${script}
                     DEPENDS ${images} ${script} VERBATIM)
  target_sources(${name} PRIVATE ${header})
  add_custom_target(${name}_images DEPENDS ${header})
  add_dependencies(${name} ${name}_images)
  add_dependencies(mxcert_generated ${name}_images)
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
  # What ./dev bench runs: the same, as a program that measures.
  if(MXCERT_BENCH OR MXCERT_TESTS)
    get_target_property(plugin_sources ${name} SOURCES)
    add_executable(${name}_speed ${plugin_sources} ${gpu_folder}/speed.c)
    # Linked as C++: with a sanitizer the drivers of the tests, which are C++, need more of it than C has.
    set_target_properties(${name}_speed PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin LINKER_LANGUAGE CXX)
    target_include_directories(${name}_speed PRIVATE ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR})
    target_link_libraries(${name}_speed PRIVATE mxcert_warnings)
    add_dependencies(${name}_speed ${name}_images)
    add_dependencies(mxcert_backends ${name}_speed)
  endif()
endfunction()
