// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conformance/files/json_members.hpp"
#include "conformance/report/report.hpp"

// What the files of a part share.
namespace mxcert::shards {

/// SHA-256 of a JSON object without its member "sha256".
[[nodiscard]] std::string digest_of_json(files::Json json);
/// Throws std::runtime_error unless "sha256" is that of the object.
void check_digest(const files::Json& json, const files::Members& members);

[[nodiscard]] files::Json host_json(const report::Host& host);
[[nodiscard]] report::Host host_of(const files::Members& members);

} // namespace mxcert::shards
