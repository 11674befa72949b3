// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/verdict/judge.hpp"
#include "reference/operation/operation.hpp"

// The suites of operations on blocks with E8M0 scales, for certify_operation(): the profiles are those that judge.
namespace mxcert {

/// The rows scale, elements and blocks.
[[nodiscard]] std::vector<Row> certify_quantize(Subject& subject, const Operation& operation,
                                                const std::vector<const Profile*>& profiles, GoldenSource& golden,
                                                const CertifyOptions& options);

/// The rows values and blocks.
[[nodiscard]] std::vector<Row> certify_dequantize(Subject& subject, const Operation& operation,
                                                  const std::vector<const Profile*>& profiles, GoldenSource& golden,
                                                  const CertifyOptions& options);

} // namespace mxcert
