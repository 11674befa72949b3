// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "reference/clause.hpp"

namespace mxcert {

/// A passage, apart from the document of a clause, that says what the clause says: an instruction set, the code of one,
/// or somebody who quotes the document. Two passages count as independent if their `author` differs.
struct Reading {
    std::string_view author;   ///< the organisation or project that wrote it: "Arm"
    std::string_view document; ///< with revision
    std::string_view place;    ///< section, table, file or lines; "" for the whole document
    std::string_view says;     ///< in our words; where code was run, on how many inputs
    std::string_view clauses;  ///< ids of the clauses that it bears on, separated by spaces
};

[[nodiscard]] std::span<const Reading> all_readings();
/// The readings that bear on a clause, in the order of the table.
[[nodiscard]] std::vector<const Reading*> readings_of(const Clause& clause);

} // namespace mxcert
