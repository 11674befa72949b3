// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/inputs/point.hpp"
#include "conformance/known_fault.hpp"
#include "conformance/level.hpp"
#include "conformance/observe/worker_client.hpp"
#include "conformance/process/loaded_files.hpp"
#include "conformance/sandbox/sandbox.hpp"
#include "conformance/status.hpp"
#include "reference/conversion.hpp"
#include "reference/operation/operation.hpp"
#include "vectors/tables/step_table.hpp"

namespace mxcert::observe {

/// What a backend says of itself (frame HELLO), and what the harness knows of its file.
struct BackendInfo {
    std::string name;
    std::string version;
    std::string description;
    std::string build_id; ///< SHA-256 of the plugin or program file, joined with the build of HELLO if there is one
    std::vector<Conversion> conversions;
    std::vector<Operation> operations;
    std::vector<std::string> unknown;  ///< offers the harness does not understand, as text with the reason
    std::vector<std::string> profiles; ///< it is held to when none is named; none: those that fit what it offers
    std::uint64_t max_batch = 0;       ///< values that a call may have at most; 0: any number
    bool makes_ranges = false;         ///< makes the inputs of a range itself
    bool one_worker = false;           ///< more would share one device: one asks, unless ObserveOptions::jobs says
    /// That it has imported, with their versions, as its HELLO says.
    std::map<std::string, std::string> packages{};
    std::optional<sandbox::State> sandbox_state{}; ///< that its workers are in; none of stored answers
};

struct ObserveOptions {
    unsigned jobs = 0;                         ///< worker processes; 0: one a core
    std::chrono::milliseconds timeout{10'000}; ///< a request of 256 Ki values may take this long, one for a range of
                                               ///< 2^26 inputs 17 times as long
    std::uint64_t seed = 1;                    ///< which requests are repeated, how they are cut, FP64 samples
    std::string backend_options;               ///< given to the backend's open()
    WorkerLimits limits;                       ///< of each worker process
    sandbox::Mode sandbox_mode = sandbox::Mode::standard; ///< what its processes may do
    std::vector<std::filesystem::path> readable{};        ///< in a strict sandbox: what they may read beside their own
    Level level = default_level; ///< whether sources with a given scale are asked whole, and the largest call
    std::uint64_t part = std::uint64_t{1} << 32; ///< inputs that are planned at once
    std::chrono::milliseconds narrowing{60'000}; ///< time for looking for the inputs that end the worker
    /// Called from time to time with inputs done and in all; may be empty.
    std::function<void(std::uint64_t done, std::uint64_t total)> progress;
    /// The same of a sweep through an operation, whose inputs nobody knew before.
    std::function<void(std::uint64_t done, std::uint64_t total)> swept{};
    /// Set to true from outside to stop early (a signal): the observation is INCOMPLETE.
    const std::atomic<bool>* stop = nullptr;
    /// Is told what each worker loaded; may be null.
    std::shared_ptr<process::LoadedFiles> loaded{};
};

/// Inputs that end the worker or hang it.
struct Culprit {
    Code first = 0;
    Code last = 0;            ///< the same for a single input
    std::uint64_t inputs = 1; ///< more than 1: none of them does it alone
    std::string how;          ///< "signal 11 (SIGSEGV)"
};

/// In which places of a call the inputs of a conversion were asked.
struct Places {
    std::uint64_t in_batches = 0; ///< inputs that came in calls: not only as ranges that the backend made itself
    std::uint64_t neighbours = 0; ///< values with another one before them in a request
    std::uint64_t differing = 0;  ///< of them, those whose answer is another than that of the one before
    std::uint64_t placed = 0; ///< values asked for once more: each boundary in every place of calls, and large calls
    std::uint64_t largest_call = 0; ///< values of the largest call for which all answers came; 0: none was large
    bool simplified = false;        ///< of answers that are permitted there were so many that one stands for all

    friend bool operator==(const Places&, const Places&) = default;
};

/// All that was seen of one conversion.
struct Observation {
    Conversion conversion;
    Status status = Status::untested; ///< pass: everything that was asked came back; fail: answers changed when they
                                      ///< were asked again; else unsupported, error, mistrusted, incomplete
    std::string reason;               ///< why not pass, one line
    std::string detail;               ///< last lines of the worker's stderr, when it died
    std::vector<Culprit> culprits;    ///< as far as they were looked for: at most two
    std::uint64_t inputs = 0;         ///< answered and kept: those of table, points or partial
    std::uint64_t repeated = 0;       ///< of those, asked a second time with other poison and cutting
    Places places;                    ///< of a conversion: where in a call its inputs were
    StepTable table; ///< every input was asked, complete; empty if the observation is not whole or irregular
    /// Some inputs were asked: the answered points, ascending by input.
    std::vector<inputs::Point> points;
    /// Not whole: the ranges that were answered, with their steps (a valid run-length encoding of each, gaps between
    /// them).
    std::vector<Step> partial;
    bool chosen = false;    ///< `partial` is all that was asked: inputs that were chosen
    bool kept = false;      ///< an earlier run asked (record/resume.hpp)
    bool irregular = false; ///< more than 2^20 steps: `partial` then holds the first 2^20
    /// Answers changed or were not written: they depend on more than the input, which alone need not show it again.
    bool unstable = false;
    std::optional<KnownFault> known_as; ///< how answers come to wrong places of a call, where that is known
    double seconds = 0;                 ///< wall time
};

/// How many workers ask, where ObserveOptions::jobs says so many: for 0 one a core, or one that a device has.
[[nodiscard]] unsigned jobs_of(unsigned jobs, const BackendInfo& info);

struct SweepPart;

/// What the profiles permit of the answers, if that is known.
struct Permitted {
    const PermitTable* by_any = nullptr; ///< what any of the profiles permits: poison is chosen by it
    const PermitTable* by_all = nullptr; ///< what all of them permit: answers that are too many are simplified by it

    Permitted() = default;
    Permitted(std::nullptr_t /*unknown*/) {} // NOLINT(google-explicit-constructor): nothing is known
    // NOLINTNEXTLINE(google-explicit-constructor): one table is what any and all of them permit
    Permitted(const PermitTable* table) : by_any(table), by_all(table) {}
    Permitted(const PermitTable* any, const PermitTable* all) : by_any(any), by_all(all) {}
};

} // namespace mxcert::observe
