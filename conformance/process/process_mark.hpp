// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mxcert::process {

/// An entry for the environment of a process, by which it and what it starts are known: "NAME=VALUE". No other process
/// has had it since the machine started.
[[nodiscard]] std::string new_mark();
/// Whether an entry of an environment is some process's mark.
[[nodiscard]] bool is_mark(std::string_view entry);
/// Kills every process of this user whose environment has the mark, until there is none.
void kill_marked(const std::string& mark);

} // namespace mxcert::process
