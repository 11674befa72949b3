// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "conformance/observe/subject.hpp"
#include "conformance/observe/sweep.hpp"
#include "conformance/record/recorded_run.hpp"

namespace mxcert::shards {

/// The result of asking a backend again.
struct AskedAgain {
    std::string difference;       ///< "" if the answers are the same; else how they are not
    std::uint64_t values = 0;     ///< that were compared
    Status status = Status::pass; ///< not pass: the backend did not answer, and `difference` has its reason
};

/// Each asks the backend a slice of what is stored, and compares. Of answers that did not pass nothing is asked.
/// `random` draws the slice; of a conversion it has up to `most` inputs: every one, if there are no more.
[[nodiscard]] AskedAgain ask_inputs_again(observe::Subject& backend, const Conversion& conversion,
                                          const observe::Observation& stored, std::uint64_t random, std::uint64_t most);
[[nodiscard]] AskedAgain ask_sweep_again(observe::Subject& backend, const observe::SweepPart& part,
                                         const PermitTable* permitted, const observe::Observation& stored,
                                         std::uint64_t random);
/// A run of an operation: `answer` is the digest of its outputs, `status` pass or unsupported.
[[nodiscard]] AskedAgain ask_run_again(observe::Subject& backend, const Operation& operation,
                                       const frames::RunCase& run_case, Status status, const std::string& answer);

/// Inputs of a slice of a conversion.
inline constexpr std::uint64_t inputs_of_slice = 4096;

/// Asks a backend again what a part was asked: a random slice of one unit of each part. It may be called from several
/// threads, and asks one thing at a time.
class AskAgain {
  public:
    /// `chosen`: the units, and a random number for each. `backend` must outlive it.
    AskAgain(observe::Subject& backend, std::map<std::string, std::uint64_t> chosen)
        : backend_(backend), chosen_(std::move(chosen)) {}

    /// Each compares the stored answers of a unit, if that was chosen. "" if what came is the same; else how it is not.
    [[nodiscard]] std::string compare(const std::string& unit, const Conversion& conversion,
                                      const observe::Observation& seen);
    [[nodiscard]] std::string compare_sweep(const std::string& unit, const observe::SweepPart& part,
                                            const PermitTable* permitted, const observe::Observation& seen);
    /// `number`, of `count`: that of the run among those of its unit. One of them is asked.
    [[nodiscard]] std::string compare_run(const std::string& unit, std::size_t number, std::size_t count,
                                          const Operation& operation, const frames::RunCase& run_case,
                                          const record::RecordedRun& recorded);

    [[nodiscard]] std::uint64_t values() const { return values_; }    ///< that were compared
    [[nodiscard]] std::size_t units() const { return asked_.size(); } ///< of which something was asked again
    [[nodiscard]] std::size_t chosen() const { return chosen_.size(); }

  private:
    [[nodiscard]] std::string note(const std::string& unit, const AskedAgain& asked);

    observe::Subject& backend_;
    std::map<std::string, std::uint64_t> chosen_;
    std::mutex lock_;
    std::set<std::string> asked_;
    std::uint64_t values_ = 0;
};

} // namespace mxcert::shards
