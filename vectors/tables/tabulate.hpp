// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/choices.hpp"
#include "reference/conversion.hpp"
#include "reference/rule.hpp"
#include "vectors/tables/step_table.hpp"

namespace mxcert {

/// A Behaviour's step table, from the exact model. Sources whose value has up to 8 bits are evaluated on every input;
/// wider ones by bisection inside ranges where the code is monotone in the input (docs/architecture.md has the proof;
/// the tests evaluate every input of the 16-bit sources). Deterministic roundings only; throws std::invalid_argument
/// otherwise.
[[nodiscard]] StepTable tabulate(const Format& from, const Format& to, const Choices& choices);

/// Inputs from first to last.
struct InputRange {
    Code first = 0;
    Code last = 0;
    friend bool operator==(const InputRange&, const InputRange&) = default;
};

/// A step and how it came about; neighbours differ in code, rule or consulted.
struct TracedStep {
    Code first = 0;
    Code last = 0;
    Code code = 0;
    Rule rule = Rule::round;
    ChoiceSet consulted = 0;
};

/// The steps of tabulate() inside ranges, which ascend, cut where the deciding rule or the consulted choices change and
/// at the ends of the ranges. The last tables that were asked for are kept, those of tabulate() too: a wrong answer is
/// compared with hundreds of behaviours, which share most of them. Safe to call from several threads.
[[nodiscard]] std::vector<TracedStep> trace_steps(const Format& from, const Format& to, const Choices& choices,
                                                  const std::vector<InputRange>& ranges);

/// The step of tabulate() that holds an input, found without the rest of the table: cheap for wide targets too, whose
/// tables have a step for nearly every input.
[[nodiscard]] Step step_around(const Format& from, const Format& to, const Choices& choices, Code input);

} // namespace mxcert
