// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conformance/frames/repeated_run.hpp"
#include "conformance/frames/run.hpp"
#include "conformance/observe/backend_spec.hpp"
#include "conformance/observe/observation.hpp"
#include "conformance/observe/piece.hpp"
#include "conformance/observe/turns.hpp"

namespace mxcert::observe {

struct Workers;

/// What starts the workers of a backend. Throws as WorkerStarter does, and std::runtime_error as worker_program() does.
[[nodiscard]] WorkerStarter starter_of(const BackendSpec& spec, const ObserveOptions& options);

/// A running set of workers of one backend. Starting it starts one worker and reads its HELLO.
class WorkerPool {
  public:
    /// Throws std::runtime_error with a one-line reason if the worker cannot start or its HELLO is broken.
    WorkerPool(const BackendSpec& spec, ObserveOptions options);
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    [[nodiscard]] const BackendInfo& info() const;

    /// Sends every input of a source of up to 32 bits, or of one with a given scale. `permitted` is used to choose
    /// poison that no permitted answer has, and the order of the inputs. Never throws for what the backend does: that
    /// is in the status.
    [[nodiscard]] Observation observe(const Conversion& conversion, const Permitted& permitted);

    /// Sends the inputs of a piece of what observe() sends. Observation::partial has the answers of a share, `chosen`
    /// is set then.
    [[nodiscard]] Observation observe_piece(const Conversion& conversion, const Permitted& permitted,
                                            const Piece& piece);
    /// Sends what observe() sends once more in every place of calls, and large calls: after their answers alone, which
    /// are the points. Passes if no answer depended on its place.
    [[nodiscard]] Observation observe_places(const Conversion& conversion, const Permitted& permitted);

    /// Sends the given inputs (any source, or stochastic roundings: then with their random words). Where it is known
    /// what is permitted, by any random word, some are sent once more in every place of calls, and in large calls.
    [[nodiscard]] Observation observe_points(const Conversion& conversion, const std::vector<inputs::Point>& inputs,
                                             const PermitTable* permitted);

    /// Sends every input of a part of a sweep (sweep.hpp): Observation::partial has the answers, and `chosen` is set.
    /// 1 in 16 requests is repeated. Never throws for what the backend does.
    [[nodiscard]] Observation sweep(const SweepPart& part, const PermitTable* permitted);

    /// Runs an operation of info().operations twice, the outputs filled with one byte and then another, on one worker;
    /// after a failure on a new one. Never throws for what the backend does.
    [[nodiscard]] frames::RunAnswer run(const Operation& operation, const frames::RunCase& run_case);
    /// The same for arrays that repeat a period and may be too large to be copied. Untested: the worker may not take
    /// that much memory.
    [[nodiscard]] frames::RepeatedAnswer run_repeated(const Operation& operation, const frames::RepeatedRun& run);
    /// Ends the worker of the runs, if there is one. "" if its counts are right and it ended well; otherwise the
    /// reason.
    [[nodiscard]] std::string end_runs();

    /// Asks a new worker for a call of each conversion and operation with steady answers so far, in turn, and compares
    /// the answers with those that came. Never throws for what the backend does.
    [[nodiscard]] TurnsSeen ask_turns() const;
    /// The calls of this pool, and of others that share them.
    [[nodiscard]] std::shared_ptr<Turns> turns() const;
    void share(std::shared_ptr<Turns> turns);

  private:
    std::unique_ptr<Workers> workers_;
};

} // namespace mxcert::observe
