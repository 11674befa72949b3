// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conformance/frames/frames.hpp"
#include "conformance/observe/backend_spec.hpp"
#include "conformance/process/loaded_files.hpp"
#include "conformance/process/process.hpp"
#include "conformance/process/shared_memory.hpp"
#include "conformance/sandbox/sandbox.hpp"

namespace mxcert::observe {

/// What came of a request.
struct Answer {
    enum class Kind : std::uint8_t {
        result,      ///< the outputs lie in the memory
        unsupported, ///< the backend said so; `message` is its own
        error,       ///< the backend said so; `message` is its own
        // The worker has been ended, and `message` says why:
        died,    ///< crash or exit
        hung,    ///< nothing came in time
        broke,   ///< it broke the protocol
        stopped, ///< the stop flag was set
    };
    Kind kind = Kind::result;
    std::string message;
    bool over_memory = false; ///< died: it was ended for the memory it took
};

/// What a worker may take.
struct WorkerLimits {
    std::chrono::milliseconds start{30'000}; ///< until its HELLO: a driver may need its time
    /// Bytes of memory that are resident in it; more ends it. 0: no limit.
    std::uint64_t memory = half_of_memory();

    std::uint64_t run_bytes = process::layout::run_bytes; ///< that are shared for runs and for large calls

    /// Of the machine.
    [[nodiscard]] static std::uint64_t half_of_memory();
};

/// One worker process and its side of the frames. Requests are answered in the order they were sent.
class WorkerClient {
  public:
    /// Starts the process and reads its HELLO. `sandbox`: null for none. Throws std::runtime_error with a one-line
    /// reason.
    WorkerClient(const BackendSpec& spec, const std::string& backend_options, const WorkerLimits& limits,
                 const std::atomic<bool>* stop, std::shared_ptr<const sandbox::Sandbox> sandbox,
                 std::shared_ptr<process::SharedMemory> memory);

    /// The payload of its HELLO.
    [[nodiscard]] const std::string& hello() const { return hello_; }
    /// Has noted what it loaded: now, and at finish().
    void note_loaded(std::shared_ptr<process::LoadedFiles> loaded);
    /// The memory that requests refer to, as `layout` divides it. A worker that does not share it gets and sends values
    /// in frames, and the memory is filled from these.
    [[nodiscard]] std::span<std::byte> memory() const { return memory_->bytes(); }
    /// Whether the arrays of runs are used where they lie in it; if not they are sent in frames.
    [[nodiscard]] bool shares_runs() const { return shared_runs_; }
    /// To be called after a run whose arrays lay in the first `bytes` bytes of process::layout::runs, if they were
    /// large.
    void forget_runs(std::uint64_t bytes) { memory_->forget(process::layout::runs, bytes); }

    /// Sends a request. Offsets must lie in memory(); `value_bytes` are the sizes of an input and of an output.
    void send(const frames::ConvertRequest& request, unsigned input_bytes, unsigned output_bytes);
    /// The same for inputs that the worker makes. Only if it takes them.
    void send(const frames::ConvertRequest& request, const frames::Interleaved& streams, unsigned output_bytes);
    [[nodiscard]] bool takes_interleaved() const { return interleaved_; }
    /// Whether it takes ranges.
    [[nodiscard]] bool takes_ranges() const { return ranges_; }
    /// Sends a request for a range. Precondition: takes_ranges().
    void send(const frames::RangeRequest& request);
    /// What the RESULT of the last request for a range had: not more steps than were asked for; nothing else is known
    /// of them.
    [[nodiscard]] const std::vector<frames::RangeStep>& steps() const { return steps_; }
    /// Sends a run of an operation. Every array must have an offset in memory().
    void send(const frames::RunRequest& request);
    /// Waits for the answer to the oldest request. Precondition: there is one.
    [[nodiscard]] Answer receive(std::chrono::milliseconds timeout);
    /// Exchanges END frames and waits for the exit. "" if all counts are right and it ended with 0; otherwise the
    /// reason.
    [[nodiscard]] std::string finish(std::chrono::milliseconds timeout);

    /// The last lines of its standard error, made printable.
    [[nodiscard]] std::string last_words();

  private:
    struct Expected {
        std::uint64_t id = 0;
        std::uint64_t count = 0;
        std::vector<frames::Array> outputs; ///< in the RESULT, one after the other; they go to their offsets
        std::uint32_t most_steps = 0;       ///< of a range; 0: it is none
    };
    struct Received {
        enum class Kind : std::uint8_t { frame, died, hung, broke, stopped } kind = Kind::frame;
        frames::Frame frame;
        std::string reason;
        bool over_memory = false;
    };

    void queue(frames::Type type, std::uint64_t id, std::span<const std::byte> payload);
    void flush();
    [[nodiscard]] Received next_frame(std::chrono::milliseconds timeout);
    [[nodiscard]] Answer judge(const frames::Frame& frame, const Expected& expected);
    [[nodiscard]] Answer judge_steps(const frames::Frame& frame, const Expected& expected);
    [[nodiscard]] Answer judge_failed(const frames::Frame& frame);
    /// Ends the worker for breaking the protocol.
    [[nodiscard]] Answer broke_protocol(const std::string& how);
    [[nodiscard]] std::string reason_of_end();
    /// Ends a worker that takes more memory than it may: then the reason.
    [[nodiscard]] std::string watch_memory();

    // They outlast the process.
    std::shared_ptr<const sandbox::Sandbox> sandbox_;
    std::shared_ptr<process::SharedMemory> memory_;
    process::Process process_;
    const std::atomic<bool>* stop_;
    std::uint64_t memory_limit_;
    std::chrono::steady_clock::time_point memory_looked_at_;
    frames::Decoder decoder_;
    std::vector<std::byte> outgoing_; ///< not yet taken by the worker, from flushed_ on
    std::size_t flushed_ = 0;
    std::deque<Expected> expected_;
    frames::EndCounts sent_;
    std::string hello_;
    bool shared_ = true;
    bool shared_runs_ = false;
    bool interleaved_ = false; ///< as its HELLO says
    bool ranges_ = false;
    std::vector<frames::RangeStep> steps_;
    std::shared_ptr<process::LoadedFiles> loaded_;
};

/// Starts the workers of a backend: all in one sandbox, with memory that the next one uses again. Any number of threads
/// may use it.
class WorkerStarter {
  public:
    /// Sets up the sandbox. `stop` as WorkerClient has it. Throws std::system_error if it cannot.
    WorkerStarter(BackendSpec spec, std::string backend_options, WorkerLimits limits, const std::atomic<bool>* stop,
                  const sandbox::Request& sandbox);

    /// A new worker. Throws as WorkerClient does.
    [[nodiscard]] std::unique_ptr<WorkerClient> start() const;
    [[nodiscard]] const sandbox::State& sandbox_state() const { return sandbox_->state(); }

  private:
    BackendSpec spec_;
    std::string backend_options_;
    WorkerLimits limits_;
    const std::atomic<bool>* stop_;
    std::shared_ptr<const sandbox::Sandbox> sandbox_;
    process::SpareMemory memory_;
};

} // namespace mxcert::observe
