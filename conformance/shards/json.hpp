// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "conformance/files/json_members.hpp"
#include "conformance/report/report.hpp"

// Shared by the files of a part.
namespace mxcert::shards {

/// The largest file of a part. Of answers that are drawn at random every one is stored.
inline constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;

/// As files::read_json(), for such files.
[[nodiscard]] files::Json read_large_json(const std::filesystem::path& path);

/// SHA-256 of a JSON object without its member "sha256".
[[nodiscard]] std::string digest_of_json(files::Json json);
/// Throws std::runtime_error unless "sha256" is that of the object.
void check_digest(const files::Json& json, const files::Members& members);

/// How the first member of `a` that `b` has not, or has with another value, differs: "seed 1 and 2"; "" if none does.
[[nodiscard]] std::string difference_of_json(const files::Json& a, const files::Json& b);

[[nodiscard]] files::Json host_json(const report::Host& host);
[[nodiscard]] report::Host host_of(const files::Members& members);

} // namespace mxcert::shards
