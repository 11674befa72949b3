// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/cases/smallest_case.hpp"
#include "conformance/fuzz/fuzz_case.hpp"
#include "conformance/status.hpp"
#include "conformance/verdict/value_judge.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::fuzz {

/// What is wrong with a conversion or an operation.
enum class FuzzKind : std::uint8_t {
    wrong,      ///< a value alone gives what is not permitted
    company,    ///< the same, but only in company of other values, or at another place in memory
    unwritten,  ///< an output was left as it was
    changing,   ///< the same value gives one answer here and another there
    misbehaved, ///< crash, timeout, broken protocol, a write where it must not be
};
[[nodiscard]] std::string_view to_string(FuzzKind kind); ///< "WRONG", "WRONG IN COMPANY", ...

/// A failure, made small. Counted with it are others of the conversion: for a value that is wrong alone those of the
/// same permitted step, for misbehaviour those with the same reason, for the rest all that are right alone.
struct FuzzFailure {
    FuzzKind kind = FuzzKind::wrong;
    FuzzCase fuzz_case;              ///< the smallest that shows it
    std::size_t at = 0;              ///< which of its values
    Code got = 0;                    ///< not for misbehaved
    verdict::ExpectedValue expected; ///< not for misbehaved
    std::string reason;              ///< changing, misbehaved; or why it was not made small
    std::string cause;               ///< misbehaved: as FuzzAnswer has it
    std::string detail;              ///< last words of a worker
    std::uint64_t number = 0;        ///< of the case that showed it first
    std::uint64_t found = 1;         ///< values that showed it; cases, for misbehaved
};

/// A failure of an operation, made small. Counted with it are others of the operation that are of this kind, and for
/// misbehaviour have the same reason.
struct OperationFailure {
    FuzzKind kind = FuzzKind::wrong; ///< never company
    Operation operation;
    std::string row;     ///< of the operation, that takes the case: "quantize-.../blocks"
    std::string profile; ///< that does not permit it; "" where no profile differs
    cases::SmallestCase smallest;
    std::string reason;       ///< changing: how; or why it was not made small
    std::string cause;        ///< misbehaved: the same for all that misbehaves in one way
    std::string detail;       ///< last words of a worker
    std::uint64_t number = 0; ///< of the case that showed it first
    std::uint64_t found = 1;  ///< cases that showed it
};

struct FuzzResult {
    std::uint64_t cases = 0;           ///< of conversions and of operations
    std::uint64_t values = 0;          ///< judged
    std::uint64_t operation_cases = 0; ///< of these, those of operations
    std::uint64_t operation_values = 0;
    std::vector<FuzzFailure> failures; ///< of conversions
    std::vector<OperationFailure> operation_failures;
    std::uint64_t more = 0; ///< wrong values beyond the failures that are kept
    double seconds = 0;
    bool stopped = false; ///< from outside
    /// What the backend did outside the cases, or how it ended if not well: FuzzWorker::finish().
    std::string misbehaved;

    [[nodiscard]] std::size_t count_failures() const { return failures.size() + operation_failures.size(); }
};

inline constexpr std::size_t max_fuzz_failures = 256; ///< kept; further ones are only counted

/// What a run comes to. Texts, JSON and the exit code all say this.
struct FuzzVerdict {
    int exit_code = 0;
    std::string_view word;
    Status status = Status::pass; ///< for its colour
};

/// 1 FOUND: an answer is wrong, missing or changing; else 3 FOUND: a case misbehaved; 3 MISBEHAVED: outside the cases;
/// 3 STOPPED: nothing was found until then; 4 NOTHING CHECKED: nothing was judged; 0 NOTHING FOUND.
[[nodiscard]] FuzzVerdict verdict_of(const FuzzResult& result);
[[nodiscard]] inline int exit_code(const FuzzResult& result) { return verdict_of(result).exit_code; }

} // namespace mxcert::fuzz
