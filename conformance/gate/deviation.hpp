// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/verdict/verdict.hpp"
#include "vectors/tables/step_table.hpp"

// What a row that did not pass does wrong, as far as it can be recognised the next time (docs/gate.md).
namespace mxcert::gate {

/// The ranges of wrong answers that a baseline lists. Where there are more, the digest of the whole table stands for
/// them: a file that people read and edit does not hold noise.
inline constexpr std::size_t most_ranges = 1024;

/// Two of one row are the same deviation if all is equal but `bugs`.
struct Deviation {
    Status status = Status::fail;
    std::uint64_t differing = 0; ///< inputs of a table, findings of an operation's cases
    std::vector<Step> ranges;    ///< of a table: wrong inputs with the code that came, ascending; empty: see below
    /// SHA-256 of all that was answered: of an operation's cases, and of a table with more than most_ranges.
    std::string answers_sha256;
    std::vector<std::string> ends; ///< what ends the backend: "3C01: signal 11 (SIGSEGV)"
    std::string says;              ///< the verdict's words, where there is nothing else: what is not offered
    std::vector<std::string> bugs; ///< ids of the classes that explain it, those that explain most first
};
[[nodiscard]] bool is_same(const Deviation& a, const Deviation& b);

/// What there is in a row to recognise it by. The row must have been judged with at least most_ranges
/// CertifyOptions::max_failures.
[[nodiscard]] Deviation deviation_of(const verdict::Row& row);

/// Why it could not be recognised the next time, so that nobody can acknowledge it: nothing was compared, or the
/// answers were not the same twice. "" if it can.
[[nodiscard]] std::string unrecognisable(const verdict::Row& row, const Deviation& deviation);

/// True if the row needs no acknowledgement: it passed, or is not offered and need not be.
[[nodiscard]] bool is_settled(const verdict::Row& row);

/// The formats of the inputs and the codes of a row, by its name: a conversion, or a part of an operation that is a
/// table. None if its inputs are cases, or it is a provision. Throws std::invalid_argument if there can be no such row.
[[nodiscard]] std::optional<Conversion> table_of_row(const std::string& id);

/// Inputs whose wrong answer is not what it was; where one is empty the answer was, or is, permitted.
struct ChangedRange {
    Code first = 0;
    Code last = 0;
    std::optional<Code> was;
    std::optional<Code> now;
};
/// Ascending, as maximal ranges. Both must list their ranges.
[[nodiscard]] std::vector<ChangedRange> changed_ranges(const std::vector<Step>& was, const std::vector<Step>& now);

/// The bugs by which a range is explained: "TIES_AWAY: rounding=nearest_away", several joined by "; ". "" if none is.
[[nodiscard]] std::string explained_by(const diagnose::Diagnosis& diagnosis, Code first, Code last);

} // namespace mxcert::gate
