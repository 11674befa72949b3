// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vectors/tables/step_table.hpp"

namespace mxcert {

/// What a rounding to nearest even does that leaves bit `bit` of the significand (0: the lowest) out of the sticky OR:
/// an input of which this bit alone is set below the round bit is rounded as the tie is. One input beside a tie
/// differs, or none. `right`: the table of the conversion. Precondition: bit < right.from->fraction_bits.
[[nodiscard]] StepTable without_sticky_bit(const StepTable& right, unsigned bit);

} // namespace mxcert
