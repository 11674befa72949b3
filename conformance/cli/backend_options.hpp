// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "conformance/observe.hpp"

namespace mxcert::cli {

/// The options of every command that runs a backend.
struct BackendOptions {
    unsigned jobs = 0;
    double timeout = 10;                       ///< seconds
    double start_timeout = 30;                 ///< seconds
    std::optional<std::uint64_t> memory_limit; ///< MiB; 0: none
    std::uint64_t seed = 1;
    std::string backend_option;
    std::string color = "auto";
    bool quiet = false;
    bool every_input = false;
};

void add_backend_options(CLI::App& command, BackendOptions& options);

/// For the harness. `stop` must outlive every use.
[[nodiscard]] ObserveOptions observe_options(const BackendOptions& options, const std::atomic<bool>& stop);

/// SIGINT and SIGTERM set this flag from now on, the second one ends the program at once.
[[nodiscard]] const std::atomic<bool>& stop_on_signals();

} // namespace mxcert::cli
