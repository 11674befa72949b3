// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace mxcert::cli {

/// Adds `mxcert vectors export`.
void add_vectors_export(CLI::App& vectors);

} // namespace mxcert::cli
