// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/diagnose/given_answers.hpp"
#include "reference/choices.hpp"

// The choices of a Behaviour without faults, from answers.
namespace mxcert::diagnose {

/// The Behaviours that one choice with another value makes, of those a deterministic conversion to this format can
/// have.
[[nodiscard]] std::vector<Choices> others_of(const Choices& choices, Choice choice, const Format& to);

/// The Behaviours that a search begins with: each rounding, or rule, with each overflow mode. The first is the default.
[[nodiscard]] std::vector<Choices> start_choices(const Format& to);

/// Choices, and what they explain.
struct FoundChoices {
    Choices choices;
    std::uint64_t explained = 0;          ///< inputs whose answer they give
    std::vector<Unexplained> unexplained; ///< the others, ascending
};

/// The Behaviour that explains most of the answers: from the best of start_choices() one choice after the other is
/// changed, where an input that is not explained asks for it, until nothing does better. `first`: those to look from
/// before others; of Behaviours that explain as much the one found first is taken. Probes what differed of `answers`.
[[nodiscard]] FoundChoices find_choices(GivenAnswers& answers, const std::optional<Choices>& first);

} // namespace mxcert::diagnose
