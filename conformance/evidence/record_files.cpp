// SPDX-License-Identifier: Apache-2.0
#include "conformance/evidence/record_files.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "conformance/evidence/verification.hpp"
#include "conformance/record/record.hpp"
#include "conformance/shards/run.hpp"

namespace mxcert::evidence {
namespace {

namespace fs = std::filesystem;

bool is_part(const fs::path& folder) {
    std::error_code error;
    return fs::is_regular_file(shards::shard_path(folder), error);
}

std::vector<fs::path> parts_in(const fs::path& folder) {
    std::vector<fs::path> parts;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
        if (is_part(entry.path())) parts.push_back(entry.path());
    std::sort(parts.begin(), parts.end());
    return parts;
}

} // namespace

RecordFiles find_record(const std::vector<fs::path>& folders) {
    RecordFiles found;
    for (const fs::path& folder : folders) {
        if (is_part(folder)) {
            found.parts.push_back(folder);
            continue;
        }
        if (record::is_record_folder(folder)) {
            if (!found.record.empty())
                throw Refused(fmt::format("'{}' and '{}' are two records", found.record.string(), folder.string()));
            found.record = folder;
            continue;
        }
        const std::vector<fs::path> parts = parts_in(folder);
        if (parts.empty())
            throw Refused(fmt::format("'{}' has no record: no shard.json, no record.json, and no folder with a "
                                      "shard.json",
                                      folder.string()));
        found.parts.insert(found.parts.end(), parts.begin(), parts.end());
    }
    if (!found.parts.empty() && !found.record.empty())
        throw Refused(fmt::format("'{}' is a record, and '{}' is a part of one: a run has one of them",
                                  found.record.string(), found.parts.front().string()));
    return found;
}

} // namespace mxcert::evidence
