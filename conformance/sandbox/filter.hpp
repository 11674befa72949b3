// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/filter.h>

#include <vector>

#include "conformance/sandbox/filter_rules.hpp"

namespace mxcert::sandbox {

/// Whether this kernel takes filters of system calls, and mxcert has one for this processor.
[[nodiscard]] bool filters_are_known();

/// The filter. System calls of another processor's interface, such as those of 32-bit programs, do not exist in it.
[[nodiscard]] std::vector<sock_filter> make_filter(const StandIn& stand_in);

/// Restricts this thread, and what it starts, for good. An error code; 0: it is restricted. Precondition:
/// PR_SET_NO_NEW_PRIVS is set.
[[nodiscard]] int restrict_by(const std::vector<sock_filter>& filter);

} // namespace mxcert::sandbox
