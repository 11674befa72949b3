// SPDX-License-Identifier: Apache-2.0
// A number that becomes subnormal is shifted right by as many binades as it lies below the smallest normal number. The
// processor, or the compiler, takes a shift by more bits than the word has modulo its bits: tiny numbers come out as if
// they were larger. What compilers made of one header is among them; ties are decided by other shifts, and the carry
// into the second normal binade by another test.
#include <fmt/format.h>

#include "vectors/faults/fault_families.hpp"
#include "vectors/faults/fault_tables.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert {
namespace {

enum class Ties : std::uint8_t {
    even,     ///< as they should be
    up,       ///< the test for a tie is never true
    up_but_1, ///< it is true for powers of two alone: half of the smallest magnitude goes to zero
    cut,      ///< what is shifted out is lost before ties are decided
};
enum class Top : std::uint8_t {
    normal,      ///< a shift by 0 bits leaves a normal number
    carry_lost,  ///< what rounds up to the second normal binade is zero
    hidden_lost, ///< the hidden bit is cut off: only subnormals are made
};

/// One way in which shifts wrap, as data.
struct Wrapped {
    unsigned word; ///< bits
    Ties ties;
    Top top;
};

bool wraps(const Format& from, const Format& to, unsigned word) {
    if (!makes_element(from, to) || static_cast<unsigned>(from.fraction_bits) >= word) return false;
    return to.emin() - from.emin() >= static_cast<int>(word);
}

int shift_of(const Format& from, const Format& to, Code field) {
    return to.emin() - (static_cast<int>(field) - from.bias);
}

/// The number that the shift makes of an input: as many binades further up as the shift is too short. Precondition: the
/// shift of its binade wraps.
Code taken_for(const Format& from, const Format& to, unsigned word, Code input) {
    const Code field = (input & from.magnitude_mask()) >> from.fraction_bits;
    const auto shift = static_cast<unsigned>(shift_of(from, to, field));
    return input + (Code{shift - shift % word} << from.fraction_bits);
}

StepTable wrapped(const Format& from, const Format& to, const Choices& choices, const Wrapped& way) {
    Choices taken = choices;
    if (way.ties == Ties::up || way.ties == Ties::up_but_1) taken.rounding = Rounding::nearest_away;
    const StepTable right = right_table(from, to, choices);
    const StepTable replacement = way.ties == Ties::even || way.ties == Ties::cut ? right : tabulate(from, to, taken);
    const Code smallest_half = static_cast<Code>(to.emin() - to.fraction_bits - 1 + from.bias) << from.fraction_bits;
    const auto wraps_at = [&](Code input) {
        const Code field = (input & from.magnitude_mask()) >> from.fraction_bits;
        return field != 0 && shift_of(from, to, field) >= static_cast<int>(way.word);
    };
    const std::set<Code> cuts = binades(from);
    const StepTable table = mapped(from, replacement, cuts, [&](Code input) {
        if (!wraps_at(input)) return input;
        const Code taken_as = taken_for(from, to, way.word, input);
        if (way.ties == Ties::up_but_1 && (taken_as & from.magnitude_mask()) == smallest_half) return taken_as - 1;
        if (way.ties != Ties::cut) return taken_as;
        const auto shift =
            static_cast<unsigned>(shift_of(from, to, (taken_as & from.magnitude_mask()) >> from.fraction_bits));
        return shift > static_cast<unsigned>(from.fraction_bits) ? input & from.sign_bit()
                                                                 : taken_as & ~((Code{1} << shift) - 1);
    });
    const StepTable topped = edited(table, cuts, [&](const Step& step) {
        if (!wraps_at(step.first) || way.top == Top::normal) return step.code;
        const Code magnitude = step.code & to.magnitude_mask();
        const Code second = Code{2} << to.fraction_bits;
        const bool lost = way.top == Top::carry_lost ? magnitude == second : true;
        return lost ? sign_of(from, to, step.first) | (way.top == Top::carry_lost ? 0 : magnitude & to.fraction_mask())
                    : step.code;
    });
    InputRanges ranges;
    for (const Step& step : topped.steps) {
        Step part = step;
        for (auto cut = cuts.upper_bound(step.first); cut != cuts.end() && *cut <= step.last; ++cut) {
            if (wraps_at(part.first)) append(ranges, {part.first, *cut - 1});
            part.first = *cut;
        }
        if (wraps_at(part.first)) append(ranges, {part.first, part.last});
    }
    return replaced(right, topped, ranges);
}

std::string name_of(const Wrapped& way) {
    constexpr std::string_view ties[] = {"", ", ties up", ", ties up but the first", ", what is shifted out lost"};
    constexpr std::string_view tops[] = {"", ", the last carry lost", ", the hidden bit lost"};
    return fmt::format("tiny numbers are shifted modulo {}{}{}", way.word, ties[static_cast<std::size_t>(way.ties)],
                       tops[static_cast<std::size_t>(way.top)]);
}

} // namespace

std::vector<ConversionFault> shift_faults() {
    std::vector<ConversionFault> faults;
    for (const unsigned word : {64U, 32U})
        for (const Top top : {Top::normal, Top::carry_lost, Top::hidden_lost})
            for (const Ties ties : {Ties::even, Ties::up_but_1, Ties::up, Ties::cut}) {
                const Wrapped way{word, ties, top};
                // The plainest has a name already.
                if (word == 64 && top == Top::normal && ties == Ties::even) continue;
                faults.push_back({name_of(way), "SHIFT_OVERFLOW",
                                  [word](const Format& from, const Format& to) { return wraps(from, to, word); },
                                  [way](const Format& from, const Format& to, const Choices& choices) {
                                      return wrapped(from, to, choices, way);
                                  }});
            }
    return faults;
}

} // namespace mxcert
