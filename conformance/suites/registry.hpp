// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "conformance/suites/suite.hpp"

namespace mxcert::suites {

/// The suite of every operation.
[[nodiscard]] std::span<const Suite* const> all_suites();
[[nodiscard]] const Suite& suite_of(const Operation& operation);

/// The ids of the rows of an operation: "quantize-.../blocks".
[[nodiscard]] std::vector<std::string> row_ids(const Operation& operation);

/// Asks for an operation and judges it by every profile that covers it; no rows where none does. Rows that --filter
/// leaves out are not asked for.
[[nodiscard]] std::vector<verdict::Row> certify_operation(observe::Subject& subject, const Operation& operation,
                                                          const std::vector<const Profile*>& profiles,
                                                          verdict::GoldenSource& golden,
                                                          const verdict::CertifyOptions& options);

} // namespace mxcert::suites
