// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "conformance/suites/suite.hpp"

namespace mxcert::suites {

/// The parts of "matmul", judged by what the operation declares (judge.hpp): "places" (every index, scale, layout and
/// tail, by sums that are exact in any order), "special" (NaN, Inf and -0 in each place), "values" (sums that are not
/// exact: bit for bit where the order is given, within a proven bound where it is any) and "relations" (products that
/// are related whatever the order).
[[nodiscard]] std::unique_ptr<CasePart> matmul_part(const SuiteRun& run, std::string_view part);

} // namespace mxcert::suites
