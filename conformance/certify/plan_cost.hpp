// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "conformance/level.hpp"
#include "reference/operation/operation.hpp"

// The cost of a plan, known before anything is asked: about how many values are sent and judged. For a backend as fast
// as `portable` a value takes about a nanosecond of one processor.
namespace mxcert::certify {

/// Starting the workers takes as long as so many values.
constexpr std::uint64_t start_cost = 1'000'000;

/// Parts of a sweep through a row of an operation (suites/blocks/sweep.hpp), and the values of each. At level complete
/// 2^27 amaxes of "scale", and 2^32 pairs of "elements", of which nobody knows the number before the scales are known.
struct Sweep {
    std::string_view row; ///< "scale" or "elements"
    std::uint64_t parts = 0;
    std::uint64_t values = 0; ///< of a part
};

/// The values of large calls, beside those of the inputs of a conversion, and the start.
[[nodiscard]] std::uint64_t large_call_cost(Level level);
/// Asking and judging the cases of an operation, or of a conversion with given random bits, takes as long as so many
/// values.
[[nodiscard]] std::uint64_t case_cost(Level level);
/// Of the rows that are swept at this level.
[[nodiscard]] std::vector<Sweep> sweeps_of(const Operation& operation, Level level);

} // namespace mxcert::certify
