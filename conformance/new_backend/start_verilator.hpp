// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// A hardware design in Verilator as a backend. @PLACES@ are filled in.
namespace mxcert::new_backend {

inline constexpr std::string_view start_verilated =
    R"(// @NAME@: the hardware design @TOP@ as a backend for mxcert, simulated by Verilator.
#include "Vdesign.h"
#include "conformance/backend.hpp"
#include "verilated.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

double sc_time_stamp() { return 0; }

namespace {

constexpr std::size_t lanes = @LANES@;       // values a cycle
constexpr std::size_t latency = @LATENCY@;     // cycles from a value to its code while nothing stalls
constexpr unsigned value_bits = @VALUEBITS@;
constexpr unsigned code_bits = @CODEBITS@;

// Ports of up to 64 bits are integers; wider ones are words of 32 bits, the lowest first.
template <class Port> void put(Port& port, unsigned low, unsigned width, std::uint64_t value) {
    if constexpr (std::is_integral_v<Port>) {
        const std::uint64_t mask = (width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1) << low;
        port = static_cast<Port>((port & ~mask) | (value << low & mask));
    } else {
        for (unsigned done = 0; done < width;) {
            const unsigned at = (low + done) % 32, count = width - done < 32 - at ? width - done : 32 - at;
            const std::uint32_t mask = (count == 32 ? ~0U : (1U << count) - 1) << at;
            std::uint32_t& word = port[(low + done) / 32];
            word = (word & ~mask) | (static_cast<std::uint32_t>(value >> done) << at & mask);
            done += count;
        }
    }
}
template <class Port> std::uint64_t take(const Port& port, unsigned low, unsigned width) {
    std::uint64_t value = 0;
    if constexpr (std::is_integral_v<Port>) {
        value = static_cast<std::uint64_t>(port) >> low;
    } else {
        for (unsigned done = 0; done < width;) {
            const unsigned at = (low + done) % 32;
            value |= static_cast<std::uint64_t>(port[(low + done) / 32] >> at) << done;
            done += 32 - at;
        }
    }
    return width == 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

VerilatedContext context;
Vdesign& design() {
    static Vdesign* const made = [] {
        context.randReset(2); // registers start at random: without this they would be zero
        context.randSeed(1);
        auto* model = new Vdesign(&context); // lives as long as the process
        @RESET@
        return model;
    }();
    return *made;
}

void convert(const mxcert_convert_args& args) {
    const auto* values = static_cast<const @IN@*>(args.input);
    auto* codes = static_cast<@OUT@*>(args.output);
    const std::size_t count = static_cast<std::size_t>(args.count);
    Vdesign& model = design();
    std::size_t next = 0;     // value to be given
    std::size_t given = 0;    // code to be taken
    std::size_t waiting = 0;  // cycles since a code was taken
    @DECLARE@
    while (given < count) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::size_t at = next + lane < count ? next + lane : count - 1; // the last step may be partial
            put(model.@INPUT@, static_cast<unsigned>(lane) * value_bits, value_bits, values[at]);
        }
        @DRIVE@
        model.eval();
        if (@TAKEN@) {
            for (std::size_t lane = 0; lane < lanes && given < count; ++lane)
                codes[given++] = static_cast<@OUT@>(take(model.@OUTPUT@, static_cast<unsigned>(lane) * code_bits, code_bits));
            waiting = 0;
        } else if (++waiting > 1000 + latency) {
            throw std::runtime_error("the design gave no code for 1,000 cycles");
        }
        if (@FED@ && next < count) next += lanes;
        @TICK@
    }
@DRAIN@}

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t version) {
    using namespace mxcert::backend;
    static Backend mine("@NAME@", "0.1", "the design @TOP@ in Verilator " MXCERT_VERILATOR_VERSION,
                        {{"@SOURCE@", "@TARGET@", "@ROUNDING@", "@OVERFLOW@", convert}});
    return mine.api(version);
}
)";

inline constexpr std::string_view start_verilated_cmake = R"(cmake_minimum_required(VERSION 3.16)
project(@NAME@ LANGUAGES CXX)

# The headers and mxcert_add_test(), from the mxcert that wrote this file; -DCMAKE_PREFIX_PATH=PREFIX names another one.
find_package(mxcert CONFIG REQUIRED COMPONENTS backend HINTS "@PREFIX@")
find_package(verilator REQUIRED)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_library(@NAME@ MODULE @NAME@.cpp)
# Hidden: nothing but mxcert_get_api is to be seen from outside.
set_target_properties(@NAME@ PROPERTIES PREFIX "" SUFFIX ".so" CXX_STANDARD 17 CXX_VISIBILITY_PRESET hidden)
target_link_libraries(@NAME@ PRIVATE mxcert::backend)
target_compile_definitions(@NAME@ PRIVATE MXCERT_VERILATOR_VERSION="${verilator_VERSION}")
# Registers start at random, so that a reset that is missing shows.
verilate(@NAME@ SOURCES@FILES@
         TOP_MODULE @TOP@ PREFIX Vdesign OPT_FAST -O3
         VERILATOR_ARGS -O3 -Wno-fatal -Wno-lint --x-assign unique --x-initial unique@ARGS@)

enable_testing()
mxcert_add_test(NAME @NAME@ BACKEND @NAME@ FILTER @CONVERSION@)
)";

inline constexpr std::string_view start_verilated_readme = R"(# @NAME@

The design `@TOP@`, simulated by Verilator as a backend for mxcert.

```
cmake -B build && cmake --build build
mxcert certify build/@NAME@.so
```

`ctest --test-dir build` runs the same as a test. `@NAME@.cpp` says what the ports mean. Where there are valid or ready signals,
they pause in some cycles, so that what goes wrong in a stall is seen.
)";

} // namespace mxcert::new_backend
