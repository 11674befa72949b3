// SPDX-License-Identifier: Apache-2.0
// Each fault is another format, or an edit of the right table.
#include "vectors/faults/conversion_faults.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "reference/exact/exact.hpp"
#include "vectors/faults/fault_families.hpp"
#include "vectors/faults/fault_tables.hpp"
#include "vectors/tables/step_parts.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert {
namespace {

using formats::e4m3;
using formats::e5m2;

bool makes_e4m3(const Format& from, const Format& to) { return &to == &e4m3 && makes_element(from, to); }
bool reads_e4m3(const Format& from, const Format& to) {
    return &from == &e4m3 && &to != &e4m3 && (reads_element(from, to) || is_element(to));
}
/// Whether the exponents of the source lie a word of 64 bits below those of the target, and more.
bool is_far_below(const Format& from, const Format& to) { return from.emin() + 64 <= to.emin(); }
bool reads_scale(const Format& from, const Format& to) { return &from == &formats::e8m0 && to.has_zero(); }

StepTable carry_dropped(const Format& from, const Format& to, const Choices& choices) {
    return edited(right_table(from, to, choices), binades(from), [&](const Step& step) {
        const Code magnitude = step.code & to.magnitude_mask();
        if (!from.is_finite(step.first) || !to.is_finite(step.code)) return step.code;
        if (magnitude == 0 || (magnitude & to.fraction_mask()) != 0) return step.code; // of zero it is 0
        const auto input = exact::decode(from, step.first).magnitude;
        const auto output = exact::decode(to, step.code).magnitude;
        if (exact::floor_log2(input) >= exact::floor_log2(output)) return step.code;
        return step.code - (Code{1} << to.fraction_bits);
    });
}

constexpr Code top_of_e4m3 = 0x78; // 256, the first code of exponent 15

StepTable largest_from_256(const Format& from, const Format& to, const Choices& choices) {
    return edited(right_table(from, to, choices), {}, [](const Step& step) {
        const bool top = !e4m3.is_nan(step.code) && (step.code & e4m3.magnitude_mask()) >= top_of_e4m3;
        return top ? (step.code & e4m3.sign_bit()) | e4m3.max_code() : step.code;
    });
}
StepTable largest_is_240(const Format& from, const Format& to, const Choices& choices) {
    return edited(right_table(from, to, choices), {}, [](const Step& step) {
        const bool top = !e4m3.is_nan(step.code) && (step.code & e4m3.magnitude_mask()) >= top_of_e4m3;
        return top ? (step.code & e4m3.sign_bit()) | (top_of_e4m3 - 1) : step.code;
    });
}

/// Exponent field 0 as any other, but for the zeros.
StepTable always_hidden_bit(const Format& from, const Format& to, const Choices& choices) {
    Format taken_from = from;
    Format taken_to = to;
    (is_element(from) ? taken_from : taken_to).has_subnormals = false;
    const StepTable right = right_table(from, to, choices);
    std::set<Code> zeros;
    for (const Code sign : {Code{0}, from.sign_bit()}) {
        zeros.insert(sign);
        zeros.insert(sign + 1);
    }
    return edited(mistaken(from, to, taken_from, taken_to, choices), zeros, [&](const Step& step) {
        if ((step.first & from.magnitude_mask()) == 0) return right.steps[find_step(right, step.first)].code;
        return step.code == 0 ? sign_of(from, to, step.first) : step.code;
    });
}

/// Rounded as a normal number first. That matters between what rounds to half the smallest subnormal and the smallest
/// normal number.
StepTable twice_below_normal(const Format& from, const Format& to, const Choices& choices) {
    Format normal = from;
    normal.fraction_bits = to.fraction_bits;
    Choices first;
    first.rounding = choices.rounding;
    first.overflow = Overflow::nosat;
    first.nan = NanRule::payload_sign;
    const int below_half = to.emin() - to.fraction_bits - 2;
    const InputRanges ranges =
        of_both_signs(from, {below_half < from.emin() ? 0 : last_below(from, below_half), last_below(from, to.emin())});
    const StepTable second = tabulate(normal, to, choices);
    std::vector<Step> twice;
    for (const TracedStep& step : trace_steps(from, normal, first, ranges))
        twice.push_back({step.first, step.last, second.steps[find_step(second, step.code)].code});
    return replaced(right_table(from, to, choices), {&from, &to, std::move(twice)}, ranges);
}

/// FP64 is rounded to FP32 first, to nearest even. NaN stays what it is.
StepTable by_way_of_fp32(const Format& from, const Format& to, const Choices& choices) {
    Choices first;
    first.overflow = Overflow::nosat;
    const auto rounded = [&](Code input) {
        return exact::convert(from, formats::fp32, first, std::min(input, (input & from.sign_bit()) | from.inf_code()))
            .code;
    };
    const StepTable& right = right_table(from, to, choices);
    const StepTable twice = mapped(from, tabulate(formats::fp32, to, choices), kinds(from), rounded);
    return replaced(right, twice, of_both_signs(from, {0, from.inf_code()}));
}

/// The significand of a number below the normal ones of the target moves right by the difference of the exponents. A
/// processor takes the count of a shift of 64 bits modulo 64, so from 64 on a number is rounded as 2^64 times itself,
/// or as 2^128 times, ... Subnormal sources are moved by a count that leaves nothing either way.
StepTable shifted_away(const Format& from, const Format& to, const Choices& choices) {
    constexpr Code word = 64;
    const StepTable& right = right_table(from, to, choices);
    std::vector<Step> wrapped;
    InputRanges ranges;
    const auto field_of = [&](int exponent) { return static_cast<Code>(exponent + from.bias); };
    for (const Code sign : {Code{0}, from.sign_bit()})
        for (Code field = 1; field + word <= field_of(to.emin()); ++field) {
            const Code up = (field_of(to.emin()) - field) / word * word << from.fraction_bits;
            const Code first = sign | field << from.fraction_bits;
            const Code last = first | from.fraction_mask();
            for (std::size_t i = find_step(right, first + up); i < right.steps.size(); ++i) {
                const Step& step = right.steps[i];
                if (step.first > last + up) break;
                const Code from_first = std::max(step.first, first + up) - up;
                wrapped.push_back({from_first, std::min(step.last, last + up) - up, step.code});
            }
            append(ranges, {first, last});
        }
    return joined({&from, &to, overlaid(right.steps, wrapped, ranges)});
}

const Format& fnuz_of(const Format& format) { return &format == &e4m3 ? formats::e4m3fnuz : formats::e5m2fnuz; }

StepTable made_fnuz(const Format& from, const Format& to, const Choices& choices) {
    return mistaken(from, to, from, fnuz_of(to), choices);
}
StepTable read_fnuz(const Format& from, const Format& to, const Choices& choices) {
    return mistaken(from, to, fnuz_of(from), to, choices);
}

/// ebby-s/MX-for-FPGA afb8f78, of E4M3 and E5M2.
StepTable scale_less_bias(const Format& from, const Format& to, const Choices& choices) {
    const auto bias = static_cast<Code>(to.element->bias);
    return edited(right_table(from, to, choices), {}, [&](const Step& step) {
        return to.is_nan(step.code) ? step.code : step.code - std::min(step.code, bias);
    });
}

Format all_numbers(const Format& format) {
    Format numbers = format;
    numbers.specials = Specials::none;
    return numbers;
}
StepTable specials_as_numbers(const Format& from, const Format& to, const Choices& choices) {
    return mistaken(from, to, all_numbers(from), to, choices);
}
StepTable up_to_480(const Format& from, const Format& to, const Choices& choices) {
    return mistaken(from, to, from, all_numbers(to), choices);
}
StepTable ieee_e4m3(const Format& from, const Format& to, const Choices& choices) {
    Format ieee = to;
    ieee.specials = Specials::ieee;
    return mistaken(from, to, from, ieee, choices);
}

/// The reader's side of both.
StepTable read_up_to_480(const Format& from, const Format& to, const Choices& choices) {
    return mistaken(from, to, all_numbers(from), to, choices);
}
StepTable read_ieee_e4m3(const Format& from, const Format& to, const Choices& choices) {
    Format ieee = from;
    ieee.specials = Specials::ieee;
    return mistaken(from, to, ieee, to, choices);
}

StepTable inf_is_zero(const Format& from, const Format& to, const Choices& choices) {
    std::set<Code> ends;
    for (const Code sign : {Code{0}, from.sign_bit()}) {
        ends.insert(sign | from.inf_code());
        ends.insert((sign | from.inf_code()) + 1);
    }
    return edited(right_table(from, to, choices), ends, [&](const Step& step) {
        return from.is_inf(step.first) ? sign_of(from, to, step.first) : step.code;
    });
}

StepTable smallest_scale_is_zero(const Format& from, const Format& to, const Choices& choices) {
    return edited(right_table(from, to, choices), {1},
                  [](const Step& step) { return step.first == 0 ? 0 : step.code; });
}
StepTable last_scale_is_inf(const Format& from, const Format& to, const Choices& choices) {
    return mistaken(from, to, formats::e8m0inf, to, choices);
}

/// A mask that is short of the bits 0x300000 of FP32's fraction: what has no others is taken for a power of two.
StepTable short_mask(const Format& from, const Format& to, const Choices& choices) {
    constexpr Code overlooked = 0x300000;
    std::set<Code> cuts;
    for (const Code first : binades(from))
        for (Code fraction = 0x100000; fraction <= overlooked; fraction += 0x100000) {
            cuts.insert(first + fraction);
            cuts.insert(first + fraction + 1);
        }
    const StepTable right = right_table(from, to, choices);
    return edited(right, cuts, [&](const Step& step) {
        const Code fraction = step.first & from.fraction_mask();
        const Code field = (step.first & from.magnitude_mask()) >> from.fraction_bits;
        if (step.first != step.last || fraction == 0 || (fraction & ~overlooked) != 0 || field == 0) return step.code;
        return right.steps[find_step(right, step.first - fraction)].code;
    });
}
StepTable lowest_bit_lost(const Format& from, const Format& to, const Choices& choices) {
    return edited(right_table(from, to, choices), {},
                  [&](const Step& step) { return to.is_nan(step.code) ? step.code : step.code & ~Code{1}; });
}

constexpr Code byte = 0xFF;

bool is_below_scales(const Format& from) {
    return from.scale == nullptr && from.emin() - from.fraction_bits < formats::e8m0.emin();
}

/// What is below the smallest scale gets a negative exponent, and a byte of it.
StepTable exponent_cut(const Format& from, const Format& to, const Choices& choices) {
    const StepTable right = right_table(from, to, choices);
    Format wide = wide_scale;
    wide.element = to.element;
    const StepTable replacement = mistaken(from, to, from, wide, choices);
    std::set<Code> cuts;
    for (const Step& step : right.steps) cuts.insert(step.first);
    for (const Code first : binades(from)) cuts.insert(first);
    const auto smallest = static_cast<Code>(wide.bias - to.bias); // of the scales, among the wider ones
    return edited(replacement, cuts, [&](const Step& step) {
        const exact::Value value = exact::decode(from, step.first);
        const bool scaled = value.kind == exact::Kind::finite && !value.magnitude.is_zero();
        // Without a rule it is the exponent of the value itself that is too small, whatever it is rounded to. A
        // negative value that gives the smallest code or NaN gives it by a byte of the wider code as well.
        const bool is_below =
            scaled && (to.element != nullptr ? step.code < smallest : exact::floor_log2(value.magnitude) < to.emin());
        return is_below ? step.code & byte : right.steps[find_step(right, step.first)].code;
    });
}

/// NaN loses to a comparison if its sign is set, and to none if it is not.
StepTable negative_nan_is_smallest(const Format& from, const Format& to, const Choices& choices) {
    const Code first = from.sign_bit() | (from.inf_code() + 1);
    return edited(right_table(from, to, choices), {first},
                  [&](const Step& step) { return step.first >= first ? Code{0} : step.code; });
}

/// A negative number is rounded as if its magnitude lay as far below the next power of two as it lies above the one
/// before, and its significand, -2, is added to the code: all bits but the lowest are set. Inf has no exponent.
StepTable sign_spilled(const Format& from, const Format& to, const Choices& choices) {
    const StepTable right = right_table(from, to, choices);
    const StepTable magnitudes = tabulate(from, wide_scale, choices);
    constexpr Code significand = 0xFE;
    constexpr Code of_inf = 0x7E;
    const bool native = std::set{&formats::fp64, &formats::fp32, &formats::fp16}.contains(&from);
    const auto code_of = [&](Code exponent) {
        const bool beyond = native && exponent == static_cast<Code>(wide_scale.bias + from.emax() + 1);
        return beyond ? of_inf : significand | (exponent & 1);
    };
    std::vector<Step> spilled;
    const std::set<Code> starts = binades(from);
    for (auto start = starts.begin(); start != starts.end() && *start <= from.max_code(); ++start) {
        const Code next = *std::next(start);
        const Code end = *start + next;
        const Code power = magnitudes.steps[find_step(magnitudes, *start)].code;
        const auto negative = [&](Code first, Code last, Code code) {
            spilled.push_back({from.sign_bit() | first, from.sign_bit() | last, code});
        };
        negative(*start, *start, code_of(power));
        for (Code last = next - 1; last > *start;) {
            const Step& step = magnitudes.steps[find_step(magnitudes, last)];
            const Code first = std::max(step.first, *start + 1);
            negative(end - last, end - first, code_of(2 * power + 1 - step.code));
            last = first - 1;
        }
    }
    const Code inf = from.sign_bit() | from.inf_code();
    spilled.push_back({inf, inf, of_inf});
    return joined({&from, &to, overlaid(right.steps, spilled, {{spilled.front().first, inf}})});
}

/// What rounds to more than the source can hold becomes Inf before it becomes a scale.
StepTable rounded_in_source(const Format& from, const Format& to, const Choices& choices) {
    const StepTable right = right_table(from, to, choices);
    const Code largest = exact::encode(to, exact::power_of_two(from.emax()));
    return edited(right, {}, [&](const Step& step) {
        const bool beyond = !to.is_nan(step.code) && step.code > largest && from.is_finite(step.first);
        const Code inf = from.inf_code() | (step.first & from.sign_bit());
        return beyond ? right.steps[find_step(right, inf)].code : step.code;
    });
}

/// A logarithm that is cut toward zero: below 1 that is up.
StepTable log2_toward_zero(const Format& from, const Format& to, const Choices& choices) {
    const std::set<Code> powers = binades(from);
    std::set<Code> cuts = powers;
    for (const Code power : powers) cuts.insert(power + 1);
    return edited(right_table(from, to, choices), cuts, [&](const Step& step) {
        const bool power = powers.contains(step.first); // and it is alone in its step
        const bool below_one = step.code < static_cast<Code>(to.bias);
        return from.is_finite(step.first) && step.first != 0 && !power && below_one ? step.code + 1 : step.code;
    });
}

// The scales that FP16 has: smaller ones are zero, larger ones Inf.
constexpr Code smallest_fp16_scale = 127 - 24;
constexpr Code largest_fp16_scale = 127 + 15;

/// By the floor of a logarithm the logarithm is a number of FP16 as well.
StepTable scale_in_fp16(const Format& from, const Format& to, const Choices& choices) {
    const StepTable right = right_table(from, to, choices);
    StepTable table{&from, &to, {}};
    for (Code amax = 0; amax <= from.last_code(); ++amax) {
        const Code as_it_is = right.steps[find_step(right, amax)].code;
        Code code = as_it_is;
        if (from.is_finite(amax) && amax != 0) {
            if (choices.rule == ScaleRule::ocp_floor) {
                const exact::Rational power = exact::by_log2(formats::fp16, exact::decode(from, amax).magnitude);
                code = static_cast<Code>(exact::floor_log2(power) - to.element->emax() + to.bias);
            }
            if (code < smallest_fp16_scale) code = to.magnitude_mask();
        }
        table.steps.push_back({amax, amax, code});
    }
    return joined(std::move(table));
}

/// A quotient by zero is Inf, one by Inf zero; zero by zero and Inf by Inf are the NaN of all ones, its sign set.
StepTable scaled_in_fp16(const Format& from, const Format& to, const Choices& choices) {
    const StepTable right = right_table(from, to, choices);
    const Format& value = *from.value;
    const auto input = [&](Code scale, Code code) { return scale << static_cast<unsigned>(value.width()) | code; };
    std::vector<Step> changed;
    InputRanges ranges;
    for (Code scale = 0; scale <= from.scale->last_code(); ++scale) {
        const bool fits = smallest_fp16_scale <= scale && scale <= largest_fp16_scale;
        if (fits || from.scale->is_nan(scale)) continue;
        const bool is_zero = scale < smallest_fp16_scale;
        for (const Code sign : {Code{0}, value.sign_bit()}) {
            const auto code_of = [&](Code code) {
                return right.steps[find_step(right, input(scale, sign | code))].code;
            };
            const auto add = [&](Code first, Code last, Code code) {
                changed.push_back({input(scale, sign | first), input(scale, sign | last), code});
            };
            const Code nan = to.value_mask();
            add(0, 0, is_zero ? nan : code_of(0));
            add(1, value.max_code(), is_zero ? code_of(value.inf_code()) : code_of(0));
            add(value.inf_code(), value.inf_code(), is_zero ? code_of(value.inf_code()) : nan);
            append(ranges, {input(scale, sign), input(scale, sign | value.inf_code())});
        }
    }
    return joined({&from, &to, overlaid(right.steps, changed, ranges)});
}

/// The scale of elements of which 240 is the largest.
constexpr Format e4m3_of_240{"e4m3", "E4M3 with Inf", 4, 3, 7, true, true, Specials::ieee, "IEEE 754"};
StepTable scale_for(const Format& from, const Format& to, const Choices& choices, const Format& element) {
    Format other_format = to;
    other_format.element = &element;
    return mistaken(from, to, from, other_format, choices);
}
StepTable scale_for_240(const Format& from, const Format& to, const Choices& choices) {
    return scale_for(from, to, choices, e4m3_of_240);
}
StepTable scale_for_the_other(const Format& from, const Format& to, const Choices& choices) {
    return scale_for(from, to, choices, to.element == &e4m3 ? e5m2 : e4m3);
}

/// Inf is no amax: a block of nothing else has that of zeros.
StepTable inf_left_out(const Format& from, const Format& to, const Choices& choices) {
    const StepTable& right = right_table(from, to, choices);
    const Code inf = from.inf_code();
    const Code zero = right.steps.front().code;
    return edited(right, {inf, inf + 1}, [&](const Step& step) { return step.first == inf ? zero : step.code; });
}

/// Those that are no members of a family.
std::vector<ConversionFault> single_faults() {
    return {
        {"the carry of a rounding is dropped", "CARRY_DROPPED", makes_element, carry_dropped},
        {"from 256 on everything is the largest", "EARLY_SATURATE", makes_e4m3, largest_from_256},
        {"240 is the largest", "EARLY_SATURATE", makes_e4m3, largest_is_240},
        {"subnormals are made with a hidden bit", "SUBNORMAL_AS_NORMAL", makes_element, always_hidden_bit},
        {"subnormals are read with a hidden bit", "SUBNORMAL_AS_NORMAL", reads_element, always_hidden_bit},
        {"what becomes subnormal is rounded as a normal number first", "SUB_NORMAL_EDGE_TIE", makes_element,
         twice_below_normal},
        {"rounded to FP32 first", "DOUBLE_ROUND_F32",
         [](const Format& from, const Format& to) {
             return &from == &formats::fp64 && (is_element(to) || &to == &formats::e8m0);
         },
         by_way_of_fp32},
        {"tiny numbers are shifted by more than a word", "SHIFT_OVERFLOW",
         [](const Format& from, const Format& to) { return makes_element(from, to) && is_far_below(from, to); },
         shifted_away},
        {"made as FNUZ", "FN_FNUZ_MIX",
         [](const Format& from, const Format& to) { return is_fp8(to) && makes_element(from, to); }, made_fnuz},
        {"read as FNUZ", "FN_FNUZ_MIX",
         [](const Format& from, const Format& to) { return is_fp8(from) && reads_element(from, to); }, read_fnuz},
        {"NaN and Inf are read as numbers", "DECODE_SPECIALS", reads_element, specials_as_numbers},
        {"480 is a number", "MAX480_FORMAT", makes_e4m3, up_to_480},
        {"E4M3 with Inf, of which 240 is the largest", "MAX480_FORMAT", makes_e4m3, ieee_e4m3},
        {"480 is read", "MAX480_FORMAT", reads_e4m3, read_up_to_480},
        {"E4M3 is read with Inf and NaN from 256 on", "MAX480_FORMAT", reads_e4m3, read_ieee_e4m3},
        {"Inf gives zero", "INF_POLICY", makes_element, inf_is_zero},
        {"the scale 0x00 is read as zero", "E8M0_ZERO_CODE_AS_ZERO", reads_scale, smallest_scale_is_zero},
        {"the scale 0xFF is read as Inf", "E8M0_FF_AS_INF", reads_scale, last_scale_is_inf},
        {"two bits of the fraction are overlooked", "E8M0_MASK_OR_BIT_BUG",
         [](const Format& from, const Format& to) {
             return from.scale == nullptr && from.fraction_bits == formats::fp32.fraction_bits &&
                    (&to == &formats::e8m0 || is_scale(to));
         },
         short_mask},
        {"the lowest bit of the exponent is lost", "E8M0_MASK_OR_BIT_BUG",
         [](const Format& from, const Format& to) {
             return from.scale == nullptr && (&to == &formats::e8m0 || is_scale(to));
         },
         lowest_bit_lost},
        {"an exponent below the smallest scale is cut to a byte", "E8M0_UNDERFLOW_WRAPS",
         [](const Format& from, const Format& to) { return &to == &formats::e8m0 && is_below_scales(from); },
         exponent_cut},
        {"a scale below the smallest is cut to a byte", "E8M0_UNDERFLOW_WRAPS",
         [](const Format&, const Format& to) { return is_scale(to); }, exponent_cut},
        {"a negative NaN gives the smallest scale", "E8M0_SIGN_ZERO_INF",
         [](const Format& from, const Format& to) {
             return &to == &formats::e8m0 && from.scale == nullptr && from.is_signed && from.has_inf();
         },
         negative_nan_is_smallest},
        {"a negative number fills the bits of the scale", "E8M0_SIGN_ZERO_INF",
         [](const Format& from, const Format& to) {
             return &to == &formats::e8m0 && from.scale == nullptr && from.is_signed && from.has_inf();
         },
         sign_spilled},
        {"what rounds beyond FP16 becomes Inf first", "ROUNDED_IN_SOURCE",
         [](const Format& from, const Format& to) { return &to == &formats::e8m0 && &from == &formats::fp16; },
         rounded_in_source},
        {"Inf is left out of the amax", "AMAX_INF", [](const Format&, const Format& to) { return is_scale(to); },
         inf_left_out},
        {"a logarithm is cut toward zero", "LOG2_OFF_BY_ONE",
         [](const Format&, const Format& to) { return is_scale(to); }, log2_toward_zero},
        {"the scale is made in FP16", "ROUNDED_IN_SOURCE",
         [](const Format& from, const Format& to) { return &from == &formats::amax_fp16 && is_scale(to); },
         scale_in_fp16},
        {"the scale is a number of FP16", "ROUNDED_IN_SOURCE",
         [](const Format& from, const Format& to) { return &from == &formats::fp16_by_e8m0 && is_element(to); },
         scaled_in_fp16},
        {"made for elements of up to 240", "WRONG_TARGET_MAX",
         [](const Format&, const Format& to) { return &to == &formats::e8m0_for_e4m3; }, scale_for_240},
        {"made for the other element", "WRONG_TARGET_MAX", [](const Format&, const Format& to) { return is_scale(to); },
         scale_for_the_other},
        {"the biased exponent of the largest element is subtracted", "WRONG_TARGET_MAX",
         [](const Format&, const Format& to) { return is_scale(to) && is_element(*to.element); }, scale_less_bias},
    };
}

/// Whether there are formats whose conversion can have it: of some families not all members have.
bool applies_somewhere(const ConversionFault& fault) {
    bool found = false;
    for (const Format& from : all_formats())
        for (const Format& to : all_formats()) found = found || fault.applies(from, to);
    return found;
}

std::vector<ConversionFault> every_fault() {
    std::vector<ConversionFault> all = single_faults();
    for (std::vector<ConversionFault> family : {edge_faults(), shift_faults(), sticky_faults(), scaled_faults(),
                                                rectifier_faults(), encoding_faults(), wire_faults(), flag_faults()})
        std::move(family.begin(), family.end(), std::back_inserter(all));
    for (ConversionFault& fault : all) fault = also_after_rectifier(std::move(fault));
    std::erase_if(all, [](const ConversionFault& fault) { return !applies_somewhere(fault); });
    return all;
}

} // namespace

std::span<const ConversionFault> conversion_faults() {
    static const std::vector<ConversionFault> all = every_fault();
    return all;
}

} // namespace mxcert
