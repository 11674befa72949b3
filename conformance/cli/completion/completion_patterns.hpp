// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conformance/cli/completion/completion_tree.hpp"

// Bash and zsh have the same `case` statement.
namespace mxcert::cli {

/// The script of a shell from its text: {version}; {words}, the body of the loop over the words before the cursor,
/// which leaves the command, its option that waits for a value and the number of its arguments so far; {values}, the
/// arms of a `case` of the target, which set `candidates` to words with spaces between, and `files`.
[[nodiscard]] std::string case_script(const char* text, const CompletionTree& tree);

} // namespace mxcert::cli
