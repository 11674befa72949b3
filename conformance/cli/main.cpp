// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/commands.hpp"

int main(int argc, char** argv) { return mxcert::cli::run(argc, argv); }
