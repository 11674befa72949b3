// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "vectors/tables/step_table.hpp"

namespace mxcert {

/// A range of inputs that gave a code they must not give.
struct Difference {
    Code first = 0;
    Code last = 0;
    Code got = 0;
    Permit expected;
    std::string_view clause;
};

/// The exact set of inputs on which a table leaves what is permitted, ascending, as maximal ranges of one code and one
/// expectation. Both tables must be whole and of the same formats; throws std::invalid_argument otherwise.
[[nodiscard]] std::vector<Difference> compare(const StepTable& observed, const PermitTable& permitted);

/// The same for two tables of what implementations do: `expected` is the code of `b`, clause is empty.
[[nodiscard]] std::vector<Difference> compare(const StepTable& a, const StepTable& b);

/// Number of inputs in the ranges. Saturates at 2^64 - 1.
[[nodiscard]] std::uint64_t count_inputs(const std::vector<Difference>& differences);

} // namespace mxcert
