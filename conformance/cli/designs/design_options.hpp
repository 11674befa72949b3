// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "conformance/prove/design.hpp"

namespace mxcert::cli {

/// What commands ask of a hardware design.
struct DesignOptions {
    prove::Design design;
    std::vector<std::string> parameters; ///< NAME=VALUE
};

/// Adds --top, --clock and the other names of ports.
void add_design_options(CLI::App& command, DesignOptions& options);

/// The design, with its parameters cut at the equals sign and a reset's `!` taken off. Throws std::invalid_argument.
[[nodiscard]] prove::Design design_of(const DesignOptions& options);

} // namespace mxcert::cli
