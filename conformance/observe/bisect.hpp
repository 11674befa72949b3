// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "conformance/observe/observation.hpp"
#include "conformance/observe/schedule.hpp"

namespace mxcert::observe {

/// What the search for a culprit needs of an observation.
struct Bisection {
    /// Asks a worker that has done nothing before for blocks, in one request each, without starting another one after
    /// it. A request may take `timeout`.
    std::function<Schedule::Outcome(std::vector<inputs::Block> blocks, std::chrono::milliseconds timeout)> ask_fresh;
    /// Asks as an observation does, with as many workers as it takes.
    std::function<Schedule::Outcome(std::vector<inputs::Block> blocks)> ask;
    std::function<Code(std::uint64_t position)> input_at;
    const Format* from = nullptr;
    std::chrono::milliseconds timeout{0}; ///< of an ordinary request
    std::chrono::milliseconds time{0};    ///< for all of it
};

/// Looks for the inputs that ended or hung the worker, in the first two failed requests of `outcome` (the first, if it
/// hung): halves them, each half asked of a new worker, down to one input or to a request whose halves do no harm. The
/// reasons in `outcome` then name the inputs, or say why they could not be found, and the answers of the rest of these
/// requests are put into it. Returns the culprits.
[[nodiscard]] std::vector<Culprit> bisect_failures(Schedule::Outcome& outcome, const Bisection& bisection);

} // namespace mxcert::observe
