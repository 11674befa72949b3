// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "conformance/status.hpp"
#include "conformance/subject.hpp"
#include "vectors/compare.hpp"

namespace mxcert {

/// How two implementations compare in one conversion.
struct DiffRow {
    Conversion conversion;
    Status status = Status::untested; ///< pass: the same; fail: different; else not compared, as `reason` says
    std::string reason;
    bool sample = false;                 ///< chosen inputs of a 64-bit source
    std::uint64_t compared = 0;          ///< inputs
    std::uint64_t differing = 0;         ///< inputs
    std::vector<Difference> differences; ///< all; `got` is what the first gave, `expected` what the second gave
};

struct Diff {
    std::vector<DiffRow> rows; ///< of the conversions both offer, in the order of the first
    std::vector<std::string> only_a;
    std::vector<std::string> only_b;
};

struct DiffOptions {
    std::vector<std::string> filters; ///< globs over conversions; none: all
    std::uint64_t seed = 1;
    unsigned samples_per_step = 64; ///< 64-bit sources, unless one is a record: then its inputs are compared
    const std::atomic<bool>* stop = nullptr;
    /// Called before each observation, with which of the two it is; may be empty.
    std::function<void(bool second, const Conversion&, std::uint64_t inputs)> started;
    std::function<void(const DiffRow&)> compared; ///< may be empty
};

/// Compares all that both offer. Never throws for what they do.
[[nodiscard]] Diff diff(Subject& a, Subject& b, const DiffOptions& options);

/// 1 if they differ anywhere; else 3 if something could not be compared; else 4 if nothing was; else 0.
[[nodiscard]] int exit_code(const Diff& diff);

} // namespace mxcert
