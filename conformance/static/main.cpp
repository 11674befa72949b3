// SPDX-License-Identifier: Apache-2.0
// The program that stands alone. Started with linked_worker_argument, it is the worker.
#include <openssl/crypto.h>

#include "conformance/cli/commands.hpp"
#include "conformance/observe/linked_in.hpp"
#include "conformance/static/golden.hpp"

int mxcert_worker_main(int argc, char** argv); // main() of conformance/worker/main.cpp

int main(int argc, char** argv) {
    using namespace mxcert;
    if (argc > 1 && argv[1] == observe::linked_worker_argument) return mxcert_worker_main(argc - 1, argv + 1);
    // The machine's openssl.cnf may ask for modules, which a static program cannot load.
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
    embed_golden_files(golden_inside());
    observe::link_in("portable");
    return cli::run(argc, argv);
}
