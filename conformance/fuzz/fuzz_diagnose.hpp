// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "conformance/fuzz/fuzz_ask.hpp"
#include "conformance/fuzz/fuzz_case.hpp"
#include "conformance/fuzz/fuzz_result.hpp"
#include "conformance/verdict/value_judge.hpp"

namespace mxcert::fuzz {

/// A forbidden answer, as it was seen.
struct WrongAnswer {
    FuzzCase fuzz_case;
    std::size_t at = 0;
    Code got = 0;
    verdict::ExpectedValue expected;
};

// All of these ask again. Once they are answered `stopped`, they leave a failure as it is by then and say why.

/// Whether the value gives what is not permitted without its company too, or that can no longer be asked.
[[nodiscard]] bool is_wrong_alone(const verdict::ValueJudge& judge, const WrongAnswer& wrong, const AskFuzzCase& ask);

/// Asks again to find what kind of failure it is, and the smallest case that shows it: never a value of another
/// permitted step, so that two faults stay two.
[[nodiscard]] FuzzFailure diagnose_wrong(const verdict::ValueJudge& judge, const WrongAnswer& wrong,
                                         const AskFuzzCase& ask);

/// The same for a case without answers: the fewest values that still have none.
[[nodiscard]] FuzzFailure diagnose_misbehaved(const FuzzCase& fuzz_case, const FuzzAnswer& answer,
                                              const AskFuzzCase& ask);

} // namespace mxcert::fuzz
