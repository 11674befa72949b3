// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conformance/fuzz_case.hpp"
#include "conformance/observe.hpp"
#include "conformance/worker_client.hpp"

namespace mxcert {

/// What came of a case.
struct FuzzAnswer {
    enum class Kind : std::uint8_t {
        codes,       ///< one for each value
        gone,        ///< crash, timeout, broken protocol, or it cannot be started: `reason` says which
        error,       ///< the backend said so, or wrote where it must not
        unsupported, ///< the backend said so
        stopped,     ///< the stop flag was set
    };
    Kind kind = Kind::codes;
    std::vector<Code> codes;
    std::string reason;
    std::string detail; ///< last lines of the worker's stderr, when it died
};

/// Asks a backend. `poison` fills the output buffer before the call.
using AskFuzzCase = std::function<FuzzAnswer(const FuzzCase& fuzz_case, std::uint8_t poison)>;

/// One worker that is asked case after case, in the given order of values. A new one is started after a crash.
class FuzzWorker {
  public:
    FuzzWorker(const BackendSpec& spec, const ObserveOptions& options) : spec_(spec), options_(options) {}

    /// Never throws for what the backend does. A conversion it does not offer is unsupported.
    [[nodiscard]] FuzzAnswer ask(const FuzzCase& fuzz_case, std::uint8_t poison);
    /// Ends the worker as the protocol has it. "" if it ended well.
    [[nodiscard]] std::string finish();

  private:
    void start();
    [[nodiscard]] FuzzAnswer read(const FuzzCase& fuzz_case, const frames::ConvertRequest& request);

    BackendSpec spec_;
    ObserveOptions options_;
    std::unique_ptr<WorkerClient> worker_;
    std::vector<Conversion> offers_;
    std::vector<std::uint32_t> indices_; ///< in HELLO, of offers_
};

} // namespace mxcert
