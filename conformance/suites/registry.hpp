// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "conformance/suites/suite.hpp"

namespace mxcert {

/// The suite of every operation.
[[nodiscard]] std::span<const Suite* const> all_suites();
[[nodiscard]] const Suite& suite_of(const Operation& operation);

/// The ids of the rows of an operation: "quantize-.../blocks".
[[nodiscard]] std::vector<std::string> row_ids(const Operation& operation);

/// Asks for an operation and judges it by every profile that covers it; no rows where none does. Rows that --filter
/// leaves out are not asked for.
[[nodiscard]] std::vector<Row> certify_operation(Subject& subject, const Operation& operation,
                                                 const std::vector<const Profile*>& profiles, GoldenSource& golden,
                                                 const CertifyOptions& options);

} // namespace mxcert
