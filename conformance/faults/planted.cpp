// SPDX-License-Identifier: Apache-2.0
#include "conformance/faults/planted.hpp"

#include <fmt/format.h>

#include "conformance/diagnose/diagnose.hpp"
#include "conformance/diagnose/find_choices.hpp"

namespace mxcert::faults {

std::vector<Planted> planted_in(const Conversion& conversion, const Profile& profile,
                                const std::vector<InputRange>& inputs) {
    const Format& from = *conversion.from;
    const Format& to = *conversion.to;
    const Choices right = diagnose::conforming_choices(conversion, profile);
    ChoiceSet choice_set = 0;
    const std::vector<InputRange> all_inputs{{0, from.last_code()}};
    for (const TracedStep& step : trace_steps(from, to, right, inputs.empty() ? all_inputs : inputs))
        choice_set |= step.consulted;
    std::vector<Planted> all;
    for (const ChoiceInfo& choice : all_choices()) {
        if ((choice_set & bit(choice.choice)) == 0) continue;
        for (const Choices& other_choices : diagnose::others_of(right, choice.choice, to)) {
            const std::string_view value = value_name(other_choices, choice.choice);
            if (permits(profile, conversion, choice.choice, value)) continue;
            all.push_back({conversion, &profile,
                           &bug_class_of(choice.choice, get(other_choices, choice.choice), from, to),
                           fmt::format("{}={}", choice.name, value), other_choices, nullptr});
        }
    }
    for (const ConversionFault& fault : conversion_faults())
        if (fault.applies(from, to))
            all.push_back(
                {conversion, &profile, find_bug_class(fault.bug_class), std::string(fault.name), right, &fault});
    return all;
}

StepTable planted_table(const Planted& planted) {
    const Format& from = *planted.conversion.from;
    const Format& to = *planted.conversion.to;
    return planted.fault != nullptr ? planted.fault->make(from, to, planted.choices)
                                    : tabulate(from, to, planted.choices);
}

} // namespace mxcert::faults
