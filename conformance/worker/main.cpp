// SPDX-License-Identifier: Apache-2.0
// mxcert-worker PLUGIN: serves a backend's shared library to the harness over standard input and output
// (docs/frames.md). mxcert-worker --pipe NAME COMMAND CONVERSION...: serves a program that answers lines. Exit: 0 after
// END; 1 if the backend cannot be used, the protocol is broken or a stream fails; 2 for a usage error.
#include <sys/prctl.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/worker/pipe.hpp"
#include "conformance/worker/serve.hpp"

namespace {

using namespace mxcert::worker;

constexpr const char* usage =
    R"(usage: mxcert-worker PLUGIN
       mxcert-worker --pipe NAME COMMAND CONVERSION:RANDOM_BITS...
Loads the shared library of a backend, or starts a program that answers lines of hexadecimal, and exchanges frames with
mxcert through standard input and output. `mxcert certify PLUGIN` starts it; `mxcert worker BACKEND` runs it by hand:
  mxcert worker ./my_kernel.so < requests.mxcf > responses.mxcf
)";

std::unique_ptr<Plugin> open_backend(const std::vector<std::string>& arguments) {
    if (arguments.size() == 1) return std::make_unique<Plugin>(arguments.front());
    const auto conversions = std::span(arguments).subspan(3);
    return std::make_unique<Plugin>(pipe_api(arguments[1], arguments[2], conversions), arguments[1], pipe_batch);
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() == 1 && (arguments.front() == "--help" || arguments.front() == "-h")) {
        std::cout << usage;
        return 0;
    }
    const bool is_pipe = arguments.size() > 3 && arguments.front() == "--pipe";
    if (!is_pipe && (arguments.size() != 1 || arguments.front().starts_with('-'))) {
        std::cerr << usage;
        return 2;
    }
    try {
        // A backend that hangs reads no end of file: it must not outlive a harness that was killed.
        static_cast<void>(::prctl(PR_SET_PDEATHSIG, SIGKILL));
        // A harness that went away shows as an error of write(), not as a signal.
        static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
        const Streams streams = take_streams();
        std::unique_ptr<Plugin> plugin;
        try {
            plugin = open_backend(arguments);
        } catch (const std::exception& e) {
            refuse(streams, e.what());
            return 1;
        }
        Server(*plugin, streams).run();
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "mxcert-worker: " << e.what() << '\n';
        return 1;
    }
}
