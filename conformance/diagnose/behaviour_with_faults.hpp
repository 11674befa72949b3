// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "reference/choices.hpp"
#include "vectors/faults/conversion_faults.hpp"
#include "vectors/tables/input_ranges.hpp"
#include "vectors/tables/step_table.hpp"

// What no choice expresses: a Behaviour and the faults that it has.
namespace mxcert::diagnose {

/// A Behaviour with faults, and what it does.
struct BehaviourWithFaults {
    const Format* from = nullptr;
    const Format* to = nullptr;
    Choices choices;
    std::vector<const ConversionFault*> faults;
    std::vector<Step> behaviour; ///< the Behaviour's table
    std::vector<Step> steps;     ///< with the faults
};

/// What a Behaviour with one fault does.
struct FaultTable {
    const ConversionFault* fault = nullptr;
    std::vector<Step> steps;
};

/// Of each fault that a conversion can have, in the order of conversion_faults(). Each thread keeps those it made last,
/// until it is asked for others.
[[nodiscard]] const std::vector<FaultTable>& fault_tables(const Format& from, const Format& to, const Choices& choices);

/// What a Behaviour with these faults does: where a fault changes the code, its own. Precondition: they apply.
[[nodiscard]] BehaviourWithFaults with_faults(const Format& from, const Format& to, const Choices& choices,
                                              const std::vector<const ConversionFault*>& faults);

/// The inputs to which a fault of the Behaviour gives another code.
[[nodiscard]] InputRanges changed_by(const ConversionFault& fault, const BehaviourWithFaults& fit);

/// The inputs whose answer is that of a fault of the Behaviour.
[[nodiscard]] InputRanges given_by(const ConversionFault& fault, const BehaviourWithFaults& fit,
                                   const std::vector<Step>& steps);

/// Without the faults that change no tested input, or predict fewer than nine tenths of the answers to the inputs that
/// they change.
[[nodiscard]] BehaviourWithFaults pruned(BehaviourWithFaults fit, const std::vector<Step>& steps);

/// Of choices that explain as much: the one that there is, or the default.
enum class Ties : std::uint8_t { kept, to_default };
/// With every choice at the value that explains most together with the faults: without these nothing may decide, or
/// something else have stood in for them.
[[nodiscard]] BehaviourWithFaults settled(BehaviourWithFaults fit, const std::vector<Step>& steps, Ties ties);

/// The Behaviour with faults that gives most of the answers, looked for from these choices on: one fault more as long
/// as that explains more, and only such as pruned() leaves. A fault must explain
/// some of `wanted`. `steps`: what came out, ascending, disjoint; inputs between them were not asked.
[[nodiscard]] BehaviourWithFaults find_behaviour_with_faults(const Format& from, const Format& to,
                                                             const std::vector<Step>& steps, const Choices& first,
                                                             const InputRanges& wanted);

/// Whether nine tenths of what was asked in these ranges lies in the others too: a few answers that agree are chance.
[[nodiscard]] bool holds(const InputRanges& asked_ranges, const InputRanges& ranges, const InputRanges& others);

} // namespace mxcert::diagnose
