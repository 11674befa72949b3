// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "conformance/new_backend/new_backend.hpp"
#include "conformance/prove/design.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::new_backend {

/// A folder with a hardware design as a backend.
struct VerilatedBackend {
    std::string name; ///< of the plugin and its target
    prove::Design design;
    /// What it does. Of operations these are possible:
    /// - `quantize` with a block of a fixed size: all values of a block come at once, `design.lanes` is 1 or its size,
    ///   `design.output` are the elements and `design.scale` is an output;
    /// - `matmul` by an accumulator that adds the exact sums of groups, without scales: the ports are `a` and `b`, a
    ///   group each, `c` and `d`. `design.input` and `design.output` say nothing.
    std::variant<Conversion, Operation> offer;
    std::filesystem::path folder; ///< must not exist
    std::filesystem::path prefix; ///< of the mxcert that it is built with; empty: CMake looks for one
};

/// Makes the folder: a plugin that simulates the design with Verilator, and its build. The design stays where it is.
/// Throws as write_new_backend() and prove::check() do, and std::invalid_argument for what no design can offer here.
Written write_verilated(const VerilatedBackend& wanted);

} // namespace mxcert::new_backend
