// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "conformance/files/json_members.hpp"
#include "conformance/observe/observation.hpp"
#include "conformance/process/loaded_files.hpp"

namespace mxcert::evidence {

/// Files, packages and variables that the answers of a backend may depend on, as far as they were seen.
struct Surroundings {
    std::map<std::string, std::string> files;       ///< path -> SHA-256: the backend's own, and what it had loaded
    std::map<std::string, std::string> packages;    ///< name -> version
    std::map<std::string, std::string> environment; ///< those variables that change how libraries compute
    std::vector<std::string> unproven;              ///< what they depend on, or may, and was not fixed

    friend bool operator==(const Surroundings&, const Surroundings&) = default;
};

/// Reads the files that were loaded. One that cannot be read is among what is unproven. `loaded` is null where no
/// backend ran: answers that were stored.
[[nodiscard]] Surroundings surroundings_of(const process::LoadedFiles* loaded, const observe::BackendInfo& info);

/// The members "files", "packages", "environment" and "unproven".
[[nodiscard]] files::Json surroundings_json(const Surroundings& surroundings);
/// The reverse. Throws std::runtime_error that names the file and the member.
[[nodiscard]] Surroundings surroundings_of_json(const files::Members& members);

/// Where the files differ: "/usr/lib/libm.so.6: is another file now", "... is not loaded now".
[[nodiscard]] std::vector<std::string> changed_files(const Surroundings& then, const Surroundings& now);

} // namespace mxcert::evidence
