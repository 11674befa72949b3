// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/new_backend/new_backend.hpp"
#include "conformance/prove/design.hpp"

namespace mxcert::new_backend {

/// A folder with a hardware design as a backend.
struct VerilatedBackend {
    std::string name; ///< of the plugin and its target
    prove::Design design;
    Conversion conversion;
    std::filesystem::path folder; ///< must not exist
    std::filesystem::path prefix; ///< of the mxcert that it is built with; empty: CMake looks for one
};

/// Makes the folder: a plugin that simulates the design with Verilator, and its build. The design stays where it is.
/// Throws as write_new_backend() and prove::check() do.
Written write_verilated(const VerilatedBackend& wanted);

} // namespace mxcert::new_backend
