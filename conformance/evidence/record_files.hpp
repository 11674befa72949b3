// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace mxcert::evidence {

/// The record of a run: parts (docs/shards.md), or a folder of `mxcert record` or of --keep.
struct RecordFiles {
    std::vector<std::filesystem::path> parts;
    std::filesystem::path record; ///< empty: the record is parts, or there is none

    [[nodiscard]] bool empty() const { return parts.empty() && record.empty(); }
};

/// Looks for a record in each folder: it is one, or its folders are parts. Throws Refused where a folder has none, or
/// where they have records of both kinds.
[[nodiscard]] RecordFiles find_record(const std::vector<std::filesystem::path>& folders);

/// The folder beside a certificate in which its record is looked for.
inline constexpr const char* record_folder = "answers";

} // namespace mxcert::evidence
