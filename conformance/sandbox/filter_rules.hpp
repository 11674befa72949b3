// SPDX-License-Identifier: Apache-2.0
#pragma once

// The table of system calls that the sandbox refuses. docs/threat-model.md says it in words.

#include <cerrno>
#include <cstdint>
#include <vector>

#include <sys/types.h>

namespace mxcert::sandbox {

/// The parts that a filter of system calls refuses where Landlock does not. It is coarser: it cannot know which
/// processes are the backend's own.
struct StandIn {
    bool ptrace = false;  ///< refuse ptrace() and its like altogether
    bool signals = false; ///< refuse signals to this process, and to all at once
    pid_t harness = 0;    ///< the process that it must not reach
};

/// What an argument of a system call, or half of it, must be for a rule to hold: `(argument & mask) == value`, or
/// unequal.
struct Condition {
    unsigned argument = 0;
    std::uint32_t value = 0;
    bool equal = true;
    bool upper = false; ///< the upper half of its 64 bits
    std::uint32_t mask = 0xFFFFFFFF;
};

/// A system call that is refused where all conditions hold.
struct Rule {
    int number = -1; ///< -1: this processor does not have it
    int error = EPERM;
    std::vector<Condition> conditions{};
};

[[nodiscard]] std::vector<Rule> filter_rules(const StandIn& stand_in);

} // namespace mxcert::sandbox
