// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/cases/reproduce.hpp"
#include "conformance/cases/smallest_case.hpp"
#include "conformance/diagnose/diagnose.hpp"
#include "conformance/known_fault.hpp"
#include "conformance/observe/worker_pool.hpp"
#include "conformance/status.hpp"
#include "reference/profile/profile.hpp"
#include "vectors/tables/compare.hpp"

namespace mxcert::verdict {

/// The verdict on one conversion, or on one provision of the profile: a row of the report.
struct Row {
    std::string id;        ///< conversion name, "provision <clause>", or "<operation>/elements"
    std::string profile;   ///< that judged it
    std::string operation; ///< whose row it is, or ""
    Conversion conversion; ///< from and to are nullptr in the row of a provision, and of an operation's cases
    Status status = Status::untested;
    std::string reason; ///< for every status but pass
    std::string detail;
    bool required = false;      ///< UNSUPPORTED counts as failure
    bool sample = false;        ///< chosen inputs were compared, not every one; of an open row a few of its cases
    bool open = false;          ///< nobody can count all inputs: products, traces, distributions, cases of blocks
    std::string total;          ///< how many inputs there are: "65536", "2^64"; "" if the row is open or nobody counted
    std::string asked;          ///< what of an operation, where it is a table: "every amax", "a sample"; else ""
    bool kept = false;          ///< the answers were kept by an earlier run
    std::uint64_t compared = 0; ///< inputs compared
    std::uint64_t repeated = 0;
    std::uint64_t largest_matrix = 0; ///< elements of the largest one that an operation was asked; 0: none was large
    observe::Places places;           ///< of a conversion
    std::uint64_t differing = 0;      ///< inputs that gave what is not permitted
    std::uint64_t ranges = 0;         ///< maximal ranges of one wrong code that hold them
    std::vector<observe::Culprit> culprits; ///< inputs that end the worker
    std::vector<Difference> differences;    ///< the first ones, --max-failures of them, for the report
    diagnose::Diagnosis diagnosis;          ///< of a conversion that gave what is not permitted; empty: none was made
    std::vector<KnownFault> known_as; ///< an operation's cases that failed: each alone gives what was kept; or of a
                                      ///< conversion: what puts answers in wrong places
    std::vector<std::string> faults;  ///< an operation's cases: the first blocks that are wrong, in words
    std::optional<cases::SmallestCase> smallest; ///< an operation's cases: the smallest that was found to fail
    std::vector<std::uint64_t> cases; ///< the number of the case of each of `faults`; empty: those of no one case
    /// The case whose answer ended the row, where that is known.
    std::optional<std::uint64_t> ended_by;
    std::vector<inputs::Point>
        points; ///< of a rounding with given random bits: input and random bits of each of `faults`
    std::optional<cases::Reproduction> reproduced; ///< all that was asked, if the run was of --reproduce
    /// Answers changed, were not written, or are one constant, and no input or case alone is known to show it: the
    /// whole row does.
    bool unstable = false;
    std::string golden;               ///< "vectors/golden/fp32-e4m3.csv" or "tabulated"
    std::string golden_sha256;        ///< of that file; of the tabulated text otherwise
    std::string observed_sha256;      ///< of the observed table as `mxcert record` would write it
    std::vector<std::string> clauses; ///< that judged at least one input of this row
    double seconds = 0;
};

/// Whether a row compared fewer inputs than there are, where they can be counted: n of N.
[[nodiscard]] inline bool is_sampled(const Row& row) { return row.sample && !row.open; }

/// How many inputs a conversion has, with its random bits: "65536", "2^40".
[[nodiscard]] std::string inputs_in_all(const Conversion& conversion);

/// Judges an observation: the whole table, or what there is of it. Wrong answers among what did come back are FAIL,
/// however the observation ended; one constant that is not permitted everywhere is MISTRUSTED; differences that only
/// clauses from memory decide are UNTESTED. Throws std::invalid_argument if the formats differ. Plants one wrong answer
/// in a copy of what was observed and throws std::logic_error if the comparison does not find exactly it: a verdict is
/// only given by a comparison that can fail. `golden` fields, `profile` and `required` are the caller's.
[[nodiscard]] Row judge(const observe::Observation& seen, const PermitTable& permitted, std::size_t max_failures);

/// What came out, as steps: the whole table, chosen inputs, or what there is of a table that broke off.
[[nodiscard]] std::vector<Step> steps_of(const observe::Observation& seen);

/// The exit code of a run in which all of what is offered of a profile passed, and that is a part of it.
inline constexpr int exit_partial = 5;

/// Exit code of the rows of `certify`: any FAIL, MISTRUSTED, UNTESTED or required UNSUPPORTED 1; else any ERROR or
/// INCOMPLETE 3; else no PASS 4; else 0.
[[nodiscard]] int exit_code(const std::vector<Row>& rows);

} // namespace mxcert::verdict
