// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mxcert::report {

/// The rows of an earlier run that did not pass.
struct LastFailed {
    std::vector<std::string> rows; ///< names, each once; those that another run can select
    std::string whole;             ///< a row that is no row of a conversion, operation or provision: all must run again
};

/// Reads them from a report. Rows that are not offered and need not be are left out. Throws std::runtime_error that
/// names the file and the place: no report, a member missing or of another kind.
[[nodiscard]] LastFailed read_last_failed(const std::filesystem::path& path);

} // namespace mxcert::report
