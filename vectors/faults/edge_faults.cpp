// SPDX-License-Identifier: Apache-2.0
// What goes wrong at the ends of a format: just beyond the largest number, below the smallest, and where Inf and NaN
// are told apart from numbers.
#include <algorithm>

#include <fmt/format.h>

#include "vectors/faults/fault_families.hpp"
#include "vectors/faults/fault_tables.hpp"
#include "vectors/tables/step_parts.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert {
namespace {

using formats::e4m3;
using formats::e5m2;
using formats::fp16;

Code magnitude_of(const Format& format, Code code) { return code & format.magnitude_mask(); }

/// What a target that goes on beyond its largest number would give; its sign is above the other bits.
StepTable beyond_table(const Format& from, const Format& to, const Choices& choices, const Format& wide) {
    StepTable table = tabulate(from, wide, choices);
    table.to = &to;
    return table;
}

/// The input that the next code after the largest would stand for.
Code after_largest(const Format& from, const Format& to) {
    return ((to.max_code() + 1) << static_cast<unsigned>(from.fraction_bits - to.fraction_bits)) +
           (static_cast<Code>(from.bias - to.bias) << static_cast<unsigned>(from.fraction_bits));
}

/// The numbers that overflow and satisfy something, by the code they would have beyond the largest.
InputRanges overflowing(const Format& from, const Format& to, const Choices& choices,
                        const std::function<bool(Code wide_magnitude, Code input)>& is) {
    const Format wide = with_more_binades(to, 1);
    const StepTable table = beyond_table(from, to, choices, wide);
    const Code top = from.one_code() + (static_cast<Code>(to.emax() + 1) << from.fraction_bits);
    const Code next = after_largest(from, to);
    InputRanges ranges;
    for (const Step& step : table.steps) {
        const Code magnitude = magnitude_of(wide, step.code);
        if (!from.is_finite(step.first) || magnitude <= to.max_code()) continue;
        // Cut at the next code after the largest, where the binade of the largest number ends, and at Inf.
        const Code sign = step.first & from.sign_bit();
        const Code last = std::min(step.last, sign | from.max_code());
        Code first = step.first;
        for (const Code cut : {sign | next, sign | top}) {
            if (first >= cut || cut > last) continue;
            if (is(magnitude, magnitude_of(from, first))) append(ranges, {first, cut - 1});
            first = cut;
        }
        if (is(magnitude, magnitude_of(from, first))) append(ranges, {first, last});
    }
    return ranges;
}

/// The numbers that round to the next code after the largest.
InputRanges next_code(const Format& from, const Format& to, const Choices& choices) {
    return overflowing(from, to, choices,
                       [&](Code magnitude, Code /*input*/) { return magnitude == to.max_code() + 1; });
}
/// The numbers that only rounding makes larger than the largest.
InputRanges rounded_up(const Format& from, const Format& to, const Choices& choices) {
    return overflowing(from, to, choices,
                       [&](Code /*magnitude*/, Code input) { return input < after_largest(from, to); });
}
/// The numbers beyond the largest in its binade.
InputRanges same_binade(const Format& from, const Format& to, const Choices& choices) {
    return overflowing(from, to, choices,
                       [&](Code /*magnitude*/, Code input) { return input <= last_below(from, to.emax() + 1); });
}

using Where = InputRanges (*)(const Format& from, const Format& to, const Choices& choices);

/// In some inputs that overflow, the code that the other overflow mode gives.
StepTable other_overflow(const Format& from, const Format& to, const Choices& choices, Where where_it_is) {
    Choices other_choices = choices;
    other_choices.overflow = choices.overflow == Overflow::nosat ? Overflow::sat : Overflow::nosat;
    return replaced(right_table(from, to, choices), tabulate(from, to, other_choices), where_it_is(from, to, choices));
}
/// In some inputs the same magnitude.
StepTable with_magnitude(const Format& from, const Format& to, const Choices& choices, const InputRanges& ranges,
                         Code magnitude) {
    std::vector<Step> steps;
    for (const InputRange& range : ranges)
        steps.push_back({range.first, range.last, sign_of(from, to, range.first) | magnitude});
    return replaced(right_table(from, to, choices), {&from, &to, steps}, ranges);
}

void add_holes(std::vector<ConversionFault>& faults) {
    constexpr std::string_view hole = "OVERFLOW_HOLE";
    struct Place {
        std::string_view name;
        Where where_it_is;
    };
    for (const Place& place : {Place{"what rounds to the code after the largest", next_code},
                               Place{"what overflows in the binade of the largest", same_binade}}) {
        const Where where_it_is = place.where_it_is;
        faults.push_back({fmt::format("{} overflows by the other mode", place.name), hole, makes_element,
                          [where_it_is](const Format& from, const Format& to, const Choices& choices) {
                              return other_overflow(from, to, choices, where_it_is);
                          }});
        faults.push_back({fmt::format("{} is zero", place.name), hole, makes_element,
                          [where_it_is](const Format& from, const Format& to, const Choices& choices) {
                              return with_magnitude(from, to, choices, where_it_is(from, to, choices), 0);
                          }});
    }
    faults.push_back({"overflow is looked for before rounding", hole, makes_element,
                      [](const Format& from, const Format& to, const Choices& choices) {
                          return other_overflow(from, to, choices, rounded_up);
                      }});
    // The next code after the largest of E4M3 has a fraction: no carry leads to it.
    faults.push_back({"the carry beyond the largest is dropped", hole,
                      [](const Format& from, const Format& to) { return &to == &e5m2 && makes_element(from, to); },
                      [](const Format& from, const Format& to, const Choices& choices) {
                          return with_magnitude(from, to, choices, same_binade(from, to, choices),
                                                to.max_code() - to.fraction_mask());
                      }});
}

/// How the bits of a NaN are cut off that a test for NaN does not see.
enum class Cut : std::uint8_t { off, nearest_even, half_up };

/// The lower `bits` of the payload of a NaN are cut off or rounded away. Those that lose all others too are taken for
/// Inf; where a carry runs out of the magnitude, they are taken for a zero of the other sign. Precondition: bits > 1.
StepTable nan_cut(const Format& from, const Format& to, const Choices& choices, unsigned bits, Cut cut) {
    const StepTable& right = right_table(from, to, choices);
    const auto code_of = [&](Code input) { return right.steps[find_step(right, input)].code; };
    const Code half = Code{1} << (bits - 1);
    const Code small = cut == Cut::off ? 2 * half - 1 : cut == Cut::nearest_even ? half : half - 1;
    std::vector<Step> steps;
    InputRanges ranges;
    const auto add = [&](Code first, Code last, Code taken_for) {
        steps.push_back({first, last, code_of(taken_for)});
        append(ranges, {first, last});
    };
    for (const Code sign : {Code{0}, from.sign_bit()}) {
        const Code inf = sign | from.inf_code();
        add(inf + 1, inf + small, inf);
        const Code last = sign | from.magnitude_mask();
        if (cut != Cut::off) add(last + 1 - half, last, ~sign & from.sign_bit());
    }
    return replaced(right, {&from, &to, steps}, ranges);
}

/// The bits of a source that the target does not have, or that a narrower format or word on the way does not have.
bool may_cut(const Format& from, const Format& to, unsigned bits, Cut cut) {
    // Without a NaN Inf is the largest magnitude, and so may NaN be.
    if (!makes_element(from, to) || !to.has_nan()) return false;
    const int left = from.fraction_bits - static_cast<int>(bits);
    const bool word = bits == 16 || bits == 32;
    const bool highest_alone = cut == Cut::off && left == 1;
    return left > 0 && (word || highest_alone || left == to.fraction_bits || left == formats::fp16.fraction_bits ||
                        left == formats::bf16.fraction_bits);
}

void add_nans(std::vector<ConversionFault>& faults) {
    struct Way {
        Cut cut;
        std::string_view name;
    };
    for (const Way& way : {Way{Cut::off, "NaN is told by its bits without the lowest {}"},
                           Way{Cut::nearest_even, "NaN is rounded by {} bits as a number is"},
                           Way{Cut::half_up, "NaN is rounded by {} bits, half a unit added"}})
        for (unsigned bits = 2; bits < 52; ++bits) {
            const Cut cut = way.cut;
            faults.push_back(
                {fmt::format(fmt::runtime(way.name), bits), "NAN_BITS_CUT",
                 [bits, cut](const Format& from, const Format& to) { return may_cut(from, to, bits, cut); },
                 [bits, cut](const Format& from, const Format& to, const Choices& choices) {
                     return nan_cut(from, to, choices, bits, cut);
                 }});
        }
}

StepTable zero_below_smallest(const Format& from, const Format& to, const Choices& choices) {
    const Code last = last_below(from, to.emin() - to.fraction_bits);
    return with_magnitude(from, to, choices, of_both_signs(from, {1, last}), 0);
}
StepTable half_rounds_up(const Format& from, const Format& to, const Choices& choices) {
    const Code half = last_below(from, to.emin() - to.fraction_bits - 1) + 1;
    return with_magnitude(from, to, choices, of_both_signs(from, {half, half}), 1);
}
/// What rounds up to the smallest normal number from below it.
InputRanges carried_to_normal(const Format& from, const Format& to, const Choices& choices) {
    InputRanges ranges;
    const Code normal = Code{1} << to.fraction_bits;
    const Code last = last_below(from, to.emin());
    for (const Step& step : right_table(from, to, choices).steps)
        if (magnitude_of(to, step.code) == normal && magnitude_of(from, step.first) <= last)
            append(ranges, {step.first, std::min(step.last, (step.first & from.sign_bit()) | last)});
    return ranges;
}

void add_underflow(std::vector<ConversionFault>& faults) {
    const auto has_half = [](const Format& from, const Format& to) {
        return makes_element(from, to) && to.emin() - to.fraction_bits - 1 > from.emin();
    };
    faults.push_back({"below the smallest subnormal everything is zero", "UNDERFLOW_EDGE",
                      [](const Format& from, const Format& to) {
                          return makes_element(from, to) && to.emin() - to.fraction_bits > from.emin();
                      },
                      zero_below_smallest});
    faults.push_back({"half of the smallest subnormal is rounded up", "UNDERFLOW_EDGE", has_half, half_rounds_up});
    faults.push_back({"the carry into the smallest normal number is dropped", "CARRY_DROPPED", makes_element,
                      [](const Format& from, const Format& to, const Choices& choices) {
                          return with_magnitude(from, to, choices, carried_to_normal(from, to, choices), 0);
                      }});
    faults.push_back({"the carry into the smallest normal number is held back", "CARRY_DROPPED", makes_element,
                      [](const Format& from, const Format& to, const Choices& choices) {
                          return with_magnitude(from, to, choices, carried_to_normal(from, to, choices),
                                                to.fraction_mask());
                      }});
}

/// Some negative inputs lose their sign where they are zero.
StepTable unsigned_zeros(const Format& from, const Format& to, const Choices& choices, InputRange magnitudes) {
    std::set<Code> cuts{from.sign_bit() | magnitudes.first, (from.sign_bit() | magnitudes.last) + 1};
    return edited(right_table(from, to, choices), cuts, [&](const Step& step) {
        const Code magnitude = magnitude_of(from, step.first);
        const bool in =
            (step.first & from.sign_bit()) != 0 && magnitudes.first <= magnitude && magnitude <= magnitudes.last;
        return in && step.code == to.sign_bit() ? 0 : step.code;
    });
}

void add_zeros(std::vector<ConversionFault>& faults) {
    constexpr std::string_view lost = "NEG_ZERO";
    faults.push_back({"what underflows loses its sign, zero does not", lost, makes_element,
                      [](const Format& from, const Format& to, const Choices& choices) {
                          return unsigned_zeros(from, to, choices, {1, from.max_code()});
                      }});
    const auto has_smaller_binades = [](const Format& from, const Format& to) {
        return makes_element(from, to) && to.emin() - to.fraction_bits - 1 > from.emin();
    };
    for (const Code first : {Code{0}, Code{1}})
        faults.push_back({first == 0 ? "zero, and what is below half of the smallest subnormal, loses its sign"
                                     : "what is below half of the smallest subnormal loses its sign",
                          lost, has_smaller_binades,
                          [first](const Format& from, const Format& to, const Choices& choices) {
                              const Code last = last_below(from, to.emin() - to.fraction_bits - 1);
                              return unsigned_zeros(from, to, choices, {first, last});
                          }});
    for (const Code first : {Code{0}, Code{1}})
        faults.push_back({first == 0 ? "zero and subnormals of the source lose their sign"
                                     : "subnormals of the source lose their sign",
                          lost, makes_element, [first](const Format& from, const Format& to, const Choices& choices) {
                              return unsigned_zeros(from, to, choices, {first, last_below(from, from.emin())});
                          }});
}

/// From one magnitude on every number overflows, as Inf does.
StepTable overflows_from(const Format& from, const Format& to, const Choices& choices, Code first) {
    const StepTable& right = right_table(from, to, choices);
    Choices other_choices = choices;
    if (other_choices.overflow == Overflow::sat_finite) other_choices.overflow = Overflow::sat;
    const StepTable ends = tabulate(from, to, other_choices);
    const Code code = ends.steps[find_step(ends, from.max_code())].code;
    std::vector<Step> steps;
    const InputRanges ranges = of_both_signs(from, {first, from.max_code()});
    for (const InputRange& range : ranges)
        steps.push_back({range.first, range.last, sign_of(from, to, range.first) | code});
    return replaced(right, {&from, &to, steps}, ranges);
}

/// E4M3 whose overflow is decided by the top of E5M2: until there its codes run out of their bits.
StepTable codes_run_over(const Format& from, const Format& to, const Choices& choices, bool into_sign) {
    const Format wide = with_more_binades(to, 1);
    const StepTable table = beyond_table(from, to, choices, wide);
    const Code last = from.one_code() + (static_cast<Code>(e5m2.emax() + 1) << from.fraction_bits) - 1;
    const StepTable run_over = edited(table, kinds(from), [&](const Step& step) {
        const Code magnitude = magnitude_of(wide, step.code);
        return sign_of(from, to, step.first) |
               (magnitude & (into_sign ? to.magnitude_mask() | to.sign_bit() : to.magnitude_mask()));
    });
    InputRanges ranges;
    for (const InputRange& range : next_code(from, to, choices)) append(ranges, range);
    const Code first = magnitude_of(from, ranges.front().first);
    return replaced(right_table(from, to, choices), run_over, of_both_signs(from, {first, last}));
}

/// Numbers from 2^16 on are Inf, or NaN if they have a fraction: the test is that of FP16.
StepTable special_from_fp16(const Format& from, const Format& to, const Choices& choices) {
    const StepTable& right = right_table(from, to, choices);
    const auto code_of = [&](Code input) { return right.steps[find_step(right, input)].code; };
    const Code first = last_below(from, fp16.emax() + 1) + 1;
    std::vector<Step> steps;
    const InputRanges ranges = of_both_signs(from, {first, from.max_code()});
    for (const InputRange& range : ranges) {
        const Code sign = range.first & from.sign_bit();
        const Code inf = code_of(sign | from.inf_code());
        const Code nan = code_of(sign | from.magnitude_mask());
        const Code size = from.fraction_mask() + 1;
        for (Code power = range.first; power <= range.last; power += size) {
            steps.push_back({power, power, inf});
            steps.push_back({power + 1, power + size - 1, nan});
        }
    }
    return replaced(right, {&from, &to, steps}, ranges);
}

Format of_specials(const Format& format, Specials specials) {
    Format other_format = format;
    other_format.specials = specials;
    return other_format;
}

void add_exponent_tests(std::vector<ConversionFault>& faults) {
    constexpr std::string_view other_top = "OTHER_TOP";
    const auto makes_e4m3 = [](const Format& from, const Format& to) {
        return &to == &e4m3 && makes_element(from, to);
    };
    const auto makes_e5m2 = [](const Format& from, const Format& to) {
        return &to == &e5m2 && makes_element(from, to);
    };
    const auto reads_e5m2 = [](const Format& from, const Format& to) {
        return &from == &e5m2 && reads_element(from, to);
    };
    const auto wider_than_fp16 = [](const Format& from, const Format& to) {
        return makes_element(from, to) && from.emax() > fp16.emax();
    };
    faults.push_back({"E5M2 overflows beyond 448, the largest of E4M3", other_top, makes_e5m2,
                      [](const Format& from, const Format& to, const Choices& choices) {
                          return overflows_from(from, to, choices,
                                                right_table(e4m3, from, {}).steps.at(e4m3.max_code()).code + 1);
                      }});
    faults.push_back(
        {"E5M2 is clamped to 448, the largest of E4M3", other_top, makes_e5m2,
         [](const Format& from, const Format& to, const Choices& choices) {
             const Code largest = right_table(e4m3, from, {}).steps.at(e4m3.max_code()).code;
             const StepTable& right = right_table(from, to, choices);
             const Code code = right.steps[find_step(right, largest)].code;
             return with_magnitude(from, to, choices, of_both_signs(from, {largest, from.inf_code()}), code);
         }});
    for (const bool into_sign : {false, true})
        faults.push_back({into_sign ? "E4M3 is tested with the largest of E5M2, and codes run into the sign"
                                    : "E4M3 is tested with the largest of E5M2, and codes are cut to 7 bits",
                          other_top, makes_e4m3,
                          [into_sign](const Format& from, const Format& to, const Choices& choices) {
                              return codes_run_over(from, to, choices, into_sign);
                          }});
    faults.push_back(
        {"numbers from 65536 on are taken for the Inf and NaN of FP16", other_top, wider_than_fp16, special_from_fp16});
    faults.push_back({"Inf and NaN are converted as numbers", other_top, makes_element,
                      [](const Format& from, const Format& to, const Choices& choices) {
                          return mistaken(from, to, of_specials(from, Specials::none), to, choices);
                      }});
    faults.push_back({"E5M2 is read with the NaN of E4M3 alone", other_top, reads_e5m2,
                      [](const Format& from, const Format& to, const Choices& choices) {
                          return mistaken(from, to, of_specials(from, Specials::nan_all_ones), to, choices);
                      }});
}

/// 16 bits of an input, taken for a number of FP16, in some inputs.
StepTable read_as_fp16(const Format& from, const Format& to, const Choices& choices, unsigned shift,
                       const InputRanges& ranges) {
    const StepTable replacement = tabulate(fp16, to, choices);
    std::set<Code> cuts;
    for (const InputRange& range : ranges) {
        cuts.insert(range.first);
        if (range.last != from.last_code()) cuts.insert(range.last + 1);
        // The low bits begin anew.
        for (Code first = range.first; shift == 0 && first <= range.last; first += Code{1} << 16U)
            cuts.insert(first & ~Code{0xFFFF});
    }
    const auto in = [&](Code input) {
        return std::any_of(ranges.begin(), ranges.end(),
                           [&](const InputRange& range) { return range.first <= input && input <= range.last; });
    };
    const StepTable table =
        mapped(from, replacement, cuts, [&](Code input) { return in(input) ? input >> shift & 0xFFFF : Code{0}; });
    return replaced(right_table(from, to, choices), table, ranges);
}

void add_misread(std::vector<ConversionFault>& faults) {
    constexpr std::string_view misread = "SOURCE_MISREAD";
    const auto has_half = [](const Format& from, const Format& to) {
        return makes_element(from, to) && &from != &fp16 && from.width() <= 32;
    };
    const auto add = [&](std::string name, const auto& applies, bool upper, const auto& ranges_of) {
        faults.push_back({std::move(name), misread, applies,
                          [upper, ranges_of](const Format& from, const Format& to, const Choices& choices) {
                              const unsigned shift = upper ? static_cast<unsigned>(from.width()) - 16 : 0;
                              return read_as_fp16(from, to, choices, shift, ranges_of(from, to));
                          }});
    };
    const auto tiny = [](const Format& from, const Format& to) {
        return of_both_signs(from, {0, last_below(from, to.emin())});
    };
    const auto large = [](const Format& from, const Format& to) {
        return of_both_signs(from, {last_below(from, to.emax() + 1) + 1, from.max_code()});
    };
    const auto nan = [](const Format& from, const Format&) {
        return of_both_signs(from, {from.inf_code() + 1, from.magnitude_mask()});
    };
    add("the first 16 bits are read as FP16 where the result is subnormal", has_half, true, tiny);
    add("the first 16 bits are read as FP16 beyond the largest binade", has_half, true, large);
    add(
        "the last 16 bits are read as FP16 where the source is NaN",
        [](const Format& from, const Format& to) { return &from == &formats::fp32 && makes_element(from, to); }, false,
        nan);
}

} // namespace

std::vector<ConversionFault> edge_faults() {
    std::vector<ConversionFault> faults;
    add_holes(faults);
    add_underflow(faults);
    add_zeros(faults);
    add_exponent_tests(faults);
    add_nans(faults);
    add_misread(faults);
    return faults;
}

} // namespace mxcert
