# SPDX-License-Identifier: Apache-2.0
# Language level, warnings and build type, the same for every target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(MXCERT_CCACHE ccache)
if(MXCERT_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${MXCERT_CCACHE})
  # What it must be told to cache what uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${MXCERT_CCACHE})
endif()

set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

# GCC frees memory from 128 MB on; to let it grow to 500 MB first saves a tenth of its time.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=500000>)

# A product and a sum stay two roundings: with an option of the user's that permits FMA, a compiler may join them otherwise.
add_compile_options(-ffp-contract=off)

# The fast model computes recipes in binary32 of the machine: with these options NaN is no NaN and a sum another one, without a word.
string(TOUPPER "${CMAKE_BUILD_TYPE}" mxcert_type)
if("${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS} ${CMAKE_C_FLAGS_${mxcert_type}} ${CMAKE_CXX_FLAGS_${mxcert_type}}" MATCHES
   "(^| )(-Ofast|-ffast-math|-ffp-model=(fast|aggressive)|-funsafe-math-optimizations|-fassociative-math|-freciprocal-math|-ffinite-math-only|-fno-signed-zeros)( |$)")
  message(FATAL_ERROR "mxcert cannot be built with ${CMAKE_MATCH_2}, which changes results of floating-point arithmetic")
endif()

set(MXCERT_SANITIZE "" CACHE STRING "Sanitizers for everything that is built, separated by commas")
if(MXCERT_SANITIZE)
  add_compile_options(-fsanitize=${MXCERT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MXCERT_SANITIZE})
  # The loops for AVX2 and AVX-512 are the same source once more.
  add_compile_definitions(MXCERT_BASELINE_LOOPS)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # AddressSanitizer stops where a null pointer is read. To look at each pointer before is a tenth of Clang's time.
    add_compile_options(-fno-sanitize=null -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/not_sanitized.txt)
  endif()
endif()

# Some sixty programs of tests are linked: LLVM's linker takes a fifth of the time, with sanitizers of seconds for each.
find_program(MXCERT_LLD NAMES ld.lld DOC "LLVM's linker")
if(MXCERT_LLD)
  set(mxcert_linked_fast -fuse-ld=lld)
  if(MXCERT_SANITIZE)
    add_link_options(${mxcert_linked_fast})
  endif()
endif()

# Counters of the branches taken, which steer libFuzzer. What no fuzzing target runs, or all do in the same way, has none: they are a
# quarter of the time that Clang takes.
set(mxcert_not_fuzzed)
if(MXCERT_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
  set(mxcert_not_fuzzed -fno-sanitize=fuzzer-no-link)
endif()

# mxcert_unity(TARGET SIZE [ALONE FILE...]): its C++ sources are compiled in groups of about so many, each read as one file: most of
# the time goes into the headers. Which group is decided by the name and their number: a file more moves others only where it needs a group more. Two files of a group that
# define the same name in their unnamed namespaces do not compile: the second needs a better name, or is compiled alone.
option(MXCERT_UNITY "Compile several sources at once" ON)
function(mxcert_unity target size)
  if(NOT MXCERT_UNITY)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 2 unity "" "" ALONE)
  get_target_property(sources ${target} SOURCES)
  if(unity_ALONE)
    list(REMOVE_ITEM sources ${unity_ALONE})
  endif()
  list(LENGTH sources count)
  math(EXPR groups "(${count} + ${size} - 1) / ${size}")
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME)
    string(MD5 hash ${name})
    string(SUBSTRING ${hash} 0 6 hash)
    math(EXPR group "0x${hash} % ${groups}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP group_${group})
  endforeach()
  set_source_files_properties(${unity_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# Warnings, and errors from them, for our own targets.
add_library(mxcert_warnings INTERFACE)
target_compile_options(mxcert_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wcast-align -Wformat=2
                                                 $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>)
# A local name may be that of a global one of another file of its group: it is file by file, in ./dev lint, that this is looked at.
if(NOT MXCERT_UNITY)
  target_compile_options(mxcert_warnings INTERFACE -Wshadow)
endif()
# GCC 12 warns of overlapping copies inside its own std::string (GCC bug 105651).
target_compile_options(mxcert_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(MXCERT_WERROR)
  target_compile_options(mxcert_warnings INTERFACE -Werror)
endif()

# What runs once gains nothing from -O3, and is most of what there is to compile: the tests, the command line, reports. Fuzzing runs
# the parsers among it millions of times.
set(mxcert_compiled_fast $<IF:$<OR:$<CONFIG:Release>,$<BOOL:${MXCERT_FUZZ}>>,-O1,-O0>)

# How tests are compiled. What they call has every sanitizer and the lines of the source; they themselves are watched for memory
# alone, and a failing assertion names its line anyway: this takes Clang half the time.
set(mxcert_compiled_as_test ${mxcert_compiled_fast})
if(MXCERT_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(APPEND mxcert_compiled_as_test ${mxcert_not_fuzzed} -fno-sanitize=undefined,float-cast-overflow -g0)
endif()

# mxcert_link_first(TARGET LIBRARY...): the models are optimised more than what calls them. Of an inline function that both have the
# linker keeps the first, and Boost's numbers are inline functions: without this quantizers are judged a fifth slower, and with
# sanitizers half. The libraries are those that the target links anyway.
function(mxcert_link_first target)
  set(archives)
  foreach(library IN LISTS ARGN)
    list(APPEND archives $<TARGET_FILE:${library}>)
  endforeach()
  list(JOIN archives "," archives)
  target_link_options(${target} BEFORE PRIVATE "LINKER:--whole-archive,${archives},--no-whole-archive")
endfunction()

# mxcert_sources(RESULT [FOLDER...]): the C++ sources of the caller's folder and of its rooms, without tests, benchmarks, and the
# folders named, which are targets of their own. Relative: the names of the folders above must not matter.
function(mxcert_sources result)
  file(GLOB sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS *.cpp */*.cpp */*/*.cpp)
  list(JOIN ARGN "|" folders)
  list(FILTER sources EXCLUDE REGEX "^(${folders})/|(^|/)(test|bench)/")
  if(NOT sources)
    message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR} has no sources")
  endif()
  list(TRANSFORM sources PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# mxcert_sanitized_tests(RESULT FILE...): the files of tests that have a test case for sanitizers. Test cases tagged [values] compare
# numbers at very many inputs, and those tagged [programs] start many: the compiler, a prover, mxcert once for each option. Sanitizers
# make them ten times slower and look at the same few lines of code again: they run in the other builds. Properties are of any build:
# ./dev fuzz runs them.
function(mxcert_sanitized_tests result)
  set(kept)
  foreach(file IN LISTS ARGN)
    file(READ ${file} text)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file}) # a tag may change
    string(REGEX REPLACE "[][;]" "|" text "${text}") # brackets and semicolons have a meaning in lists
    string(REGEX MATCHALL "TEST_CASE[^{]*" cases "${text}")
    if(NOT cases)
      message(FATAL_ERROR "${file}: no test cases")
    endif()
    set(properties ${cases})
    list(FILTER properties INCLUDE REGEX "[|]property[|]")
    list(FILTER cases EXCLUDE REGEX "[|](values|programs|[.])[|]")
    if(cases OR properties)
      list(APPEND kept ${file})
    endif()
  endforeach()
  set(${result} ${kept} PARENT_SCOPE)
endfunction()

# mxcert_test(NAME FOLDER... LIBRARIES LIBRARY... [HEADERS_OF TARGET]): an executable from FOLDER/test/*_test.cpp, relative to the
# caller; each of its test cases is a test of ctest. Hidden test cases are not. A name that selects no test case fails. One that
# prints `[absent]`, for want of a program or package that it tests, is counted as skipped. TARGET: whose precompiled headers are used.
function(mxcert_test name)
  if(NOT MXCERT_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 test "" HEADERS_OF LIBRARIES)
  list(TRANSFORM test_UNPARSED_ARGUMENTS APPEND /test/*_test.cpp)
  file(GLOB sources CONFIGURE_DEPENDS ${test_UNPARSED_ARGUMENTS})
  if(NOT sources)
    message(FATAL_ERROR "${test_UNPARSED_ARGUMENTS}: no tests")
  endif()
  if(MXCERT_SANITIZE)
    mxcert_sanitized_tests(sources ${sources})
    if(NOT sources)
      return()
    endif()
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE mxcert_catch ${test_LIBRARIES} mxcert_warnings)
  if(mxcert_conformance IN_LIST test_LIBRARIES)
    mxcert_link_first(${name} mxcert_reference mxcert_vectors)
  endif()
  target_compile_options(${name} PRIVATE ${mxcert_compiled_as_test})
  target_link_options(${name} PRIVATE ${mxcert_linked_fast})
  if(test_HEADERS_OF)
    target_precompile_headers(${name} REUSE_FROM ${test_HEADERS_OF})
  else()
    target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/catch.hpp)
  endif()
  set(spec)
  set(environment)
  if(MXCERT_SANITIZE)
    set(spec TEST_SPEC "~[values]~[programs]~[.]")
    # A plugin that crashes has to end by its signal here too, not by a sanitizer's report and exit.
    if(MXCERT_SANITIZE STREQUAL "thread")
      set(environment ENVIRONMENT TSAN_OPTIONS=handle_segv=0)
    else()
      set(environment ENVIRONMENT ASAN_OPTIONS=handle_segv=0:strict_string_checks=1:check_initialization_order=1)
    endif()
  endif()
  catch_discover_tests(${name} ${spec} TEST_PREFIX "${name}/" EXTRA_ARGS --warn NoTests PROPERTIES TIMEOUT 600
                       SKIP_REGULAR_EXPRESSION "\\[absent\\]" ${environment})
endfunction()

# mxcert_bench(NAME LIBRARY...): an executable from bench/*.cpp beside the caller, if it has any.
function(mxcert_bench name)
  if(NOT MXCERT_BENCH)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS bench/*.cpp)
  if(sources)
    add_executable(${name} ${sources})
    target_link_libraries(${name} PRIVATE benchmark::benchmark ${ARGN} mxcert_warnings)
  endif()
endfunction()
