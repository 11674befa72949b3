// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conformance/diagnose/find_behaviour.hpp"
#include "conformance/parity/comparison.hpp"
#include "conformance/suites/blocks/reading.hpp"
#include "reference/conversion.hpp"

namespace mxcert::parity {

/// A Behaviour that gives every answer of B, and how it differs from that of A.
struct ChangedBehaviour {
    diagnose::FoundBehaviour found; ///< formats, choices, faults and counts alone
    std::vector<Change> changes;    ///< none: B does what A does
};

/// The Behaviour with the fewest changes of A's that gives every answer in `reading`, as far as it is found: none, one
/// choice, else those of the Behaviour that explains B by itself, without those that are not needed. Nothing if no
/// Behaviour gives every answer. `part`: for Change::part.
[[nodiscard]] std::optional<ChangedBehaviour> change_to_explain(const diagnose::FoundBehaviour& a,
                                                                const Conversion& conversion,
                                                                const suites::Reading& reading,
                                                                const std::string& part);

} // namespace mxcert::parity
