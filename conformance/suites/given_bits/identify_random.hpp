// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/diagnose/find_behaviour.hpp"
#include "conformance/observe/subject.hpp"

namespace mxcert::suites {

/// How a conversion takes the random bits that are given, from its answers alone: the parameter "rounding" has the
/// first reading that gives all of them, and beside it all others that do. Where none does, the nearest one.
[[nodiscard]] diagnose::FoundBehaviour identify_random(observe::Subject& subject, const Conversion& conversion);

} // namespace mxcert::suites
