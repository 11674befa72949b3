// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "conformance/prove/miter.hpp"

namespace mxcert::prove {

/// A solver's answer about a miter.
struct Answer {
    enum class Kind { holds, refuted, unfinished };
    Kind kind = Kind::unfinished;
    std::string reason; ///< why it is unfinished, with what to do
    /// Of a counterexample: the bits of each signal of Miter::inputs in each cycle, from the first.
    std::vector<std::map<std::string, std::string>> cycles;
    double seconds = 0;
};

/// What is called, and for how long.
struct SolverOptions {
    std::filesystem::path folder; ///< where the files of the proof are
    std::chrono::milliseconds limit{300'000};
    const std::atomic<bool>* stop = nullptr; ///< never null in solve()
};

/// Lets yosys decide whether `bad` can be 1. The folder has the table as table.v and is given NAME.v, NAME.ys and
/// NAME.log. Throws std::runtime_error if yosys cannot read the design.
[[nodiscard]] Answer solve(const Design& design, const Miter& miter, const std::string& name,
                           const std::string& table_file, const SolverOptions& options);

/// "Yosys 0.23", or "" where there is none.
[[nodiscard]] std::string solver_version(const SolverOptions& options);

} // namespace mxcert::prove
