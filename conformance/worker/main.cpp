// SPDX-License-Identifier: Apache-2.0
// mxcert-worker PLUGIN: serves a backend's shared library to the harness over standard input and output
// (docs/frames.md). Exit: 0 after END; 1 if the plugin cannot be used, the protocol is broken or a stream fails; 2 for
// a usage error.
#include <sys/prctl.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "conformance/worker/serve.hpp"

int main(int argc, char** argv) {
    using namespace mxcert::worker;
    if (argc != 2) {
        std::cerr << "usage: mxcert-worker PLUGIN\n"
                     "Loads a backend's shared library and speaks frames on standard input and output.\n";
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
            plugin = std::make_unique<Plugin>(argv[1]);
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
