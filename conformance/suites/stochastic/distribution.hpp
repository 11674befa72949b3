// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/verdict/judge.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// Asks for the operation "stochastic" and judges the distribution of its answers (docs/stochastic.md): a sample. Where
/// the operation names its law the answers are held to that, without tolerance. No profile has a say in it: that field
/// of the row, its id and its operation are the caller's.
[[nodiscard]] verdict::Row certify_distribution(observe::Subject& subject, const Operation& operation,
                                                const verdict::CertifyOptions& options);

} // namespace mxcert::suites
