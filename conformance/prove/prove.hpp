// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/prove/simulate.hpp"
#include "conformance/prove/solve.hpp"
#include "conformance/verdict/golden_source.hpp"
#include "conformance/verdict/row.hpp"

namespace mxcert::prove {

enum class Verdict {
    proven,   ///< for every input, and a planted wrong row was found
    refuted,  ///< a counterexample, which the simulation confirms
    unproven, ///< neither: the reason says why
};
[[nodiscard]] std::string_view to_string(Verdict verdict); ///< "PROVEN", "FAIL", "UNPROVEN"

/// What came of one claim on one lane.
struct Proof {
    Claim claim = Claim::steady;
    unsigned lane = 0;
    unsigned cycles = 1;
    Verdict verdict = Verdict::unproven;
    std::string reason;               ///< of UNPROVEN
    unsigned parts = 1;               ///< that the inputs were cut into
    double seconds = 0;               ///< of the solver, without the planted rows
    std::optional<Code> planted;      ///< the input of the planted row that was found, in the first part
    std::optional<Replayed> replayed; ///< of a counterexample
};

/// The settings of a run.
struct ProveOptions {
    SolverOptions solver;
    unsigned cycles = 0; ///< of Claim::handshake; 0: usual_cycles()
};

/// Proves or refutes each claim on each lane; `told` is called with each. Throws std::invalid_argument for a design
/// that does not fit together, std::runtime_error for one that cannot be read and for files that cannot be written.
[[nodiscard]] std::vector<Proof> prove(const Design& design, const Conversion& conversion, const PermitTable& permitted,
                                       const ProveOptions& options, const std::function<void(const Proof&)>& told);

/// Explains a refuted design: a row as certify gives one, of the answers that the simulation gives at every boundary of
/// what is permitted and to the counterexample. Throws std::runtime_error if there is no simulation.
[[nodiscard]] verdict::Row explain_refuted(const Design& design, const Conversion& conversion, const Profile& profile,
                                           verdict::GoldenSource& golden, std::optional<Code> counterexample,
                                           const SolverOptions& options);

} // namespace mxcert::prove
