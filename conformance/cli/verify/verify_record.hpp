// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/running.hpp"
#include "conformance/evidence/record_files.hpp"
#include "conformance/evidence/slices.hpp"
#include "conformance/report/report.hpp"
#include "conformance/report/stored_report.hpp"

namespace mxcert::cli {

/// The run of a report once more, of a subject that answers. Never throws for what that does.
[[nodiscard]] report::Report run_again(observe::Subject& subject, Running& running, const report::StoredReport& stored,
                                       const std::string& backend);

/// The backend that is asked again while a record is judged; none if `backend` is null.
struct AskAgainOptions {
    observe::Subject* backend = nullptr;
    std::uint64_t slices = 0;
    std::uint64_t seed = 0;
};

/// What follows from a record.
struct DerivedReport {
    report::Report report;
    std::string description; ///< "3 units of 1 part"
    std::map<std::string, evidence::RowSlices> asked_again;
    std::vector<std::string> differences; ///< between the record and what came when it was asked again
};

/// Judges the record as the run of the report was judged. Throws evidence::Refused where it is broken, has a hole, is
/// of another run, or cannot be judged like that.
[[nodiscard]] DerivedReport derive_report(const evidence::RecordFiles& record, const report::StoredReport& stored,
                                          const BackendOptions& run, const AskAgainOptions& again);

} // namespace mxcert::cli
