// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conformance/files/json_members.hpp"

namespace mxcert::evidence {

/// Where a report claims anything else than the report that follows from its record: "rows[2] compared: 65,536, and the
/// record gives 65,535". Everything counts but times, machines, the number of workers, and the commands that run
/// something again. `is_kept`: the run kept its answers in the record, so the report does not name one.
[[nodiscard]] std::vector<std::string> differences_from_record(const files::Json& claimed, const files::Json& derived,
                                                               bool is_kept);

} // namespace mxcert::evidence
