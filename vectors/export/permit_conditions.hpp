// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vectors/tables/step_table.hpp"

namespace mxcert {

/// How a language writes what is asked of a code.
struct ConditionWords {
    std::function<std::string(Code constant)> equal;             ///< the code is `constant`
    std::function<std::string(int bits, Code constant)> greater; ///< the lowest `bits` of the code are above `constant`
};

/// Conditions on a code of `to`, any of which makes it right by `permit`; none if no code is.
[[nodiscard]] std::vector<std::string> conditions_of(const Permit& permit, const Format& to,
                                                     const ConditionWords& words);

} // namespace mxcert
