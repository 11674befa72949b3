// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/verdict/judge.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert {

/// Asks for "linear" and judges it: the operands are quantized as the recipe says, and the product is judged as that of
/// "matmul". The rows are OPERATION/values and OPERATION/special. The reason of a FAIL names what is known to be wrong
/// so. A row that the models disagree on is UNTESTED. Rows that --filter leaves out are not asked for; the profile of a
/// row is the caller's.
[[nodiscard]] std::vector<Row> certify_linear(Subject& subject, const Operation& operation,
                                              const CertifyOptions& options);

} // namespace mxcert
