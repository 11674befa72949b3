// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conformance/verdict/verdict.hpp"

namespace mxcert::report {

/// In which places of a call the inputs were asked, and what that may have missed; "" where no call was arranged.
[[nodiscard]] std::string places_note(const std::vector<verdict::Row>& rows);

/// The last of that in one line: an error in how few values may have been missed; "" where no call was arranged.
[[nodiscard]] std::string missed_note(const std::vector<verdict::Row>& rows);

/// How many calls one worker was asked in turn; "" if it was not.
[[nodiscard]] std::string turns_note(const std::optional<observe::TurnsSeen>& turns);

} // namespace mxcert::report
