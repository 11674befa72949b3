// SPDX-License-Identifier: Apache-2.0
// Ties are decided by the bits below the round bit, drawn together to the sticky bit: some of them are left out.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "vectors/faults/fault_families.hpp"
#include "vectors/faults/fault_tables.hpp"

namespace mxcert {
namespace {

constexpr std::string_view sticky_lost = "STICKY_LOST";
constexpr unsigned widest = 21; ///< bits of FP32 below the round bit of E2M1
/// Where bit `n` and all above are lost each multiple of 2^n is an input of its own. No more than 2^10 of them a step.
constexpr unsigned most_single = 10;

/// Bits of the source that a normal number of the target does not have: the round bit, and those below it.
unsigned dropped(const Format& from, const Format& to) {
    return static_cast<unsigned>(from.fraction_bits - to.fraction_bits);
}

/// Of another source than FP32 the families would be as long again.
bool has_sticky_bit(const Format& from, const Format& to, unsigned bit) {
    return makes_element(from, to) && bit + 1 < dropped(from, to);
}

/// The inputs of one code, without the sign: its numbers end below Inf.
bool is_number(const Format& from, Code input) { return (input & from.magnitude_mask()) < from.inf_code(); }

/// The inputs of a step, in its first 2^bit, that have that bit get the code of the step before.
StepTable without_bit(const Format& from, const Format& to, const Choices& choices, unsigned bit) {
    const StepTable& right = right_table(from, to, choices);
    const Code size = Code{1} << bit;
    std::vector<Step> changed;
    for (const Step& step : right.steps) {
        if (step.first < size || !is_number(from, step.first)) continue;
        // All of them differ from the first of the step in this bit and those below, which are bits of the fraction:
        // they are numbers of its sign.
        Code first = step.first;
        if ((first & size) == 0) first = (first / size + 1) * size;
        const Code last = std::min({first | (size - 1), step.first + size - 1, step.last});
        if (first > last) continue;
        changed.push_back({first, last, right.steps[find_step(right, first - size)].code});
    }
    InputRanges ranges;
    for (const Step& step : changed) append(ranges, {step.first, step.last});
    return replaced(right, {&from, &to, changed}, ranges);
}

/// The inputs as they are without some of their lower bits; Inf and NaN as they are.
StepTable without_low(const Format& from, const Format& to, const Choices& choices, const std::set<Code>& cuts,
                      const std::function<unsigned(Code magnitude)>& lost) {
    std::set<Code> all = cuts;
    all.merge(kinds(from));
    return mapped(from, right_table(from, to, choices), all, [&](Code input) {
        if (!is_number(from, input)) return input;
        const unsigned bits = lost(input & from.magnitude_mask());
        // A shift by more bits than the fraction and its hidden bit leaves nothing.
        if (bits > static_cast<unsigned>(from.fraction_bits)) return input & from.sign_bit();
        return input & ~low_bits(bits);
    });
}

/// By how many bits a magnitude is shifted to become subnormal; 0: it does not.
unsigned subnormal_shift(const Format& from, const Format& to, Code magnitude) {
    const int field = std::max(1, static_cast<int>(magnitude >> from.fraction_bits));
    return static_cast<unsigned>(std::max(0, to.emin() - (field - from.bias)));
}

StepTable without_shifted(const Format& from, const Format& to, const Choices& choices) {
    return without_low(from, to, choices, binades(from),
                       [&](Code magnitude) { return subnormal_shift(from, to, magnitude); });
}

/// Only the round bit, and `guards` bits below it, are left of what is dropped.
StepTable with_guards(const Format& from, const Format& to, const Choices& choices, unsigned guards) {
    const unsigned bits = dropped(from, to) - 1 - guards;
    return without_low(from, to, choices, binades(from),
                       [&](Code magnitude) { return bits + subnormal_shift(from, to, magnitude); });
}

/// Just above each tie the inputs of its step that differ from it in bit `bit` and above are taken for it.
StepTable without_high(const Format& from, const Format& to, const Choices& choices, unsigned bit) {
    const StepTable& right = right_table(from, to, choices);
    const Code size = Code{1} << bit;
    std::vector<Step> changed;
    InputRanges ranges;
    for (std::size_t i = 1; i < right.steps.size(); ++i) {
        const Code tie = right.steps[i].first - 1;
        if (!is_number(from, tie) || !is_number(from, tie + 1)) continue;
        const auto round_bit = static_cast<unsigned>(std::countr_zero(tie)); // of zero it is above the fraction
        if (round_bit <= bit || round_bit > static_cast<unsigned>(from.fraction_bits)) continue;
        for (Code above = size; above < Code{1} << round_bit && tie + above <= right.steps[i].last; above += size) {
            changed.push_back({tie + above, tie + above, right.steps[i - 1].code});
            append(ranges, {tie + above, tie + above});
        }
    }
    return replaced(right, {&from, &to, changed}, ranges);
}

template <class Make> void add(std::vector<ConversionFault>& faults, std::string name, unsigned bit, const Make& make) {
    faults.push_back({std::move(name), sticky_lost,
                      [bit](const Format& from, const Format& to) { return has_sticky_bit(from, to, bit); },
                      [bit, make](const Format& from, const Format& to, const Choices& choices) {
                          return make(from, to, choices, bit);
                      }});
}

} // namespace

std::vector<ConversionFault> sticky_faults() {
    std::vector<ConversionFault> faults;
    for (unsigned guards = 0; guards < 3; ++guards)
        add(faults, fmt::format("no sticky bit behind {} guard bits", guards), guards, with_guards);
    faults.push_back({"bits that a subnormal is shifted out by are lost", sticky_lost, makes_element, without_shifted});
    for (unsigned bit = 0; bit < widest; ++bit)
        add(faults, fmt::format("the sticky bit is made without bit {}", bit), bit, without_bit);
    for (unsigned bit = 0; bit < widest; ++bit)
        add(faults, fmt::format("the sticky bit is made without bits 0 to {}", bit), bit,
            [](const Format& from, const Format& to, const Choices& choices, unsigned last) {
                return without_low(from, to, choices, {}, [&](Code) { return last + 1; });
            });
    // Without bit 0 and all above is without any: the highest bit alone has a name already.
    for (unsigned bit = 1; bit < widest; ++bit)
        faults.push_back({fmt::format("the sticky bit is made without bit {} and all above", bit), sticky_lost,
                          [bit](const Format& from, const Format& to) {
                              return has_sticky_bit(from, to, bit + 1) && dropped(from, to) <= bit + most_single;
                          },
                          [bit](const Format& from, const Format& to, const Choices& choices) {
                              return without_high(from, to, choices, bit);
                          }});
    return faults;
}

} // namespace mxcert
