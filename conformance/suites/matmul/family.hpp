// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reference/dot/accumulator.hpp"
#include "vectors/cases/dot_cases.hpp"

// Which accumulators could have given the answers, beside the one that was found first.
namespace mxcert::suites {

class Answers;

/// Accumulators that differ in any number of parameters at once, and those of them that give every answer.
struct Family {
    std::size_t tried = 0;
    std::vector<Accumulator> remain;
    bool has_more = false;  ///< there were too many: others than these were not looked at
    std::size_t drawn = 0;  ///< further products, drawn to part those that remain
    std::size_t probes = 0; ///< of these, that they do not all answer alike: the backend was asked for them
};

/// Tries every combination of the values of the parameters: how the terms of a group are added, its size, the bits
/// below the largest term, how terms are cut and results rounded, subnormals, zeros, promotion. Starts from the model,
/// and for aligned sums, if it has none, from an accumulator of the table. The widths of a c that is cut apart are
/// those of the model, and so is the width of the result.
[[nodiscard]] Family family_of(const Accumulator& model, const Answers& answers);

/// Draws products, and gives those for which not all that remain give the same.
[[nodiscard]] DotCases parting_products(Family& family, const Answers& answers);

/// Takes away what does not give these answers too.
void keep_those_that_give(Family& family, const Answers& answers);

/// In which parameters those that remain differ: "sign of a zero: dropped or kept".
[[nodiscard]] std::vector<std::string> open_parameters(const Family& family);

} // namespace mxcert::suites
