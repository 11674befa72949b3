// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "conformance/observe/sweep.hpp"

namespace mxcert::record {

/// What the folder of --keep has of a part of a sweep, as it was observed then, with Observation::kept; nullopt if
/// there is nothing, or something that was asked otherwise. Throws std::runtime_error that names the file if that is
/// broken or was changed.
[[nodiscard]] std::optional<observe::Observation> kept_part(const std::filesystem::path& folder,
                                                            const observe::SweepPart& part);

/// Keeps it. Precondition: every input was answered. Throws std::runtime_error that names the file.
void keep_part(const std::filesystem::path& folder, const observe::SweepPart& part, const observe::Observation& seen);

} // namespace mxcert::record
