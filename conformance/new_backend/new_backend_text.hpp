// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// The files of a new backend, with @PLACES@ to be filled in. C and C++ differ in how the structs are written.
namespace mxcert::new_backend {

inline constexpr std::string_view new_backend_c =
    R"(/* @NAME@: a backend for mxcert. What is to be filled in is marked FILL IN.
 *
 * It builds and runs as it is, and fails: the code below keeps the top byte of its input, which is right for hardly
 * any. The rules are in docs/writing-a-backend.md of mxcert, the names in `mxcert formats` and `mxcert choices`. */
#include "conformance/backend.h"

#include <string.h>

/* FILL IN: FP32 to E4M3, to nearest even, saturating. `x` has the bits of the FP32 value. */
static uint8_t fp32_to_e4m3(uint32_t x) {
    return (uint8_t)(x >> 24);
}

/* A batch of values. FILL IN: your kernel may take the whole of it. Nothing but `output` may be written. */
static int32_t convert(const mxcert_convert_args* args) {
    uint8_t* out = (uint8_t*)args->output;
    for (uint64_t i = 0; i < args->count; ++i) {
        uint32_t x = 0;
        if (args->conversion == 0) {
            memcpy(&x, (const char*)args->input + i * sizeof x, sizeof x);
        } else { /* BF16 is the upper half of FP32 */
            uint16_t half = 0;
            memcpy(&half, (const char*)args->input + i * sizeof half, sizeof half);
            x = (uint32_t)half << 16;
        }
        out[i] = fp32_to_e4m3(x);
    }
    return MXCERT_OK;
}

/* FILL IN: what you offer, a line each; args->conversion counts them from 0. */
static const mxcert_conversion conversions[] = {
    {sizeof(mxcert_conversion), 0, "fp32", "e4m3", "nearest_even", "sat"},
    {sizeof(mxcert_conversion), 0, "bf16", "e4m3", "nearest_even", "sat"},
};

static const mxcert_api api = {
    .struct_size = sizeof(mxcert_api),
    .abi_major = MXCERT_ABI_MAJOR,
    .abi_minor = MXCERT_ABI_MINOR,
    .conversion_count = sizeof conversions / sizeof conversions[0],
    .conversions = conversions,
    .name = "@NAME@",
    .version = "0.1",                                    /* FILL IN: of the code that is tested */
    .description = "the start of a backend, not filled in", /* FILL IN: what code this is, on what it runs */
    .convert = convert,
};

const mxcert_api* mxcert_get_api(uint32_t host_abi_major) {
    return host_abi_major == MXCERT_ABI_MAJOR ? &api : NULL;
}
)";

inline constexpr std::string_view new_backend_cpp =
    R"(// @NAME@: a backend for mxcert. What is to be filled in is marked FILL IN.
//
// It builds and runs as it is, and fails: the code below keeps the top byte of its input, which is right for hardly
// any. The rules are in docs/writing-a-backend.md of mxcert, the names in `mxcert formats` and `mxcert choices`.
#include "conformance/backend.h"

#include <cstdint>
#include <cstring>
#include <iterator>

namespace {

// FILL IN: FP32 to E4M3, to nearest even, saturating. `x` has the bits of the FP32 value.
std::uint8_t fp32_to_e4m3(std::uint32_t x) {
    return static_cast<std::uint8_t>(x >> 24);
}

// A batch of values. FILL IN: your kernel may take the whole of it. Nothing but `output` may be written.
std::int32_t convert(const mxcert_convert_args* args) {
    auto* out = static_cast<std::uint8_t*>(args->output);
    for (std::uint64_t i = 0; i < args->count; ++i) {
        std::uint32_t x = 0;
        if (args->conversion == 0) {
            std::memcpy(&x, static_cast<const char*>(args->input) + i * sizeof x, sizeof x);
        } else { // BF16 is the upper half of FP32
            std::uint16_t half = 0;
            std::memcpy(&half, static_cast<const char*>(args->input) + i * sizeof half, sizeof half);
            x = static_cast<std::uint32_t>(half) << 16;
        }
        out[i] = fp32_to_e4m3(x);
    }
    return MXCERT_OK;
}

// FILL IN: what you offer, a line each; args->conversion counts them from 0.
const mxcert_conversion conversions[] = {
    {sizeof(mxcert_conversion), 0, "fp32", "e4m3", "nearest_even", "sat"},
    {sizeof(mxcert_conversion), 0, "bf16", "e4m3", "nearest_even", "sat"},
};

const mxcert_api api = {
    sizeof(mxcert_api),
    MXCERT_ABI_MAJOR,
    MXCERT_ABI_MINOR,
    static_cast<std::uint32_t>(std::size(conversions)),
    conversions,
    "@NAME@",
    "0.1",                                    // FILL IN: version of the code that is tested
    "the start of a backend, not filled in", // FILL IN: what code this is, on what it runs
    nullptr,                                  // open
    convert,
    nullptr, // last_error
    nullptr, // close
    0,       // operations on blocks: how many, which, and what runs one
    0,       // flags: MXCERT_ONE_WORKER where it is a device that all processes share
    nullptr,
    nullptr,
    nullptr, // convert_range
    0,       // max_batch: any number of values a call
};

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t host_abi_major) {
    return host_abi_major == MXCERT_ABI_MAJOR ? &api : nullptr;
}
)";

inline constexpr std::string_view new_backend_cmake = R"(cmake_minimum_required(VERSION 3.16)
project(@NAME@ LANGUAGES @LANGUAGE@)

# The one header a backend needs is conformance/backend.h: in this folder, or that of an installed mxcert if it is empty.
set(MXCERT_INCLUDE "@INCLUDE@" CACHE PATH "Folder that holds conformance/backend.h")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
add_library(@NAME@ MODULE @FILE@)
# Hidden: nothing but mxcert_get_api is to be seen from outside.
set_target_properties(@NAME@ PROPERTIES PREFIX "" SUFFIX ".so" @STANDARD@ @LANGUAGE@_VISIBILITY_PRESET hidden)
if(MXCERT_INCLUDE)
  target_include_directories(@NAME@ PRIVATE "${MXCERT_INCLUDE}")
else()
  find_package(mxcert CONFIG REQUIRED)
  target_link_libraries(@NAME@ PRIVATE mxcert::backend)
endif()
)";

inline constexpr std::string_view new_backend_readme = R"(# @NAME@

A backend for mxcert: it shows to `mxcert certify` what an implementation of MXFP8 does on every input.

```
cmake -B build && cmake --build build
mxcert certify build/@NAME@.so --filter 'bf16-*'
```

The verdict is FAIL until `@FILE@` is filled in where it says FILL IN. The failure names the first input that is wrong, what it
should give, and a command that runs that input again. `--filter 'bf16-*'` runs 65,536 inputs and is done at once; without it
every FP32 value is run too.

`cmake -B build -DMXCERT_INCLUDE=DIR` takes the header from DIR/conformance/backend.h.
)";

} // namespace mxcert::new_backend
