// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/fuzz_ask.hpp"
#include "conformance/fuzz_generate.hpp"
#include "conformance/fuzz_judge.hpp"
#include "conformance/status.hpp"

namespace mxcert {

struct FuzzOptions {
    std::uint64_t seed = 1;
    std::chrono::milliseconds time{60'000}; ///< no case is begun after it, and no failure looked into
    std::uint64_t cases = 0;                ///< no more than this many; 0: as many as the time allows
    const std::atomic<bool>* stop = nullptr;
    /// Called after each case with cases, values and failures so far; may be empty.
    std::function<void(std::uint64_t cases, std::uint64_t values, std::size_t failures)> progress;
};

/// A conversion under fuzzing, and how far it came.
struct FuzzTarget {
    FuzzTarget(const Conversion& the_conversion, FuzzJudge the_judge)
        : conversion(the_conversion), judge(std::move(the_judge)) {}

    Conversion conversion;
    FuzzJudge judge;
    std::uint64_t cases = 0;
    std::uint64_t values = 0;     ///< judged
    std::uint64_t misbehaved = 0; ///< cases
    std::string dropped;          ///< why it is not asked any more: refused, or too many crashes
};

/// What is wrong with a conversion.
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
    FuzzCase fuzz_case;       ///< the smallest that shows it
    std::size_t at = 0;       ///< which of its values
    Code got = 0;             ///< not for misbehaved
    FuzzExpected expected;    ///< not for misbehaved
    std::string reason;       ///< changing, misbehaved; or why it was not made small
    std::string cause;        ///< misbehaved: as FuzzAnswer has it
    std::string detail;       ///< last words of a worker
    std::uint64_t number = 0; ///< of the case that showed it first
    std::uint64_t found = 1;  ///< values that showed it; cases, for misbehaved
};

struct FuzzResult {
    std::uint64_t cases = 0;
    std::uint64_t values = 0; ///< judged
    std::vector<FuzzFailure> failures;
    std::uint64_t more = 0; ///< wrong values beyond the failures that are kept
    double seconds = 0;
    bool stopped = false; ///< from outside
    /// What the backend did outside the cases, or how it ended if not well: FuzzWorker::finish().
    std::string misbehaved;
};

inline constexpr std::size_t max_fuzz_failures = 256; ///< kept; further ones are only counted

/// Asks each target in turn, case after case. The seed decides the cases and their order; the time, how many.
[[nodiscard]] FuzzResult fuzz(std::vector<FuzzTarget>& targets, const AskFuzzCase& ask, const FuzzOptions& options);

/// Asks one case, and makes what fails of it small; of the options, time and stop count. Precondition: it is of the
/// target's conversion.
[[nodiscard]] FuzzResult fuzz_one(FuzzTarget& target, const FuzzCase& fuzz_case, const AskFuzzCase& ask,
                                  const FuzzOptions& options);

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

} // namespace mxcert
