// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "conformance/observe/exchange.hpp"
#include "conformance/observe/observation.hpp"
#include "conformance/observe/schedule.hpp"
#include "conformance/observe/worker_client.hpp"

namespace mxcert::observe {

/// What the threads of one observation have in common.
struct Asking {
    const Exchange& exchange;
    std::uint32_t index; ///< of the conversion or operation in HELLO
    const ObserveOptions& options;
    Schedule& schedule;
    /// Starts a worker like the first one. Throws std::runtime_error.
    std::function<std::unique_ptr<WorkerClient>()> start;
};

/// One thread's share of an observation: keeps its worker busy with up to process::layout::slots requests, looks at
/// what comes back, asks again, and starts a new worker after a crash.
class Asker {
  public:
    explicit Asker(Asking& asking) : asking_(asking) {}
    /// Until no block is left. `worker` may be null.
    void run(std::unique_ptr<WorkerClient> worker);

  private:
    struct Task {
        std::size_t block = 0;
        bool again = false;      ///< asked a second time
        std::vector<Step> steps; ///< of the first time, if again
        std::uint64_t rest = 0;  ///< the same: what came with them
    };
    struct Request {
        Task task;
        std::uint64_t slot = 0;

        [[nodiscard]] Exchange::Turn turn() const { return {slot, task.again}; }
    };

    [[nodiscard]] bool start_worker();
    void fill();
    [[nodiscard]] std::optional<Task> next_task();
    void send(Task task);
    /// False if the observation was stopped.
    [[nodiscard]] bool receive();
    void look_at(Request& request);
    void compare(const Task& task, const Exchange::Reading& again);
    void keep(const Task& task, BlockResult result);
    [[nodiscard]] BlockFailure flaw_of(const inputs::Block& block, const std::string& reason, Status status);
    void fail(const Task& task, Status status, const std::string& reason,
              BlockFailure::Kind kind = BlockFailure::Kind::other);
    void worker_gone(const Request& request, const std::string& reason, BlockFailure::Kind kind);
    void look_for_far_writes();

    Asking& asking_;
    std::unique_ptr<WorkerClient> worker_;
    std::deque<Task> queue_;     ///< to be sent before new blocks are taken
    std::deque<Request> flying_; ///< sent, oldest first
    std::vector<std::uint64_t> free_slots_;
    Exchange::Scratch scratch_;
};

/// Two outcomes must say the same of these blocks; else the first one gets a failure that begins with `what`.
void compare_outcomes(const Exchange& exchange, const std::vector<inputs::Block>& blocks, Schedule::Outcome& outcome,
                      const Schedule::Outcome& other_outcome, const std::string& what);

} // namespace mxcert::observe
