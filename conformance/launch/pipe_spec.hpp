// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "reference/conversion.hpp"

namespace mxcert::launch {

/// A program that answers lines of hexadecimal with such lines (docs/pipe.md), as the backend
/// `pipe:CONVERSION[,CONVERSION...]:COMMAND`.
struct PipeSpec {
    std::string command; ///< for /bin/sh
    std::vector<Conversion> conversions;
};

/// Whether a BACKEND is written so.
[[nodiscard]] bool is_pipe(std::string_view argument);

/// Throws std::invalid_argument, with the form that is expected, for anything else, no command or no conversion.
[[nodiscard]] PipeSpec parse_pipe(std::string_view argument);

/// The BACKEND of a command and its conversions, which parse_pipe() reads.
[[nodiscard]] std::string pipe_argument(std::string_view command, const std::vector<std::string>& conversions);

/// The file that a command starts: its first word, where that is a path; empty where the shell has to find it. Throws
/// std::invalid_argument if the file cannot be run, as flaw_of_file() says.
[[nodiscard]] std::filesystem::path program_of(const PipeSpec& pipe);

/// The name of a command in reports: its first word without folders.
[[nodiscard]] std::string name_of(const PipeSpec& pipe);

/// The arguments of the worker that serves a pipe (conformance/worker/pipe.hpp).
[[nodiscard]] std::vector<std::string> worker_arguments(const PipeSpec& pipe);

} // namespace mxcert::launch
