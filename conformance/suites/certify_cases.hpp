// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "conformance/suites/case_part.hpp"
#include "conformance/suites/suite_run.hpp"

namespace mxcert::suites {

/// Asks for the cases of a part one after the other, judges each answer, and says what is wrong: a row for each
/// profile. A judge that finds nothing in an answer must find what is spoilt in it, or the row is UNTESTED. A case that
/// fails is made smaller where that is wanted, and matrices are asked large (CasePart::sizes()).
[[nodiscard]] std::vector<verdict::Row> certify_cases(const SuiteRun& run, std::string_view part, CasePart& cases);

/// Asks for them, and judges nothing. It ends at the first answer that is neither given nor refused.
void ask_cases(const SuiteRun& run, std::string_view part, CasePart& cases);

} // namespace mxcert::suites
