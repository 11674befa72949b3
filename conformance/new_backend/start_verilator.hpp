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

/// Gives the design so many inputs, as fast as it takes them, and takes as many outputs in their order. put_inputs(model, n)
/// sets the input ports, take_outputs(model, n) reads the output ports.
template <class Put, class Take> void stream(std::size_t count, const Put& put_inputs, const Take& take_outputs) {
    Vdesign& model = design();
    std::size_t next = 0;     // input to be given
    std::size_t given = 0;    // output to be taken
    std::size_t waiting = 0;  // cycles since one was taken
    @DECLARE@
    while (given < count) {
        put_inputs(model, next < count ? next : count - 1);
        @DRIVE@
        model.eval();
        if (@TAKEN@) {
            take_outputs(model, given++);
            waiting = 0;
        } else if (++waiting > 1000 + latency) {
            throw std::runtime_error("the design gave no code for 1,000 cycles");
        }
        if (@FED@ && next < count) ++next;
        @TICK@
    }
@DRAIN@}

@PART@
} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t version) {
    using namespace mxcert::backend;
    static Backend mine("@NAME@", "0.1", "the design @TOP@ in Verilator " MXCERT_VERILATOR_VERSION,
                        @FIELDS@);
    return mine.api(version);
}
)";

inline constexpr std::string_view start_verilated_convert = R"(void convert(const mxcert_convert_args& args) {
    const auto* values = static_cast<const @IN@*>(args.input);
    auto* codes = static_cast<@OUT@*>(args.output);
    const std::size_t count = static_cast<std::size_t>(args.count);
    stream(
        (count + lanes - 1) / lanes,
        [&](Vdesign& model, std::size_t step) {
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const std::size_t at = step * lanes + lane < count ? step * lanes + lane : count - 1; // the last may be partial
                put(model.@INPUT@, static_cast<unsigned>(lane) * value_bits, value_bits, values[at]);@GIVEN@
            }
        },
        [&](Vdesign& model, std::size_t step) {
            for (std::size_t lane = 0; lane < lanes && step * lanes + lane < count; ++lane)
                codes[step * lanes + lane] =
                    static_cast<@OUT@>(take(model.@OUTPUT@, static_cast<unsigned>(lane) * code_bits, code_bits));
        });
}
)";
inline constexpr std::string_view start_verilated_convert_fields =
    R"({{"@SOURCE@", "@TARGET@", "@ROUNDING@", "@OVERFLOW@", convert}})";

inline constexpr std::string_view start_verilated_quantize =
    R"(// A block at each step. A shorter last block is filled up with zeros.
void quantize(const mxcert::backend::Run& run) {
    constexpr bool by_rows = @BYROWS@;
    const std::size_t rows = run.shape(0), columns = run.shape(1);
    const std::size_t lines = by_rows ? rows : columns, length = by_rows ? columns : rows;
    const std::size_t blocks = (length + lanes - 1) / lanes; // of a line
    const auto* values = run.input<@IN@>(0);
    auto* elements = run.output<@OUT@>(0);
    auto* scales = run.output<std::uint8_t>(1); // in the order of the steps
    const auto visit = [&](std::size_t step, const auto& at_lane) {
        const std::size_t line = by_rows ? step / blocks : step % lines;
        const std::size_t first = (by_rows ? step % blocks : step / lines) * lanes;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::size_t i = first + lane;
            at_lane(static_cast<unsigned>(lane), i < length, by_rows ? line * columns + i : i * columns + line);
        }
    };
    stream(
        lines * blocks,
        [&](Vdesign& model, std::size_t step) {
            visit(step, [&](unsigned lane, bool there, std::size_t at) {
                put(model.@INPUT@, lane * value_bits, value_bits, there ? values[at] : 0);
            });
        },
        [&](Vdesign& model, std::size_t step) {
            scales[step] = static_cast<std::uint8_t>(take(model.@SCALE@, 0, 8));
            visit(step, [&](unsigned lane, bool there, std::size_t at) {
                if (there) elements[at] = static_cast<@OUT@>(take(model.@OUTPUT@, lane * code_bits, code_bits));
            });
        });
}
)";

inline constexpr std::string_view start_verilated_matmul =
    R"(// D = A B + C. The design adds `lanes` products to c; the result is the c of the next ones.
void multiply(const mxcert::backend::Run& run) {
    const std::size_t m = run.shape(0), n = run.shape(1), k = run.shape(2);
    const auto* a = run.input<@IN@>(0);
    const auto* b = run.input<@IN2@>(1);
    auto* d = run.output<@OUT@>(0);
    constexpr unsigned sum_bits = 8 * sizeof(@OUT@);
    for (std::size_t i = 0; i < m * n; ++i) d[i] = @FIRSTC@;
    for (std::size_t first = 0; first < k; first += lanes)
        stream(
            m * n,
            [&](Vdesign& model, std::size_t step) {
                const std::size_t row = step / n, column = step % n;
                for (std::size_t lane = 0; lane < lanes; ++lane) {
                    const std::size_t i = first + lane;
                    const unsigned place = static_cast<unsigned>(lane);
                    // The last group is filled up with products of -0, which change no sum, not even its sign.
                    put(model.a, place * value_bits, value_bits, i < k ? a[@ATA@] : 0);
                    put(model.b, place * code_bits, code_bits, i < k ? b[@ATB@] : 1U << (code_bits - 1));
                }
                put(model.c, 0, sum_bits, d[step]);
            },
            [&](Vdesign& model, std::size_t step) { d[step] = static_cast<@OUT@>(take(model.d, 0, sum_bits)); });
}
)";

// Of an operation, by the function that runs it.
inline constexpr std::string_view start_verilated_run_fields = R"({}, {{"@OPERATION@", "@ATTRIBUTES@", @FUNCTION@}})";

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
mxcert_add_test(NAME @NAME@ BACKEND @NAME@ @TEST@)
)";

inline constexpr std::string_view start_verilated_readme = R"(# @NAME@

The design `@TOP@`, simulated by Verilator as a backend for mxcert.

```
cmake -B build && cmake --build build
mxcert certify build/@NAME@.so@RUN@
```

`ctest --test-dir build` runs the same as a test. `@NAME@.cpp` says what the ports mean. Where there are valid or ready signals,
they pause in some cycles, so that what goes wrong in a stall is seen.
)";

} // namespace mxcert::new_backend
