// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reference/bug_class.hpp"

namespace mxcert {

/// A known way to all answers of an operation's cases that were kept, the right ones too.
struct KnownFault {
    const BugClass* bug_class = nullptr; ///< what it is a bug of
    std::string how;                     ///< "the scales of A taken for their transpose"
};

/// "twice or layout linear"; "" of none.
[[nodiscard]] std::string text(const std::vector<KnownFault>& faults);

/// What a reason ends with: "; it is twice or layout linear"; "" of none.
[[nodiscard]] std::string it_is(const std::vector<KnownFault>& faults);

} // namespace mxcert
