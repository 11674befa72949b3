// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/certify/certify.hpp"
#include "conformance/fuzz/fuzz_result.hpp"
#include "conformance/observe/subject.hpp"
#include "conformance/suites/suite.hpp"

namespace mxcert::fuzz {

/// An operation under fuzzing, and how far it came.
struct OperationTarget {
    Operation operation;
    std::vector<const Profile*> profiles{}; ///< that judge it; at least one
    std::uint64_t cases = 0;
    std::uint64_t values = 0;     ///< judged
    std::uint64_t refused = 0;    ///< cases, as they may be
    std::uint64_t misbehaved = 0; ///< cases
    std::string dropped{};        ///< why it is not asked any more: refused, too many crashes, or nothing can be judged
};

/// The operations of a backend under fuzzing. Subject and golden source must outlive it.
struct FuzzedOperations {
    observe::Subject* subject = nullptr;
    verdict::GoldenSource* golden = nullptr;
    std::vector<OperationTarget> targets;
};

/// Whether cases of an operation can be made up and written down.
[[nodiscard]] bool can_fuzz(const Operation& operation);

/// What is made of planned operations that can be fuzzed.
[[nodiscard]] std::vector<OperationTarget> operation_targets(const certify::Plan& plan);

/// Runs cases of operations, and collects what fails.
class OperationRun {
  public:
    /// `over`: why nothing more is to be looked into, "" as long as there is time.
    OperationRun(FuzzedOperations& operations, std::uint64_t seed, std::function<std::string()> over)
        : operations_(operations), seed_(seed), over_(std::move(over)) {}

    /// Asks for a case of the target `at` and makes what fails of it small. False if the run is to end. `round`: which
    /// of its cases; `number`: of all cases of the run.
    bool one(std::size_t at, std::uint64_t round, std::uint64_t number, FuzzResult& result);

  private:
    /// What came of a case.
    struct Seen {
        frames::RunAnswer answer; ///< of the last run
        std::vector<frames::Values> outputs;
        std::size_t judge = 0;          ///< that does not permit it
        std::vector<std::string> wrong; ///< what it does not permit
    };

    [[nodiscard]] suites::CasePart& part_of(std::size_t target);
    [[nodiscard]] Seen ask(const OperationTarget& target, const suites::CasePart& part,
                           const suites::Question& question);
    void add(const OperationTarget& target, suites::CasePart& part, const cases::GivenCase& given_case,
             const Seen& seen, std::uint64_t number, FuzzResult& result);
    void make_small(const OperationTarget& target, suites::CasePart& part, const cases::GivenCase& stored_case,
                    const Seen& seen, OperationFailure& failure);

    FuzzedOperations& operations_;
    std::uint64_t seed_;
    std::function<std::string()> over_;
    verdict::CertifyOptions options_; ///< that the parts refer to
    std::deque<std::pair<std::size_t, std::unique_ptr<suites::CasePart>>>
        parts_; ///< the last few: some have large tables
};

} // namespace mxcert::fuzz
