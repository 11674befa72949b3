// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// How the start of a backend is built, and what its README says. @PLACES@ are filled in.
namespace mxcert::new_backend {

inline constexpr std::string_view start_cmake = R"(cmake_minimum_required(VERSION 3.16)
project(@NAME@ LANGUAGES @LANGUAGE@)

# The headers and mxcert_add_test(), from the mxcert that wrote this file; -DCMAKE_PREFIX_PATH=PREFIX names another one.
find_package(mxcert CONFIG REQUIRED COMPONENTS backend HINTS "@PREFIX@")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
add_library(@NAME@ MODULE @FILE@)
# Hidden: nothing but mxcert_get_api is to be seen from outside.
set_target_properties(@NAME@ PROPERTIES PREFIX "" SUFFIX ".so" @STANDARD@ @LANGUAGE@_VISIBILITY_PRESET hidden)
target_link_libraries(@NAME@ PRIVATE mxcert::backend)

# `ctest` asks it. FILL IN: take FILTER and LEVEL away to ask everything.
enable_testing()
mxcert_add_test(NAME @NAME@ BACKEND @NAME@ @TEST@)
)";

inline constexpr std::string_view start_makefile = R"(@NAME@.so: @FILE@ backend.rs
	rustc --edition 2021 -C opt-level=3 --crate-type cdylib -o $@ @FILE@

test: @NAME@.so
	mxcert certify ./@NAME@.so @ARGUMENTS@

.PHONY: test
)";

inline constexpr std::string_view start_readme = R"(# @NAME@

A backend for mxcert: it shows to `mxcert certify` what an implementation of MXFP8 does on every input.

```
@BUILD@mxcert certify @PLUGIN@ @ARGUMENTS@
```

The verdict is FAIL until `@FILE@` is filled in where it says FILL IN. The failure names the first input that is wrong, what it
should give, and a command that runs that input again. The arguments make the run short: leave them out to have everything asked.
@MORE@)";

inline constexpr std::string_view start_readme_cmake = R"(
`ctest --test-dir build` runs the same as a test. `cmake -B build -DCMAKE_PREFIX_PATH=PREFIX` takes the headers and the program of
the mxcert under PREFIX.
)";
inline constexpr std::string_view start_readme_python = R"(
`mxcert_worker.py` is mxcert's: it exchanges frames with the harness and calls your functions. It needs numpy.
)";
inline constexpr std::string_view start_readme_rust = R"(
`backend.rs` has the declarations of the C header. `make test` builds and certifies.
)";

} // namespace mxcert::new_backend
