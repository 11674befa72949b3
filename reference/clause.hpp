// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "reference/choices.hpp"
#include "reference/format.hpp"
#include "reference/rule.hpp"

namespace mxcert {

/// How sure a clause is. A clause from memory never decides FAIL.
enum class Grade : std::uint8_t {
    primary,   ///< the primary text or source code was read
    secondary, ///< taken from independent readings that cite page or section
    derived,   ///< follows by arithmetic from a clause that is primary or secondary
    memory,    ///< not checked
};

enum class ClauseKind : std::uint8_t {
    value,     ///< judges outputs
    provision, ///< judges which conversions are offered
    silent,    ///< the specification leaves it open; several outputs are permitted
    outside,   ///< of formats that no profile judges: says what the models do
};

/// One sentence of a specification, in our words. Ids never change; the section is a field.
struct Clause {
    std::string_view id; ///< "OFP8-NAN"
    ClauseKind kind;
    Grade grade;
    std::string_view text;
    std::string_view document; ///< with revision: "OCP OFP8 v1.0 (2023-12-01)"
    std::string_view section;
    std::string_view choices; ///< the choices it constrains, separated by spaces; "" for none
    /// Rows of tables name one clause each. A clause that no row names by itself is checked where the rows of all these
    /// clauses meet: ids separated by spaces; "" for its own rows.
    std::string_view rows = {};
    /// The formats it speaks of, where it does not speak of all that `rows` lead to: one of them is the source or the
    /// target. Names separated by spaces; "" for all.
    std::string_view formats = {};
};

[[nodiscard]] std::span<const Clause> all_clauses();
/// nullptr if there is none of that id.
[[nodiscard]] const Clause* find_clause(std::string_view id);
/// The clause that states a rule for conversions between these formats, for a scale by this scale rule. Its id is that
/// of a clause in all_clauses().
[[nodiscard]] std::string_view clause_of(Rule rule, const Format& from, const Format& to,
                                         ScaleRule scale_rule = ScaleRule::none);

[[nodiscard]] std::string_view to_string(Grade grade);
[[nodiscard]] std::string_view to_string(ClauseKind kind);

} // namespace mxcert
