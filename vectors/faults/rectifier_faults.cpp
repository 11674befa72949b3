// SPDX-License-Identifier: Apache-2.0
// What goes wrong in a rectifier before a conversion, and in the conversion after it.
#include "vectors/faults/fault_families.hpp"

#include <string_view>
#include <utility>

#include "vectors/faults/fault_tables.hpp"

namespace mxcert {
namespace {

bool rectifies(const Format& from, const Format&) { return from.rectified; }

StepTable left_out(const Format& from, const Format& to, const Choices& choices) {
    Format taken = from;
    taken.rectified = false;
    return mistaken(from, to, taken, to, choices);
}

/// A comparison with zero finds -0 equal to it, and keeps it.
StepTable minus_zero_kept(const Format& from, const Format& to, const Choices& choices) {
    const Code minus_zero = from.sign_bit();
    return edited(right_table(from, to, choices), {minus_zero, minus_zero + 1},
                  [&](const Step& step) { return step.first == minus_zero ? to.sign_bit() : step.code; });
}

/// The larger of a NaN and zero is zero, as IEEE 754's maximumNumber has it.
StepTable nan_is_zero(const Format& from, const Format& to, const Choices& choices) {
    return edited(right_table(from, to, choices), kinds(from),
                  [&](const Step& step) { return from.is_nan(step.first) ? Code{0} : step.code; });
}

/// The source that the rectifier has before it. Precondition: from.rectified.
const Format& before_rectifier(const Format& from) {
    constexpr std::string_view prefix = "relu_";
    return *find_format(from.name.substr(prefix.size()));
}

/// Faults of negative inputs alone cannot be told after a rectifier.
constexpr std::string_view of_negative_inputs = "NEG_ZERO";

} // namespace

ConversionFault also_after_rectifier(ConversionFault fault) {
    if (fault.bug_class == of_negative_inputs) return fault;
    const auto before = [applies = fault.applies](const Format& from, const Format& to) {
        return from.rectified && is_element(to) && !applies(from, to) && applies(before_rectifier(from), to);
    };
    fault.make = [before, make = fault.make](const Format& from, const Format& to, const Choices& choices) {
        if (!before(from, to)) return make(from, to, choices);
        StepTable wrong = make(before_rectifier(from), to, choices);
        wrong.from = &from;
        return replaced(wrong, right_table(from, to, choices), {{from.sign_bit(), from.last_code()}});
    };
    fault.applies = [before, applies = fault.applies](const Format& from, const Format& to) {
        return applies(from, to) || before(from, to);
    };
    return fault;
}

std::vector<ConversionFault> rectifier_faults() {
    return {
        {"the rectifier is left out", "ACTIVATION", rectifies, left_out},
        {"-0 passes the rectifier", "ACTIVATION", rectifies, minus_zero_kept},
        {"NaN becomes zero in the rectifier", "NAN_LOST", rectifies, nan_is_zero},
    };
}

} // namespace mxcert
