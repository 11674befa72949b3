// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/files/date.hpp"
#include "conformance/gate/deviation.hpp"
#include "conformance/report/report.hpp"

// Deviations of a backend from its profiles that somebody has acknowledged, as a file (docs/gate.md).
namespace mxcert::gate {

inline constexpr std::string_view baseline_schema = "mxcert-baseline-1";

/// Whose word stands for a deviation.
struct Acknowledgement {
    std::string reason;
    std::string owner;
    files::Date expires; ///< the last day it holds
};

/// A row as it is expected to be.
struct BaselineRow {
    Status status = Status::pass;
    std::optional<Deviation> deviation; ///< none if the row is settled
    Acknowledgement by;                 ///< of the deviation
};

/// What names a row: its profile, then its id.
using RowName = std::pair<std::string, std::string>;

struct Baseline {
    std::string tool_version; ///< that wrote it
    VectorSet vectors;
    std::string backend;         ///< its name, as it says it
    std::string backend_options; ///< --backend-option
    std::uint64_t seed = 1;
    unsigned samples_per_step = 0;
    LevelOf level{};
    std::vector<std::string> profiles;
    std::map<RowName, BaselineRow> rows; ///< all of them, those that pass too: one that is gone must show
};

/// The file, LF at the end (conformance/schema/baseline-1.json). Rows are sorted.
[[nodiscard]] std::string baseline_json(const Baseline& baseline);

/// The reverse, of a file that a person may have edited. Throws std::runtime_error that names the file and the place:
/// no JSON, a member that is missing, unknown, there twice or of another kind, a date that is none, a row that there
/// cannot be, ranges that do not ascend or are not as many inputs as is said.
[[nodiscard]] Baseline read_baseline(const std::filesystem::path& path);

} // namespace mxcert::gate
