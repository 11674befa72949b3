// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "vectors/tables/tabulate.hpp"

// Sets of inputs as ranges that ascend and do not overlap.
namespace mxcert {

using InputRanges = std::vector<InputRange>;

/// A range behind all others; one that touches the last is drawn together with it. Precondition: it is behind them.
void append(InputRanges& ranges, InputRange range);
[[nodiscard]] std::uint64_t count_inputs(const InputRanges& ranges);
[[nodiscard]] InputRanges intersection(const InputRanges& a, const InputRanges& b);
[[nodiscard]] InputRanges united(const InputRanges& a, const InputRanges& b);

} // namespace mxcert
