// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/dot/accumulator.hpp"

// The parameters of accumulators one by one, to look for the one that explains what is seen.
namespace mxcert {

/// A parameter of an accumulator.
struct AccumulatorParameter {
    std::string_view name; ///< as in docs/matmul.md: "group"
    /// Whether it says anything in this accumulator: an aligned sum has no arithmetic.
    bool (*says)(const Accumulator&);
    /// "32"; "all".
    std::string (*text)(const Accumulator&);
    /// The accumulator with each of the values of it that are looked at; each is one that can be computed, and the rest
    /// of it the same. The one given is among them unless its own value is none of these.
    std::vector<Accumulator> (*values)(const Accumulator&);
};

/// All of them, in the order they are reported.
[[nodiscard]] std::span<const AccumulatorParameter> accumulator_parameters();

} // namespace mxcert
