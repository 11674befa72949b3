// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "conformance/cases/reproduce.hpp"
#include "conformance/cases/smallest_case.hpp"
#include "conformance/diagnose/diagnose.hpp"
#include "conformance/known_fault.hpp"
#include "conformance/observe/observation.hpp"
#include "conformance/status.hpp"
#include "conformance/verdict/input_map.hpp"
#include "reference/conversion.hpp"
#include "vectors/tables/compare.hpp"

namespace mxcert::verdict {

/// What is found in a table: of a conversion, or of a part of an operation that is one ("elements").
struct TableFindings {
    Conversion conversion; ///< the formats of the table; of an operation's part never asked as such
    std::string asked;     ///< what of an operation: "every amax", "a sample"; else ""
    observe::Places places;
    std::uint64_t ranges = 0;               ///< maximal ranges of one wrong code that hold the inputs that differ
    std::vector<observe::Culprit> culprits; ///< inputs that end the worker
    std::vector<Difference> differences;    ///< the first ones, --max-failures of them
    diagnose::Diagnosis diagnosis;          ///< of what is not permitted; empty: none was made
    InputMap map;                           ///< what was asked and what was wrong; empty: CertifyOptions::map is off
    std::string golden;                     ///< "vectors/golden/fp32-e4m3.csv" or "tabulated"
    std::string golden_sha256;              ///< of that file; of the tabulated text otherwise
};

/// What is found in a conversion with given random bits: inputs, each with its random bits.
struct PointFindings {
    Conversion conversion;
    observe::Places places;
    std::vector<observe::Culprit> culprits; ///< inputs that end the worker
    std::vector<std::string> wrong;         ///< the first answers that are wrong, in words
    std::vector<inputs::Point> points;      ///< of each of them
};

/// What is found in a part of an operation that is cases.
struct CaseFindings {
    std::vector<std::string> wrong;                 ///< the first answers that are wrong, in words
    std::vector<std::uint64_t> cases;               ///< the number of the case of each; empty: those of no one case
    std::optional<cases::SmallestCase> smallest;    ///< the smallest case that was found to fail
    std::optional<std::uint64_t> ended_by;          ///< the case whose answer ended the row, where that is known
    std::array<std::uint64_t, 3> largest_product{}; ///< rows and columns of D, and products of a sum; zeros: of none
    std::uint64_t largest_matrix = 0;               ///< elements of the largest one that was asked; 0: none was large
};

/// The findings of a process that answered conversions and operations in turn.
struct TurnFindings {
    std::vector<std::string> rows; ///< the one that answered otherwise, and the one that was asked just before it
};

/// The verdict on one conversion, on one part of an operation, or on one provision of the profile: a row of the report.
struct Row {
    std::string id;        ///< conversion name, "provision <clause>", "<operation>/elements" or "turns"
    std::string profile;   ///< that judged it
    std::string operation; ///< whose row it is, or ""
    Status status = Status::untested;
    std::string reason; ///< for every status but pass
    std::string detail;
    bool required = false;      ///< UNSUPPORTED counts as failure
    bool sample = false;        ///< chosen inputs were compared, not every one; of an open row a few of its cases
    bool open = false;          ///< nobody can count all inputs: products, traces, distributions, cases of blocks
    std::string total;          ///< how many inputs there are: "65536", "2^64"; "" if the row is open or nobody counted
    bool kept = false;          ///< the answers were kept by an earlier run
    std::uint64_t compared = 0; ///< inputs compared
    std::uint64_t repeated = 0;
    std::uint64_t differing = 0; ///< inputs that gave what is not permitted
    std::vector<KnownFault>
        known_as; ///< each alone gives what was kept of wrong cases, or puts answers in wrong places
    std::optional<cases::Reproduction> reproduced; ///< all that was asked, if the run was of --reproduce
    /// Answers changed, were not written, or are one constant, and no input or case alone is known to show it: the
    /// whole row does.
    bool unstable = false;
    std::string observed_sha256;      ///< of the observed table as `mxcert record` would write it, or of all answers
    std::vector<std::string> clauses; ///< that judged at least one input of this row
    double seconds = 0;
    /// Of a provision, and of what did not come to be asked, nothing.
    std::variant<std::monostate, TableFindings, PointFindings, CaseFindings, TurnFindings> found;
};

/// What a row of that kind has; null of another.
[[nodiscard]] inline const TableFindings* table_of(const Row& row) { return std::get_if<TableFindings>(&row.found); }
[[nodiscard]] inline const CaseFindings* cases_of(const Row& row) { return std::get_if<CaseFindings>(&row.found); }

/// The conversion of a row, or the formats of an operation's table; null if it has none.
[[nodiscard]] const Conversion* conversion_of(const Row& row);
/// What is wrong, in words, where each answer has its own; else nothing.
[[nodiscard]] std::span<const std::string> wrong_of(const Row& row);
/// The points of wrong_of(), if it is of points; else nothing.
[[nodiscard]] std::span<const inputs::Point> points_of(const Row& row);
/// The first differences of a table; else nothing.
[[nodiscard]] std::span<const Difference> differences_of(const Row& row);
/// The inputs that end the worker.
[[nodiscard]] std::span<const observe::Culprit> culprits_of(const Row& row);
/// The bugs that a table was found to have; else nothing.
[[nodiscard]] std::span<const diagnose::NamedBug> bugs_of(const Row& row);
/// Where in calls the inputs of a conversion or a table were asked; null of another row.
[[nodiscard]] const observe::Places* places_of(const Row& row);
/// The case whose answer ended a row of cases, where that is known.
[[nodiscard]] std::optional<std::uint64_t> ended_by(const Row& row);

/// Whether a row compared fewer inputs than there are, where they can be counted: n of N.
[[nodiscard]] inline bool is_sampled(const Row& row) { return row.sample && !row.open; }

} // namespace mxcert::verdict
