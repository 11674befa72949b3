// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/certify.hpp"
#include "conformance/stochastic.hpp"
#include "reference/operation.hpp"

namespace mxcert {

/// Asks for the operation "stochastic" and judges the distribution of its answers (docs/stochastic.md): a row a
/// profile, OPERATION/distribution, which is a sample. Where the operation names its law the answers are held to that,
/// without tolerance.
[[nodiscard]] std::vector<Row> certify_stochastic(Subject& subject, const Operation& operation,
                                                  const std::vector<const Profile*>& profiles,
                                                  const CertifyOptions& options,
                                                  stochastic::Parameters parameters = {});

} // namespace mxcert
