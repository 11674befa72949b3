// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/diagnose/found_parameter.hpp"
#include "conformance/diagnose/given_answers.hpp"
#include "conformance/status.hpp"
#include "reference/choices.hpp"
#include "vectors/faults/conversion_faults.hpp"
#include "vectors/tables/step_table.hpp"

// Which Behaviour a conversion has, from its answers alone: what it declares is not looked at.
namespace mxcert::diagnose {

/// A clause of a profile, and how many of its inputs have an answer that it does not permit.
struct FoundClause {
    std::string_view id;
    std::uint64_t inputs = 0;
    std::uint64_t differing = 0;
};

/// A profile that judges the conversion.
struct FoundProfile {
    std::string_view name;
    std::uint64_t differing = 0; ///< inputs with an answer that it does not permit
    std::vector<FoundClause> clauses;
};

/// A fault besides the choices.
struct FoundFault {
    const ConversionFault* fault = nullptr;
    std::uint64_t inputs = 0; ///< whose answer it explains
};

/// What explains the answers.
struct FoundBehaviour {
    std::string conversion;
    const Format* from = nullptr;
    const Format* to = nullptr;
    Status status = Status::pass; ///< pass: answers came; else of the observation
    std::string reason;           ///< for every status but pass
    bool sample = false;          ///< not every input was asked
    std::uint64_t asked = 0;      ///< inputs
    std::uint64_t explained = 0;  ///< that `choices` and `faults` give
    Choices choices;
    std::vector<FoundParameter> parameters; ///< the choices that any input asks for, with the evidence in inputs
    std::vector<FoundFault> faults;         ///< what no choice explains, and a known fault does
    std::vector<Unexplained> unexplained;   ///< ascending
    std::vector<FoundProfile> profiles;     ///< all that judge the conversion, those that differ least first
};

/// The Behaviour that explains most of the answers: first the roundings and overflow modes there are, then one choice
/// after the other is changed, where an input that is not explained asks for it, until nothing does better; what is
/// left then, by known faults. `steps`: what came out, ascending, disjoint; inputs between them were not asked. Sets
/// `choices`, `asked`, `explained`, `parameters`, `faults` and `unexplained`.
[[nodiscard]] FoundBehaviour find_behaviour(const Format& from, const Format& to, const std::vector<Step>& steps);

/// What the choices and faults that were found give on every input. Precondition: something was asked.
[[nodiscard]] StepTable table_of(const FoundBehaviour& found);

} // namespace mxcert::diagnose
