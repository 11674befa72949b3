// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "conformance/observe.hpp"
#include "conformance/observe_schedule.hpp"
#include "conformance/worker_client.hpp"

namespace mxcert {

/// What the threads of one observation have in common.
struct Asking {
    const Conversion& conversion;
    std::uint32_t index;              ///< of the conversion in HELLO
    const std::vector<Point>* points; ///< sorted; nullptr for a range
    const ObserveOptions& options;
    Schedule& schedule;
    /// Starts a worker like the first one. Throws std::runtime_error.
    std::function<std::unique_ptr<WorkerClient>()> start;
    std::uint64_t largest = 0; ///< values of the largest block

    /// "inputs 00000000 to 0003FFFF", for reasons.
    [[nodiscard]] std::string name_of(const Block& block) const;
    /// The input at a position.
    [[nodiscard]] Code input_at(std::uint64_t position) const;
};

/// One thread's share of an observation: keeps its worker busy with up to layout::slots requests, looks at what comes
/// back, asks again, and starts a new worker after a crash.
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
    };
    struct Request {
        Task task;
        std::uint64_t slot = 0;
        frames::ConvertRequest frame;
        std::uint8_t poison = 0;
    };

    [[nodiscard]] bool start_worker();
    void fill();
    [[nodiscard]] std::optional<Task> next_task();
    void send(Task task);
    void write_inputs(const Block& block, frames::ConvertRequest& frame);
    /// False if the observation was stopped.
    [[nodiscard]] bool receive();
    void look_at(Request& request);
    void compare(const Task& task, const std::vector<Step>& again);
    void keep(const Task& task, BlockResult result);
    [[nodiscard]] std::string damage(const Request& request);
    void fail(const Task& task, Status status, const std::string& reason,
              BlockFailure::Kind kind = BlockFailure::Kind::other);
    void worker_gone(const Request& request, const std::string& reason, BlockFailure::Kind kind);
    void look_for_far_writes();

    Asking& asking_;
    std::unique_ptr<WorkerClient> worker_;
    std::deque<Task> queue_;     ///< to be sent before new blocks are taken
    std::deque<Request> flying_; ///< sent, oldest first
    std::vector<std::uint64_t> free_slots_;
};

} // namespace mxcert
