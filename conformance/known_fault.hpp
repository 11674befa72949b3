// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reference/bug_class.hpp"

namespace mxcert {

/// A known way to all answers of an operation's cases that were kept, the right ones too.
struct KnownFault {
    const BugClass* bug_class = nullptr; ///< what it is a bug of
    std::string how;                     ///< "the scales of A transposed"
};

/// "twice or layout linear"; "" of none.
[[nodiscard]] std::string text(const std::vector<KnownFault>& faults);

/// The end of a reason: "; cause: twice or layout linear"; "" of none.
[[nodiscard]] std::string it_is(const std::vector<KnownFault>& faults);

} // namespace mxcert
