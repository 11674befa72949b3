// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace mxcert::cli {

/// What an option takes, for people: "N from 0 to 1024", "{auto,always,never}", "GLOB"; "" for a flag.
[[nodiscard]] std::string value_of(const CLI::Option& option);

/// What is wrong with the arguments of a command, in plain words with the option named as it was given. `command`: the
/// innermost that was asked for.
[[nodiscard]] std::string usage_error(const CLI::ParseError& error, const CLI::App& command);

/// Writes options of a help text with value_of() and their default.
class HelpText : public CLI::Formatter {
  public:
    [[nodiscard]] std::string make_option_opts(const CLI::Option* option) const override;
};

} // namespace mxcert::cli
