// SPDX-License-Identifier: Apache-2.0
// Faults of wires in hardware: a bit that is not read, two bits exchanged, a field with too few bits.
#include <fmt/format.h>

#include "reference/exact/exact.hpp"
#include "vectors/faults/fault_families.hpp"
#include "vectors/faults/fault_tables.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert {
namespace {

constexpr std::string_view bits_ignored = "E8M0_MASK_OR_BIT_BUG";

bool makes_scale(const Format& from, const Format& to) { return is_scale(to) && from.scale == nullptr; }

unsigned fraction(const Format& format) { return static_cast<unsigned>(format.fraction_bits); }
unsigned exponent(const Format& format) { return static_cast<unsigned>(format.exponent_bits); }

/// The table for numbers whose bits are read as others. Within a binade `read` must not fall.
template <class Read>
StepTable misread(const Format& from, const Format& to, const Choices& choices, const Read& read) {
    std::set<Code> cuts = binades(from);
    cuts.merge(kinds(from));
    return mapped(from, right_table(from, to, choices), cuts,
                  [&](Code input) { return from.is_finite(input) ? read(input) : input; });
}

/// Two neighbouring bits of the exponent, counted from its lowest.
StepTable exchanged(const Format& from, const Format& to, const Choices& choices, unsigned lower) {
    const Code low = Code{1} << (fraction(from) + lower);
    const Code high = low << 1U;
    return misread(from, to, choices, [=](Code input) {
        const bool differ = ((input & low) != 0) != ((input & high) != 0);
        return differ ? input ^ (low | high) : input;
    });
}

StepTable without_highest_exponent_bit(const Format& from, const Format& to, const Choices& choices) {
    const Code highest = Code{1} << (fraction(from) + exponent(from) - 1);
    return misread(from, to, choices, [=](Code input) { return input & ~highest; });
}

StepTable without_lowest_fraction_bit(const Format& from, const Format& to, const Choices& choices) {
    return misread(from, to, choices, [](Code input) { return input & ~Code{1}; });
}

/// A byte of the difference of exponent fields. That of zero and of subnormals is 0, whatever their fraction.
StepTable field_cut(const Format& from, const Format& to, const Choices& choices) {
    const StepTable& right = right_table(from, to, choices);
    Format always_hidden = from;
    always_hidden.has_subnormals = false;
    Format wide = wide_scale;
    wide.element = to.element;
    const auto smallest = static_cast<Code>(wide.bias - to.bias); // of the scales, among the wider ones
    const StepTable fields = mistaken(from, to, always_hidden, wide, choices);
    InputRanges below;
    std::vector<Step> steps;
    for (const Step& step : fields.steps) {
        if (step.code >= smallest) continue;
        steps.push_back({step.first, step.last, step.code & to.magnitude_mask()});
        append(below, {step.first, step.last});
    }
    return replaced(right, {&from, &to, steps}, below);
}

/// Overflow is looked for in the lower bits of a code: larger numbers begin again at zero.
StepTable code_wraps(const Format& from, const Format& to, const Choices& choices, unsigned bits) {
    const Format wide = with_more_binades(to, from.exponent_bits + 1 - to.exponent_bits);
    std::vector<Step> steps;
    InputRanges wrapped;
    for (const Step& step : tabulate(from, wide, choices).steps) {
        const Code magnitude = step.code & wide.magnitude_mask();
        const Code left = magnitude & low_bits(bits);
        if (!from.is_finite(step.first) || magnitude <= to.max_code() || left > to.max_code()) continue;
        const Code last = std::min(step.last, (step.first & from.sign_bit()) | from.max_code());
        steps.push_back({step.first, last, sign_of(from, to, step.first) | left});
        append(wrapped, {step.first, last});
    }
    return replaced(right_table(from, to, choices), {&from, &to, steps}, wrapped);
}

/// The bit below the round bit decides instead of it, and rounds up by itself. Where a shift is limited to what leaves
/// the highest bit there, numbers below a quarter of the smallest subnormal, and zero, are rounded up as well.
StepTable round_bit_too_low(const Format& from, const Format& to, const Choices& choices, bool limited) {
    const StepTable& right = right_table(from, to, choices);
    Format fine = with_more_binades(to, from.exponent_bits + 1 - to.exponent_bits);
    fine.fraction_bits += 2;
    Choices cut = choices;
    cut.rounding = Rounding::toward_zero;
    const Code overflows = right.steps[find_step(right, from.max_code())].code;
    std::vector<Step> steps;
    InputRanges numbers;
    for (const Step& step : tabulate(from, fine, cut).steps) {
        if (!from.is_finite(step.first)) continue;
        const Code quarters = step.code & fine.magnitude_mask();
        const Code magnitude = limited && quarters == 0 ? 1 : (quarters >> 2U) + (quarters & 1U);
        const Code last = std::min(step.last, (step.first & from.sign_bit()) | from.max_code());
        steps.push_back(
            {step.first, last, sign_of(from, to, step.first) | (magnitude > to.max_code() ? overflows : magnitude)});
        append(numbers, {step.first, last});
    }
    return replaced(right, {&from, &to, steps}, numbers);
}

} // namespace

std::vector<ConversionFault> wire_faults() {
    std::vector<ConversionFault> faults{
        {"the lowest bit of the fraction is not read", bits_ignored, makes_scale, without_lowest_fraction_bit},
        {"the highest bit of the exponent is not read", bits_ignored, makes_scale, without_highest_exponent_bit},
        {"a scale below the smallest is a byte of the difference of exponent fields", "E8M0_UNDERFLOW_WRAPS",
         makes_scale, field_cut},
    };
    for (const bool limited : {false, true})
        faults.push_back({limited ? "the round bit is taken one place too low, and no shift goes beyond it"
                                  : "the round bit is taken one place too low",
                          "OTHER_ROUNDING",
                          [](const Format& from, const Format& to) {
                              return makes_element(from, to) && from.fraction_bits >= to.fraction_bits + 2;
                          },
                          [limited](const Format& from, const Format& to, const Choices& choices) {
                              return round_bit_too_low(from, to, choices, limited);
                          }});
    for (unsigned lower = 0; lower < 7; ++lower)
        faults.push_back({fmt::format("bits {} and {} of the exponent are exchanged", lower, lower + 1), bits_ignored,
                          [lower](const Format& from, const Format& to) {
                              return makes_scale(from, to) && lower + 1 < exponent(from);
                          },
                          [lower](const Format& from, const Format& to, const Choices& choices) {
                              return exchanged(from, to, choices, lower);
                          }});
    // Of a code without its sign: as many bits as it has, and one and two more.
    for (const unsigned more : {0U, 1U, 2U})
        faults.push_back({fmt::format("overflow is looked for in {} more bits than a code has", more), "CODE_WRAPS",
                          [](const Format& from, const Format& to) {
                              return makes_element(from, to) && from.emax() > to.emax() + 4;
                          },
                          [more](const Format& from, const Format& to, const Choices& choices) {
                              return code_wraps(from, to, choices, exponent(to) + fraction(to) + more);
                          }});
    return faults;
}

} // namespace mxcert
