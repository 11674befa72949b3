// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/inputs/point.hpp"
#include "conformance/prove/solve.hpp"

namespace mxcert::prove {

/// What the simulation of a counterexample shows, in the last cycle of the miter.
struct Replayed {
    std::string reason;        ///< why it was not simulated, with what to do; "" if it was
    bool bad = false;          ///< the design and the table disagree there too
    std::optional<Code> asked; ///< none: no input was taken
    std::optional<Code> code;  ///< none: it has undefined bits
};

/// Runs a counterexample in Icarus Verilog, after a reset of some cycles. The folder has the files of solve().
[[nodiscard]] Replayed replay(const Design& design, const Conversion& conversion, const Miter& miter,
                              const std::string& name, const std::string& table_file, const Answer& answer,
                              const SolverOptions& options);

/// Compiles the design with a testbench that reads inputs in hexadecimal from its standard input, up to the end, and
/// writes the answers in their order: simulate.vvp in the folder. "" or why that failed.
[[nodiscard]] std::string build_simulation(const Design& design, const Conversion& conversion,
                                           const SolverOptions& options);

/// The shell command that runs it from the current folder.
[[nodiscard]] std::string simulation_command(const SolverOptions& options);

/// The answers of build_simulation() to these inputs; those that are undefined or did not come are left out. Throws
/// std::runtime_error if it does not run.
[[nodiscard]] std::vector<inputs::Point> simulate(const Conversion& conversion, const std::vector<Code>& asked,
                                                  const SolverOptions& options);

} // namespace mxcert::prove
