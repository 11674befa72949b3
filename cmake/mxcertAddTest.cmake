# SPDX-License-Identifier: Apache-2.0
# mxcert_add_test(NAME name BACKEND backend [LEVEL level] [PROFILE name...] [FILTER glob...] [REQUIRE name...]
#                 [BASELINE file] [JOBS number] [TIMEOUT seconds] [OPTIONS option...])
#
# A test of ctest that passes if `mxcert certify` exits with 0, or with BASELINE `mxcert gate`.
#   BACKEND    a target of this project, a file, or any other BACKEND of mxcert: a name, pipe:CONVERSION:COMMAND
#   LEVEL      smoke, quick, standard, ...: how much is asked (mxcert certify --help)
#   PROFILE    what it is held to; without it the profiles that fit what it offers
#   FILTER     only these rows. Without it a backend that offers a part of a profile is PARTIAL, and the test fails
#   REQUIRE    conversions or operations that must be offered
#   BASELINE   acknowledged deviations: the test fails on any other (mxcert gate)
#   JOBS       processes that ask, which ctest -j takes into account; without it one a core
#   OPTIONS    further options of the command
# Files are relative to the source folder of the caller. The program is mxcert_PROGRAM, which find_package(mxcert) sets.
function(mxcert_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 test "" "NAME;BACKEND;LEVEL;BASELINE;JOBS;TIMEOUT" "PROFILE;FILTER;REQUIRE;OPTIONS")
  if(test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "mxcert_add_test: '${test_UNPARSED_ARGUMENTS}' is not an argument")
  endif()
  foreach(needed NAME BACKEND)
    if(NOT test_${needed})
      message(FATAL_ERROR "mxcert_add_test: ${needed} is missing")
    endif()
  endforeach()
  if(test_BASELINE AND test_REQUIRE)
    message(FATAL_ERROR "mxcert_add_test: a BASELINE says what must be offered: REQUIRE is not for it")
  endif()
  if(NOT EXISTS "${mxcert_PROGRAM}")
    message(FATAL_ERROR "mxcert_add_test: mxcert_PROGRAM is '${mxcert_PROGRAM}', and there is no such file")
  endif()

  set(backend "${test_BACKEND}")
  if(TARGET ${test_BACKEND})
    set(backend "$<TARGET_FILE:${test_BACKEND}>")
  elseif(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${test_BACKEND}")
    set(backend "${CMAKE_CURRENT_SOURCE_DIR}/${test_BACKEND}")
  endif()
  set(command certify "${backend}")
  if(test_BASELINE)
    get_filename_component(baseline "${test_BASELINE}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    set(command gate "${backend}" --baseline "${baseline}")
  endif()
  foreach(option LEVEL PROFILE FILTER REQUIRE JOBS)
    string(TOLOWER "--${option}" name)
    foreach(value IN LISTS test_${option})
      list(APPEND command ${name} "${value}")
    endforeach()
  endforeach()

  add_test(NAME "${test_NAME}" COMMAND "${mxcert_PROGRAM}" ${command} ${test_OPTIONS})
  set_tests_properties("${test_NAME}" PROPERTIES LABELS mxcert)
  if(test_JOBS)
    set_tests_properties("${test_NAME}" PROPERTIES PROCESSORS "${test_JOBS}")
  endif()
  if(test_TIMEOUT)
    set_tests_properties("${test_NAME}" PROPERTIES TIMEOUT "${test_TIMEOUT}")
  endif()
endfunction()
