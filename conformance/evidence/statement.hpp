// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "conformance/evidence/surroundings.hpp"
#include "conformance/files/json_members.hpp"

namespace mxcert::evidence {

/// The name of the file beside a certificate.
inline constexpr const char* statement_file = "statement.json";

/// An in-toto Statement (v1) with the test-result predicate (v0.1), about the backend and what it had loaded: the rows
/// by their status, what was asked of each, the digests of the report and of the vectors, and what is not
/// proven. `digest` is the SHA-256 of the report's file. Precondition: the report has the form of
/// report-1.json, and its backend a build id.
[[nodiscard]] files::Json statement_of(const files::Json& report, const std::string& digest,
                                       const Surroundings& surroundings);

/// Reads a statement and compares it with the report that it is about: everything but the surroundings must follow from
/// the report. Throws Refused where it does not, or where it is no statement.
[[nodiscard]] Surroundings check_statement(const std::filesystem::path& statement, const files::Json& report,
                                           const std::filesystem::path& report_file);

} // namespace mxcert::evidence
