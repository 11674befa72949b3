// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/verdict/judge.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert {

/// Asks for "matmul" and judges it by what it declares (judge.hpp): the rows OPERATION/places (every index, scale,
/// layout and tail, by sums that are exact in any order), OPERATION/special (NaN, Inf and -0 in each place) and
/// OPERATION/values (sums that are not exact: bit for bit where the order is given, within a proven bound where it is
/// any). The reason of a FAIL names what is known to be wrong so. A row that the models disagree on is UNTESTED. Rows
/// that --filter leaves out are not asked for; the profile of a row is the caller's.
[[nodiscard]] std::vector<Row> certify_matmul(Subject& subject, const Operation& operation,
                                              const CertifyOptions& options);

} // namespace mxcert
