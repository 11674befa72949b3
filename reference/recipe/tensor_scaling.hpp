// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/recipe/float_scale.hpp"
#include "reference/recipe/history.hpp"

// Scaling of a whole tensor, as a state machine: each step brings the amax of the tensor and takes its scale.
// *Current* scaling is a history of one that is read after it was written (Sees::own); all else is *delayed*.
namespace mxcert::recipe {

/// Which amaxes enter the history. Each enters at the cost of the oldest; others leave the history as it is.
enum class Admitted : std::uint8_t {
    all,
    not_zero, ///< Transformer Engine's bulk update
    finite,   ///< neither NaN nor Inf
};

/// What the history holds before the first step. It shows in averages and percentiles.
enum class Start : std::uint8_t {
    empty,
    zeros, ///< as many as it is long. Transformer Engine, torchao
};

/// Whether the scale of a step is made of the amax of that step.
enum class Sees : std::uint8_t {
    own,          ///< history and scale are updated, then the scale is taken
    earlier,      ///< the scale is taken, then both are updated. Transformer Engine
    own_at_first, ///< the first step as `own`, the others as `earlier`. torchao
};

/// All choices of the operation "recipe" for one tensor.
struct TensorScaling {
    FloatScale scaling;
    std::size_t length = 1; ///< of the history, at least 1
    Reading reading;
    Admitted admitted = Admitted::all;
    Start start = Start::empty;
    Sees sees = Sees::own;
    /// The scale is recomputed at the steps 0, N, 2N, ...
    std::uint64_t interval = 1;
    /// The amaxes of the steps 0, N, 2N, ... are remembered; the others never enter the history, nor a running average.
    std::uint64_t remember_interval = 1;

    friend bool operator==(const TensorScaling&, const TensorScaling&) = default;
};

/// What is remembered from step to step. The scale before the first is 1.
struct State {
    std::vector<Code> history; ///< oldest first
    Code average = 0;          ///< of running_average
    bool averaged = false;     ///< whether it began
    Scales scales;
    std::uint64_t steps = 0;

    friend bool operator==(const State&, const State&) = default;
};

/// Throws std::invalid_argument if length or an interval is 0.
void check(const TensorScaling& choices);

[[nodiscard]] std::string_view to_string(Admitted value);
[[nodiscard]] std::string_view to_string(Start value);
[[nodiscard]] std::string_view to_string(Sees value);
/// Every choice by its name and value.
[[nodiscard]] std::string describe(const TensorScaling& choices);

} // namespace mxcert::recipe
