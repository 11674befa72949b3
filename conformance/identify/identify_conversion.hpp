// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/diagnose/find_behaviour.hpp"
#include "conformance/observe/subject.hpp"
#include "conformance/verdict/judge.hpp"

namespace mxcert::identify {

/// What the answers are to each judge of the conversion, those that differ least first. `steps`: as above.
[[nodiscard]] std::vector<diagnose::FoundProfile> profiles_of(const std::vector<Step>& steps,
                                                              const std::vector<verdict::Judge>& judges);
/// Those that differ least first.
void sort_by_differing(std::vector<diagnose::FoundProfile>& profiles);

/// Observes a conversion of the subject, every input of a source of up to 32 bits and else those that boundaries of
/// profiles choose, and finds the Behaviour, the profiles and the clauses. Stochastic roundings are unsupported.
[[nodiscard]] diagnose::FoundBehaviour identify_conversion(observe::Subject& subject, const Conversion& conversion,
                                                           verdict::GoldenSource& golden);

} // namespace mxcert::identify
