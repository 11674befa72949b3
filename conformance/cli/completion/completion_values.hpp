// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mxcert::cli {

/// The candidates that a shell may offer for the value of an option or for a positional argument.
struct CompletionValues {
    enum class Files : std::uint8_t {
        none,
        all,
        backends, ///< plugins, programs and folders
        folders,
    };
    std::vector<std::string> words; ///< of letters, digits and "_-.=" alone
    Files files = Files::none;
};

/// For an option of a command: from the tables of names, the option's type and its checks. An option nobody thought of
/// gets files.
[[nodiscard]] CompletionValues completion_values(const CLI::App& command, const CLI::Option& option);

} // namespace mxcert::cli
