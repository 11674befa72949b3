// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/observe/worker_pool.hpp"

namespace mxcert::cli {

/// What the processes of a backend may do.
struct SandboxOptions {
    std::string mode = "default";      ///< --sandbox, or $MXCERT_SANDBOX
    std::vector<std::string> readable; ///< --sandbox-read

    void give(observe::ObserveOptions& observe) const;
    /// As they are given to the program; none for the default mode.
    [[nodiscard]] std::vector<std::string> words() const;
};
/// --sandbox and --sandbox-read.
void add_sandbox_options(CLI::App& command, SandboxOptions& options);

/// The options of every command that asks a backend.
struct BackendOptions {
    std::string pipe;                     ///< --pipe; "": not given
    std::vector<std::string> conversions; ///< --conversion: those of the pipe
    unsigned jobs = 0;
    double timeout = 10;                       ///< seconds
    double start_timeout = 30;                 ///< seconds
    std::optional<std::uint64_t> memory_limit; ///< MiB; 0: none
    std::uint64_t seed = 1;
    std::string backend_option;
    std::string color = "auto";
    bool quiet = false;
    SandboxOptions sandbox;
    std::string level;        ///< "": not given
    std::uint64_t budget = 0; ///< 0: not given

    [[nodiscard]] bool level_given() const { return !level.empty() || budget != 0; }
    /// What was given, or the default.
    [[nodiscard]] LevelOf asked_level() const;
    void set_level(const LevelOf& wanted);
};

/// How workers are run: --jobs, time and memory that they may take, --color and --quiet.
void add_worker_options(CLI::App& command, BackendOptions& options);
/// The same, and what they are asked with: --seed and --backend-option.
void add_backend_options(CLI::App& command, BackendOptions& options);

/// BACKEND, and in its place --pipe with --conversion. `what` says what is done with it.
void add_backend_argument(CLI::App& command, std::string& backend, BackendOptions& options, const std::string& what);
/// Once the command is parsed: makes a BACKEND of --pipe, if that was given. Throws CLI::RequiredError if there is
/// none.
void take_backend(std::string& backend, const BackendOptions& options);

/// `--level`; where `few` also smoke, and `--budget`.
void add_level_options(CLI::App& command, BackendOptions& options, bool few);

/// `--samples-per-step`, with the same default for every command that has it.
CLI::Option* add_samples_option(CLI::App& command, unsigned& samples);

/// For the harness. `stop` must outlive every use.
[[nodiscard]] observe::ObserveOptions observe_options(const BackendOptions& options, const std::atomic<bool>& stop);

/// SIGINT and SIGTERM set this flag from now on, the second one ends the program at once.
[[nodiscard]] const std::atomic<bool>& stop_on_signals();

} // namespace mxcert::cli
