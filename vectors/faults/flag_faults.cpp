// SPDX-License-Identifier: Apache-2.0
// Faults of exceptions. What raises a flag is told from the flags that are right, and from the codes beside them.
#include "reference/flags.hpp"

#include <set>

#include "vectors/faults/fault_families.hpp"
#include "vectors/faults/fault_tables.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert {
namespace {

bool raises(const Format& from, const Format& to) { return to.flags_of != nullptr && from.scale == nullptr; }
bool rounds(const Format& from, const Format& to) { return raises(from, to) && from.width() > to.flags_of->width(); }

/// The flags that a change makes of the right ones.
template <class Change> auto changed(Change change) {
    return [change](const Format& from, const Format& to, const Choices& choices) {
        return edited(right_table(from, to, choices), {}, [&](const Step& step) { return change(step.code); });
    };
}

auto without(Flag flag) {
    return changed([flag](Code flags) { return flags & ~bit(flag); });
}
/// Inexact is left out where another flag comes with it.
auto alone(Flag flag) {
    return changed([flag](Code flags) { return (flags & bit(flag)) != 0 ? flags & ~bit(Flag::inexact) : flags; });
}

/// The flags of each input beside its code: change(flags, code).
template <class Change> auto changed_by_code(Change change) {
    return [change](const Format& from, const Format& to, const Choices& choices) {
        const StepTable codes = tabulate(from, *to.flags_of, choices);
        std::set<Code> cuts;
        for (const Step& step : codes.steps) cuts.insert(step.first);
        return edited(right_table(from, to, choices), cuts, [&](const Step& step) {
            return change(step, codes.steps[find_step(codes, step.first)].code, *to.flags_of);
        });
    };
}

Code underflow_of_exact(const Step& step, Code code, const Format& target) {
    return step.code == 0 && target.is_subnormal(code) ? bit(Flag::underflow) : step.code;
}
/// The result is what is compared, rounded to the places that a subnormal has.
Code underflow_of_result(const Step& step, Code code, const Format& target) {
    const Code magnitude = code & target.magnitude_mask();
    return magnitude > target.fraction_mask() ? step.code & ~bit(Flag::underflow) : step.code;
}
Code inexact_always(const Step& step, Code code, const Format& target) {
    return target.is_finite(code) && (code & target.magnitude_mask()) != 0 ? step.code | bit(Flag::inexact) : step.code;
}

StepTable all_of_any(const Format& from, const Format& to, const Choices& choices) {
    const StepTable& right = right_table(from, to, choices);
    Code any = 0;
    for (const Step& step : right.steps) any |= step.code;
    return {&from, &to, {{0, from.last_code(), any}}};
}

} // namespace

std::vector<ConversionFault> flag_faults() {
    return {
        {"invalid is not raised", "FLAG_MISSING", raises, without(Flag::invalid)},
        {"overflow is not raised", "FLAG_MISSING", rounds, without(Flag::overflow)},
        {"underflow is not raised", "FLAG_MISSING", rounds, without(Flag::underflow)},
        {"inexact is not raised", "FLAG_MISSING", rounds, without(Flag::inexact)},
        {"inexact is not raised with overflow", "FLAG_MISSING", rounds, alone(Flag::overflow)},
        {"inexact is not raised with underflow", "FLAG_MISSING", rounds, alone(Flag::underflow)},
        {"underflow is raised for exact results", "FLAG_EXTRA", rounds, changed_by_code(underflow_of_exact)},
        {"inexact is raised for every number but zero", "FLAG_EXTRA", raises, changed_by_code(inexact_always)},
        {"underflow is raised by the rounded result", "TININESS", rounds, changed_by_code(underflow_of_result)},
        {"every value raises what any value raises", "FLAG_LEFT", rounds, all_of_any},
    };
}

} // namespace mxcert
