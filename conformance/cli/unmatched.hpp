// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conformance/observe/subject.hpp"

namespace mxcert::cli {

/// The names that `--filter` selects from: the conversions and the rows of operations that a backend offers, and the
/// provisions of all profiles.
[[nodiscard]] std::vector<std::string> selectable(const observe::BackendInfo& info);

/// Says on standard error which patterns match none of these names, each with the nearest pattern that matches one: a
/// misspelt filter would leave rows out unseen. `option` is what gave them: "--filter".
void tell_unmatched(const std::string& option, const std::vector<std::string>& patterns,
                    const observe::BackendInfo& info);

} // namespace mxcert::cli
