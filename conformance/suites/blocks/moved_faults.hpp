// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "conformance/known_fault.hpp"
#include "conformance/suites/blocks/join_fault.hpp"

// Answers in the places of others: of the blocks before or behind, from registers of a pipeline that are read or
// written in the wrong step or never cleared; exchanged; or packed in another order.
namespace mxcert::suites {

/// The faults that give all that came, where one at least does of which something is known.
[[nodiscard]] std::vector<KnownFault> known_by_moving(const QuantizeRules& rules,
                                                      std::span<const JoinSeen<QuantizeCase>> seen);

/// All of them, without the numbers of lanes.
[[nodiscard]] std::vector<KnownFault> moved_faults();

} // namespace mxcert::suites
