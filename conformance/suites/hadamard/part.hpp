// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "conformance/suites/case_part.hpp"
#include "conformance/suites/suite_run.hpp"

namespace mxcert::suites {

/// The parts of "hadamard": "places", values alone in their groups and matrices in which groups tell their place;
/// "sums" that are exact in every order; and "values", whose sums the order rounds.
[[nodiscard]] std::unique_ptr<CasePart> hadamard_part(const SuiteRun& run, std::string_view part);

} // namespace mxcert::suites
