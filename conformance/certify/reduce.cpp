// SPDX-License-Identifier: Apache-2.0
#include "conformance/certify/reduce.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/cases/small_cases.hpp"
#include "conformance/certify/certify.hpp"
#include "conformance/faults/small_suite.hpp"
#include "conformance/print/text.hpp"
#include "conformance/suites/registry.hpp"
#include "vectors/base/parallel.hpp"

namespace mxcert::certify {

SuiteStrength reduce(Plan& plan, std::uint64_t budget, bool operations, std::uint64_t seed) {
    SuiteStrength strength;
    std::vector<faults::SmallSuite> suites(plan.conversions.size());
    in_parallel(suites.size(), 0, [&](std::size_t i) {
        const suites::PlannedConversion& planned = plan.conversions[i];
        if (faults::has_small_suite(planned.conversion))
            suites[i] = faults::small_suite(planned.conversion, planned.judges, budget, seed);
    });
    for (std::size_t i = 0; i < suites.size(); ++i) {
        suites::PlannedConversion& planned = plan.conversions[i];
        if (!faults::has_small_suite(planned.conversion)) {
            strength.left_out.push_back(to_string(planned.conversion));
            continue;
        }
        const faults::SmallSuite& suite = suites[i];
        planned.points.clear();
        for (const Code input : suite.inputs) planned.points.push_back({input, 0, 0});
        ++strength.conversions;
        strength.inputs += suite.inputs.size();
        strength.planted += suite.planted;
        for (const std::string& bug : suite.escaped)
            strength.escaped.push_back(to_string(planned.conversion) + ": " + bug);
    }
    std::erase_if(plan.conversions, [](const suites::PlannedConversion& planned) {
        return !faults::has_small_suite(planned.conversion) || planned.points.empty();
    });
    for (const suites::GivenBits& bits : plan.given_bits) strength.left_out.push_back(to_string(bits.conversion));
    plan.given_bits.clear();
    std::erase_if(plan.operations, [&](const PlannedOperation& planned) {
        const bool stays = operations && !suites::suite_of(planned.operation).draws_randomly(planned.operation);
        if (!stays) strength.left_out.push_back(to_string(planned.operation));
        return !stays;
    });
    strength.operations = plan.operations.size();
    return strength;
}

void drop_empty_profiles(Plan& plan) {
    const auto is_empty = [&](const Profile* profile) {
        return std::none_of(plan.conversions.begin(), plan.conversions.end(),
                            [&](const suites::PlannedConversion& planned) {
                                return std::any_of(
                                    planned.judges.begin(), planned.judges.end(),
                                    [&](const verdict::Judge& judge) { return judge.profile == profile; });
                            }) &&
               std::none_of(plan.given_bits.begin(), plan.given_bits.end(),
                            [&](const suites::GivenBits& bits) { return covers(*profile, bits.conversion); }) &&
               std::none_of(plan.operations.begin(), plan.operations.end(),
                            [&](const PlannedOperation& planned) { return covers(*profile, planned.operation); });
    };
    if (!std::all_of(plan.profiles.begin(), plan.profiles.end(), is_empty)) std::erase_if(plan.profiles, is_empty);
}

std::string strength_text(const SuiteStrength& strength) {
    std::vector<std::string> parts;
    if (strength.conversions != 0 || strength.operations == 0)
        parts.push_back(fmt::format("{} of {}, which show {} of {} that every input would show",
                                    print::counted(strength.inputs, "input"),
                                    print::counted(strength.conversions, "conversion"),
                                    print::grouped(strength.planted - strength.escaped.size()),
                                    print::counted(strength.planted, "planted bug")));
    if (strength.operations != 0)
        parts.push_back(fmt::format("of {} the inputs and cases that show the bugs planted in such operations "
                                    "(mxcert selftest --level smoke)",
                                    print::counted(strength.operations, "operation")));
    std::string text = fmt::format("Small suite: {}.\n", fmt::join(parts, "; "));
    for (const std::string& bug : strength.escaped) text += "  not shown: " + bug + "\n";
    text += "It cannot see a wrong answer that none of the planted bugs gives: one input among many, or answers that "
            "depend on place, neighbours or time.\n";
    if (!strength.left_out.empty())
        text += fmt::format("Left out, because there is no small suite: {}.\n",
                            print::counted(strength.left_out.size(), "offer"));
    return text;
}

} // namespace mxcert::certify
