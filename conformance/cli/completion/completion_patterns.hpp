// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conformance/cli/completion/completion_tree.hpp"

// The arms of `case` statements, the same in bash and zsh.
namespace mxcert::cli {

/// For "$command $word" where the word is a command: it becomes part of the command.
[[nodiscard]] std::string command_arm(const CompletionTree& tree);
/// ... where it is an option that takes a value: the next word is that.
[[nodiscard]] std::string option_arm(const CompletionTree& tree);
/// For a target: sets `candidates` to words with spaces between, and `files`.
[[nodiscard]] std::string value_arms(const CompletionTree& tree);

} // namespace mxcert::cli
