// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "conformance/gate/gate.hpp"

namespace mxcert::html {

/// What a gate says, beside its rows.
struct GateVerdict {
    std::string baseline; ///< its file
    std::string sentence; ///< that the command ends with: "DIFFERENT: ..."
    int exit_code = 0;
};

/// The result of `gate` as a page: rows that are not as the baseline says, acknowledged deviations, and coverage. At
/// most so many answers are listed of a row.
[[nodiscard]] std::string gate_page(const std::vector<gate::GateRow>& rows, const report::Report& report,
                                    const GateVerdict& verdict, std::size_t most);

} // namespace mxcert::html
