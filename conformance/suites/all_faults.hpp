// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "conformance/diagnose/find_behaviour.hpp"
#include "conformance/known_fault.hpp"

namespace mxcert::suites {

/// A fault that a verdict can name, and of what.
struct NamedFault {
    std::string_view of; ///< "conversion", or the name of the operation
    KnownFault fault;
};

/// Every fault with words of its own, of every operation; those of conversions that are a value of a choice are not
/// among them: find_choices() knows these.
[[nodiscard]] const std::vector<NamedFault>& all_faults();

} // namespace mxcert::suites
