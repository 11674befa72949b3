// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

#include "conformance/cli/results/json_output.hpp"
#include "conformance/cli/running.hpp"
#include "conformance/record/record.hpp"

// Taking a record and telling of it: of record, and of merge for parts of a record.
namespace mxcert::cli {

/// How a record is shown.
struct RecordLines {
    std::FILE* people = stdout;
    bool color = false;
    bool quiet = false; ///< no lines for offers that are recorded
};

/// Asks the subject of `running`, shows the progress, and prints a line for each offer.
[[nodiscard]] record::Record take_record(Running& running, record::RecordOptions options, const RecordLines& lines);

/// Writes the record, if it has anything, to the folder, prints what it has, and writes the JSON. `backend`: BACKEND,
/// as it was given. Gives the exit code. Throws std::runtime_error that names the path.
[[nodiscard]] int write_record(const record::Record& record, const std::string& backend, const std::string& folder,
                               const RecordLines& lines, JsonOutput& output);

} // namespace mxcert::cli
