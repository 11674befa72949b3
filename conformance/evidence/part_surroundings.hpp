// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "conformance/evidence/surroundings.hpp"

// What the backend of a part had loaded, in the folder of the part: surroundings.json, "mxcert-surroundings-1".
namespace mxcert::evidence {

/// Joined with what is there from an earlier start of the same part, and replaced as a whole. Throws std::runtime_error
/// that names the file.
void write_surroundings(const Surroundings& surroundings, const std::filesystem::path& folder);

/// Of a merged run. What is not the same in all parts, and parts that do not say, are among what is unproven. Throws
/// std::runtime_error that names the file: it was changed or is of another version.
[[nodiscard]] Surroundings surroundings_of_parts(const std::vector<std::filesystem::path>& folders);

} // namespace mxcert::evidence
