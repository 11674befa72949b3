// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "conformance/known_fault.hpp"
#include "conformance/suites/blocks/join_fault.hpp"

// The known ways to join values to blocks wrongly.
namespace mxcert::suites {

/// Every one.
[[nodiscard]] std::span<const JoinFault> join_faults();

/// The faults that give all that came, of which something at least is not permitted; those that give the same are all
/// named.
[[nodiscard]] std::vector<KnownFault> known_as(const QuantizeRules& rules,
                                               std::span<const JoinSeen<QuantizeCase>> seen);
[[nodiscard]] std::vector<KnownFault> known_as(const PermitTable& permitted,
                                               std::span<const JoinSeen<DequantizeCase>> seen);

} // namespace mxcert::suites
