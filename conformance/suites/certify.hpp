// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/verdict/judge.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert {

/// The ids of its rows.
[[nodiscard]] std::vector<std::string> row_ids(const Operation& operation);

/// Asks for an operation and judges it by every profile that covers it. "quantize": the rows OPERATION/scale (of every
/// amax, or a sample of FP32's), OPERATION/elements (every value under every scale that goes with it, or a sample), and
/// OPERATION/blocks (what joins them, as cases); "dequantize": OPERATION/values and OPERATION/blocks; "layout":
/// OPERATION/places; "stochastic": OPERATION/distribution; those with float scales as
/// certify_float.hpp says. Rows that --filter leaves out are not asked for. Where nothing is to be judged
/// (CertifyOptions::judged) what is there is asked for all the same, and the rows say nothing.
[[nodiscard]] std::vector<Row> certify_operation(Subject& subject, const Operation& operation,
                                                 const std::vector<const Profile*>& profiles, GoldenSource& golden,
                                                 const CertifyOptions& options);

} // namespace mxcert
