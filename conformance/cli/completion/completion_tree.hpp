// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "conformance/cli/completion/completion_values.hpp"

// The program as every shell completes it. A script walks over the words before the cursor and
// keeps the command ("vectors export"), the option that waits for a value, and the number of positional arguments. The
// command and one of the others, with a space between, are the target.
namespace mxcert::cli {

/// Where something can be completed: "certify --color", "certify 0" for the first positional argument, "certify -" for
/// the options themselves.
struct CompletionTarget {
    std::string text;
    bool any_place = false; ///< the number of a positional argument follows, whichever it is
};

/// What is offered at some targets.
struct CompletionOffer {
    std::vector<std::string> words; ///< of letters, digits and "_-.=+" alone
    CompletionValues::Files files = CompletionValues::Files::none;
    std::vector<CompletionTarget> targets;
};

struct CompletionTree {
    std::vector<std::string> commands; ///< a command and a word, where the word is a command within it: " certify"
    std::vector<std::string> options;  ///< a command and an option that takes a value: "certify --color"
    std::vector<CompletionOffer> offers;
};

/// Of the whole program. Throws std::logic_error for a word that a shell would not take as it is.
[[nodiscard]] CompletionTree completion_tree(const CLI::App& app);

/// "all", "backends" or "folders"; "" for none.
[[nodiscard]] const char* word_of(CompletionValues::Files files);

/// The script for a shell.
[[nodiscard]] std::string bash_script(const CompletionTree& tree);
[[nodiscard]] std::string zsh_script(const CompletionTree& tree);
[[nodiscard]] std::string fish_script(const CompletionTree& tree);

} // namespace mxcert::cli
