// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "conformance/observe/subject.hpp"
#include "conformance/samples.hpp"
#include "conformance/status.hpp"
#include "conformance/verdict/golden_source.hpp"
#include "vectors/tables/compare.hpp"

namespace mxcert::diff {

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

/// A run whose answers differ.
struct DifferingRun {
    std::uint64_t number = 0; ///< among the runs of its row, from 0
    std::string name;         ///< what it is about: "a tail of 1"
    std::uint64_t values = 0; ///< that differ; 0 where only digests could be compared, or one refuses the run
    std::string first;        ///< the first of them, with its place, and what both gave; or what can be said instead
};

/// How two implementations compare in one row of an operation.
struct OperationDiff {
    std::string id;                   ///< "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32/blocks"
    Status status = Status::untested; ///< as in DiffRow
    std::string reason;
    bool random = false;            ///< it draws random numbers of its own: there is nothing to compare
    std::uint64_t compared = 0;     ///< runs
    std::vector<DifferingRun> runs; ///< that differ
};

struct Diff {
    std::vector<DiffRow> rows;             ///< of the conversions both offer, in the order of the first
    std::vector<OperationDiff> operations; ///< of the rows of the operations both offer
    std::vector<std::string> only_a;
    std::vector<std::string> only_b;
};

struct DiffOptions {
    std::vector<std::string> filters; ///< globs over conversions and rows of operations; none: all
    std::uint64_t seed = 1;
    /// Of 64-bit sources, unless one of the two is a record: then its inputs are compared.
    unsigned samples_per_step = default_samples_per_step;
    LevelOf level{}; ///< quick or a later one
    const std::atomic<bool>* stop = nullptr;
    /// Called before each observation, with which of the two it is; may be empty.
    std::function<void(bool second, const std::string& name, std::uint64_t inputs)> started;
    std::function<void(const DiffRow&)> compared;           ///< may be empty
    std::function<void(const OperationDiff&)> row_compared; ///< may be empty
};

/// Compares all that both offer. Never throws for what they do.
[[nodiscard]] Diff diff(observe::Subject& a, observe::Subject& b, const DiffOptions& options);

/// Asks both for the runs of the rows of an operation that the filters select, and compares what comes back; of outputs
/// that a record has only a digest of, the digests. What is asked is what a record has, where one of them is one.
[[nodiscard]] std::vector<OperationDiff> diff_operation(observe::Subject& a, observe::Subject& b,
                                                        const Operation& operation, verdict::GoldenSource& golden,
                                                        const DiffOptions& options);

/// 1 if they differ anywhere; else 3 if something could not be compared; else 4 if nothing was; else 0.
[[nodiscard]] int exit_code(const Diff& diff);

} // namespace mxcert::diff
