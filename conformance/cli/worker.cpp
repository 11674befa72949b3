// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/print/terminal.hpp"

namespace mxcert::cli::worker_command {
namespace {

struct Options {
    std::string backend;
    BackendOptions run; ///< of these the pipe alone
};

/// Becomes the process of the backend, with the standard streams of this one.
[[noreturn]] void worker_command(const Options& options) {
    std::vector<std::string> command = observe::command_of(observe::resolve_backend(options.backend));
    if (print::is_terminal(stdout))
        throw std::invalid_argument("frames are binary and standard output is a terminal: redirect it to a file; "
                                    "mxcert backends BACKEND shows what a backend offers");
    std::vector<char*> arguments;
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv(arguments.front(), arguments.data());
    throw std::system_error(errno, std::generic_category(), command.front());
}

constexpr const char* footer =
    R"(Reads requests as frames from standard input and writes answers to standard output, until END or the end of the input. It
is what certify starts for each of its jobs; scripts use it to answer requests from files (docs/offline.md).

Exit codes: 0 END was reached; 1 the backend cannot be loaded or the frames are broken; 2 usage or file error.

Examples:
  mxcert worker ./my_kernel.so < device/requests.mxcf > device/responses.mxcf
  mxcert worker --pipe ./emulator --conversion fp32-e4m3-nearest_even-sat < requests.mxcf > responses.mxcf)";

void add_worker_command(CLI::App& app, Exit& /*exit*/) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("worker", "Run a backend process by hand: frames in, frames out");
    add_backend_argument(*command, options->backend, options->run, "The backend to run");
    command->footer(footer);
    command->callback([options] {
        take_backend(options->backend, options->run);
        worker_command(*options);
    });
}

const Command registered{Group::test, "worker", add_worker_command};

} // namespace
} // namespace mxcert::cli::worker_command
