// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/fuzz/fuzz_case.hpp"
#include "conformance/observe/worker_client.hpp"
#include "conformance/observe/worker_pool.hpp"

namespace mxcert::fuzz {

/// What came of a case.
struct FuzzAnswer {
    enum class Kind : std::uint8_t {
        codes, ///< one for each value
        // It misbehaved, and `reason` says how:
        died,     ///< crash or exit
        memory,   ///< it took more than it may
        hung,     ///< nothing came in time
        broke,    ///< it broke the protocol
        no_start, ///< it cannot be started again
        failed,   ///< the backend said so
        damage,   ///< it wrote where it must not
        // The backend is not to blame:
        unsupported, ///< it said so
        stopped,     ///< the stop flag was set, or the time is over
    };
    Kind kind = Kind::codes;
    std::vector<Code> codes;
    std::string reason;
    std::string detail; ///< last lines of the worker's stderr, when it died

    /// The same for all that misbehaves in one way: how it died or what it damaged, else the kind. A reason may have
    /// numbers that change from run to run.
    [[nodiscard]] std::string cause() const;
};

/// Asks a backend. `poison` fills the output buffer before the call.
using AskFuzzCase = std::function<FuzzAnswer(const FuzzCase& fuzz_case, std::uint8_t poison)>;

/// One worker that is asked case after case, in the given order of values. A new one is started after a crash.
class FuzzWorker {
  public:
    FuzzWorker(observe::BackendSpec spec, observe::ObserveOptions options)
        : spec_(std::move(spec)), options_(std::move(options)), starter_(observe::starter_of(spec_, options_)) {}

    /// Never throws for what the backend does. A conversion it does not offer is unsupported.
    [[nodiscard]] FuzzAnswer ask(const FuzzCase& fuzz_case, std::uint8_t poison);
    /// Ends the worker as the protocol has it. "" if it ended well, or the stop flag was set; else what it did, of
    /// which no answer told.
    [[nodiscard]] std::string finish();

  private:
    void start();
    [[nodiscard]] FuzzAnswer ask_once(const FuzzCase& fuzz_case, std::uint8_t poison);
    [[nodiscard]] FuzzAnswer read(const FuzzCase& fuzz_case, const frames::ConvertRequest& request);
    [[nodiscard]] bool is_stopped() const { return options_.stop != nullptr && options_.stop->load(); }
    /// Whether there was a write far outside the buffers since the last look. Precondition: there is a worker.
    [[nodiscard]] bool look_for_far_writes();

    observe::BackendSpec spec_;
    observe::ObserveOptions options_;
    observe::WorkerStarter starter_;
    std::unique_ptr<observe::WorkerClient> worker_;
    std::vector<Conversion> offers_;
    std::vector<std::uint32_t> indices_; ///< in HELLO, of offers_
    unsigned since_look_ = 0;            ///< requests of this worker since the last look for far writes
    unsigned look_after_ = 1;            ///< requests
    bool wrote_far_ = false;             ///< at some time
    bool wrote_far_unknown_ = false;     ///< and it is not known in which case
};

} // namespace mxcert::fuzz
