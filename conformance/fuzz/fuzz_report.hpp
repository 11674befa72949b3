// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conformance/cases/reproduce.hpp"
#include "conformance/fuzz/fuzz.hpp"

namespace mxcert::fuzz {

/// A run of `mxcert fuzz`, as its reports show it.
struct FuzzReport {
    cases::Invocation invocation; ///< profiles: those that judged, also where none was asked for
    observe::BackendInfo info;
    std::uint64_t seed = 1;
    std::size_t max_failures = 5; ///< shown in the text; JSON has all
    std::vector<FuzzTarget> targets;
    FuzzedOperations operations;
    std::vector<std::string> outside;  ///< offered, and judged by none of the profiles
    std::vector<std::string> unfuzzed; ///< operations that are judged, and that no random cases are made of
    FuzzResult result;
};

/// The command that shows a failure again: `mxcert certify --reproduce` for a value that is wrong alone, `mxcert fuzz
/// --case` for what needs its company.
[[nodiscard]] std::string again(const FuzzFailure& failure, const cases::Invocation& invocation);
/// The same of an operation: `mxcert certify --reproduce` with its case.
[[nodiscard]] std::string again(const OperationFailure& failure, const cases::Invocation& invocation);

/// What was found, for people.
[[nodiscard]] std::string fuzz_text(const FuzzReport& report, bool color);
/// The same for programs, LF at the end.
[[nodiscard]] std::string fuzz_json(const FuzzReport& report);

} // namespace mxcert::fuzz
