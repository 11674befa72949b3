// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/observe/worker_pool.hpp"
#include "conformance/verdict/row.hpp"
#include "reference/profile/profile.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::verdict {

/// How many inputs a conversion has, with its random bits: "65536", "2^40".
[[nodiscard]] std::string inputs_in_all(const Conversion& conversion);

/// Judges an observation: the whole table, or what there is of it. Wrong answers among what did come back are FAIL,
/// however the observation ended; one constant that is not permitted everywhere is MISTRUSTED; differences that only
/// clauses from memory decide are UNTESTED. Throws std::invalid_argument if the formats differ. Plants one wrong answer
/// in a copy of what was observed and throws std::logic_error if the comparison does not find exactly it: a verdict is
/// only given by a comparison that can fail. `golden` fields, `profile` and `required` are the caller's.
[[nodiscard]] Row judge(const observe::Observation& seen, const PermitTable& permitted, std::size_t max_failures);

/// What came out, as steps: the whole table, chosen inputs, or what there is of a table that broke off.
[[nodiscard]] std::vector<Step> steps_of(const observe::Observation& seen);

} // namespace mxcert::verdict
