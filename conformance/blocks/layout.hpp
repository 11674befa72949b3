// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/certify.hpp"
#include "reference/operation.hpp"

namespace mxcert {

/// Asks for the operation "layout" with matrices of scales in which every byte tells its place (layout_cases()), and
/// judges where each came out. A row a profile, OPERATION/places; Row::faults name what a wrong layout is.
[[nodiscard]] std::vector<Row> certify_layout(Subject& subject, const Operation& operation,
                                              const std::vector<const Profile*>& profiles,
                                              const CertifyOptions& options);

} // namespace mxcert
