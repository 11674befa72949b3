// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/fuzz/fuzz_ask.hpp"
#include "conformance/fuzz/fuzz_generate.hpp"
#include "conformance/fuzz/fuzz_operation_run.hpp"
#include "conformance/fuzz/fuzz_result.hpp"

namespace mxcert::fuzz {

struct FuzzOptions {
    std::uint64_t seed = 1;
    std::chrono::milliseconds time{60'000}; ///< no case is begun after it, and no failure looked into
    std::uint64_t cases = 0;                ///< no more than this many; 0: as many as the time allows
    const std::atomic<bool>* stop = nullptr;
    /// The clock of `time`; a test has one that it sets.
    std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
    /// Called after each case with cases, values and failures so far; may be empty.
    std::function<void(std::uint64_t cases, std::uint64_t values, std::size_t failures)> progress;
};

/// A conversion under fuzzing, and how far it came.
struct FuzzTarget {
    FuzzTarget(const Conversion& the_conversion, verdict::ValueJudge the_judge)
        : conversion(the_conversion), judge(std::move(the_judge)) {}

    Conversion conversion;
    verdict::ValueJudge judge;
    std::uint64_t cases = 0;
    std::uint64_t values = 0;     ///< judged
    std::uint64_t misbehaved = 0; ///< cases
    std::string dropped;          ///< why it is not asked any more: refused, or too many crashes
};

/// Asks each target in turn, case after case; where there are operations too, a case of these after one of a
/// conversion. The seed decides the cases and their order; the time, how many.
[[nodiscard]] FuzzResult fuzz(std::vector<FuzzTarget>& targets, const AskFuzzCase& ask, FuzzedOperations& operations,
                              const FuzzOptions& options);
/// The same of conversions alone.
[[nodiscard]] FuzzResult fuzz(std::vector<FuzzTarget>& targets, const AskFuzzCase& ask, const FuzzOptions& options);

/// Asks one case, and makes what fails of it small; of the options, time and stop count. Precondition: it is of the
/// target's conversion.
[[nodiscard]] FuzzResult fuzz_one(FuzzTarget& target, const FuzzCase& fuzz_case, const AskFuzzCase& ask,
                                  const FuzzOptions& options);

} // namespace mxcert::fuzz
