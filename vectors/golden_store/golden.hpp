// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/conversion.hpp"
#include "reference/profile/profile.hpp"
#include "vectors/tables/step_table.hpp"

// A golden file holds all that may come out of the conversions from one format to another, once: ordinary inputs once a
// rounding, treatments of NaN, Inf, zero and overflow as rows of their own (docs/vectors.md describes it for readers).
namespace mxcert {

/// One row: it holds for an implementation whose choices have all the values of `when`.
struct GoldenRow {
    std::string when; ///< "rounding=up overflow=sat"; "" holds always. Choices in the order of all_choices().
    Code first = 0;
    Code last = 0;
    Permit permit;
    std::string_view clause;
    /// A row of a source with a given scale may stand for several, from scale to scale: row k of them, 0 <= k < times,
    /// is first + k first_by to last + k last_by, and its only code is that of `permit` + k permit_by. These are sums
    /// of whole numbers: none of them leaves the codes of its format, so a reader needs no modulus.
    std::uint64_t times = 1;
    std::int64_t first_by = 0;
    std::int64_t last_by = 0;
    std::int64_t permit_by = 0;

    friend bool operator==(const GoldenRow&, const GoldenRow&) = default;
};

/// code + k by, nullopt if it is no code of the format.
[[nodiscard]] std::optional<Code> stepped(Code code, std::int64_t step, std::uint64_t k, const Format& format);

/// Row k of those that a row stands for, a row of its own. Precondition: stands_for().
[[nodiscard]] GoldenRow expanded(const GoldenRow& row, std::uint64_t k);

/// Whether a row has a number k: its codes are codes of the formats.
[[nodiscard]] bool stands_for(const GoldenRow& row, std::uint64_t k, const Format& from, const Format& to);

struct GoldenFile {
    const Format* from = nullptr;
    const Format* to = nullptr;
    std::vector<GoldenRow> rows; ///< ordered by when, then first
};

/// Computes the golden file of a pair of formats from the exact model, all deterministic roundings.
[[nodiscard]] GoldenFile generate_golden(const Format& from, const Format& to);

/// Whether the golden file of the pair of formats has rows for all that a profile permits of a conversion. Files have
/// what conforming implementations do; a profile may state a deviation, as a rounding to another format first.
[[nodiscard]] bool golden_names(const Profile& profile, const Conversion& conversion);
/// As a golden file, with rows for what the profile permits of this conversion and for nothing else. Throws
/// std::logic_error if it permits several values of a choice that golden files do not name, and not its default.
[[nodiscard]] GoldenFile generate_golden(const Profile& profile, const Conversion& conversion);

/// What a profile permits of a conversion: the rows whose `when` it permits, united where they overlap. Throws
/// std::runtime_error if they do not cover every input.
[[nodiscard]] PermitTable select(const GoldenFile& golden, const Profile& profile, const Conversion& conversion);

/// The pairs of formats that have committed golden files, in the order of the manifest.
struct GoldenPair {
    const Format* from;
    const Format* to;
};
[[nodiscard]] const std::vector<GoldenPair>& golden_pairs();

} // namespace mxcert
