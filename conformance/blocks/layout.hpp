// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/certify.hpp"
#include "reference/operation.hpp"

namespace mxcert {

/// Asks for the operation "layout" with matrices of scales in which every byte tells its place (layout_cases()), and
/// judges where each came out; Row::faults name what a wrong layout is. No profile has a say in it: those fields of the
/// row, its id and its operation are the caller's.
[[nodiscard]] Row certify_layout(Subject& subject, const Operation& operation, const CertifyOptions& options);

} // namespace mxcert
