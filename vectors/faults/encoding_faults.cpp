// SPDX-License-Identifier: Apache-2.0
// Faults of codes without a sign bit above a magnitude: the integers of INT8, and scales without sign.
#include "vectors/faults/fault_families.hpp"
#include "vectors/faults/fault_tables.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert {
namespace {

bool is_wide(const Format& format) {
    return format.specials == Specials::ieee && format.is_signed && format.width() > 8;
}
bool makes_integer(const Format& from, const Format& to) { return is_wide(from) && to.is_twos_complement(); }
bool reads_integer(const Format& from, const Format& to) { return from.is_twos_complement() && is_wide(to); }
bool is_unsigned_scale(const Format& format) { return &format == &formats::ue4m3 || &format == &formats::ue5m3; }
bool makes_unsigned(const Format& from, const Format& to) { return is_wide(from) && is_unsigned_scale(to); }
bool reads_unsigned(const Format& from, const Format& to) { return is_unsigned_scale(from) && is_wide(to); }

constexpr Format with_encoding(const Format& format, Encoding encoding) {
    Format other_format = format;
    other_format.encoding = encoding;
    return other_format;
}
constexpr Format of_whole_numbers(const Format& format) {
    Format other_format = format;
    other_format.bias -= format.fraction_bits;
    return other_format;
}
constexpr Format int8_with_sign_bit = with_encoding(formats::int8, Encoding::sign_magnitude);
constexpr Format whole_int8 = of_whole_numbers(formats::int8);

/// With a given scale it is the value that is taken for another.
Format with_value(Format format, const Format& value) {
    if (format.value != nullptr) format.value = &value;
    return format;
}
Format with_sign_bit(const Format& format) {
    return with_value(with_encoding(format, Encoding::sign_magnitude), int8_with_sign_bit);
}
StepTable made_with_sign_bit(const Format& from, const Format& to, const Choices& choices) {
    return mistaken(from, to, from, with_sign_bit(to), choices);
}
StepTable read_with_sign_bit(const Format& from, const Format& to, const Choices& choices) {
    return mistaken(from, to, with_sign_bit(from), to, choices);
}

/// Bits are inverted, and one is not added: every negative code is one too low, and that of zero is 0xFF.
StepTable complement_of_one(const Format& from, const Format& to, const Choices& choices) {
    const std::set<Code> zeros{from.sign_bit(), from.sign_bit() + 1};
    return edited(right_table(from, to, choices), zeros, [&](const Step& step) {
        const bool negative = from.is_negative(step.first) && from.is_finite(step.first);
        return negative ? (step.code - 1) & to.value_mask() : step.code;
    });
}

/// An integer of one bit more tells what rounds to the code after the largest.
StepTable carry_wraps(const Format& from, const Format& to, const Choices& choices) {
    Format wide = to;
    wide.exponent_bits += 1;
    const StepTable carried = tabulate(from, wide, choices);
    InputRanges ranges;
    for (const Step& step : carried.steps)
        if (!from.is_negative(step.first) && step.code == to.max_code() + 1) append(ranges, {step.first, step.last});
    std::vector<Step> lowest;
    for (const InputRange& range : ranges) lowest.push_back({range.first, range.last, to.sign_bit()});
    return replaced(right_table(from, to, choices), {&from, &to, std::move(lowest)}, ranges);
}

Format whole_numbers(const Format& format) { return with_value(of_whole_numbers(format), whole_int8); }
StepTable made_whole(const Format& from, const Format& to, const Choices& choices) {
    return mistaken(from, to, from, whole_numbers(to), choices);
}
StepTable read_whole(const Format& from, const Format& to, const Choices& choices) {
    return mistaken(from, to, whole_numbers(from), to, choices);
}

Format with_specials(const Format& format, Specials specials) {
    Format other_format = format;
    other_format.specials = specials;
    return other_format;
}
template <Specials specials> StepTable made_with(const Format& from, const Format& to, const Choices& choices) {
    return mistaken(from, to, from, with_specials(to, specials), choices);
}
template <Specials specials> StepTable read_with(const Format& from, const Format& to, const Choices& choices) {
    return mistaken(from, to, with_specials(from, specials), to, choices);
}

} // namespace

std::vector<ConversionFault> encoding_faults() {
    return {
        {"negative integers are made with a sign bit", "INTEGER_SIGN", makes_integer, made_with_sign_bit},
        {"negative integers are read with a sign bit", "INTEGER_SIGN", reads_integer, read_with_sign_bit},
        {"negative integers are made by inverted bits alone", "INTEGER_SIGN", makes_integer, complement_of_one},
        {"what rounds up beyond the largest integer is the lowest", "INTEGER_WRAPS", makes_integer, carry_wraps},
        {"integers are made without the implied scale", "INTEGER_SCALE", makes_integer, made_whole},
        {"integers are read without the implied scale", "INTEGER_SCALE", reads_integer, read_whole},
        {"a scale without sign is made with Inf", "UNSIGNED_TOP", makes_unsigned, made_with<Specials::ieee>},
        {"a scale without sign is read with Inf", "UNSIGNED_TOP", reads_unsigned, read_with<Specials::ieee>},
        {"a scale without sign is made without NaN", "UNSIGNED_TOP", makes_unsigned, made_with<Specials::none>},
        {"a scale without sign is read without NaN", "UNSIGNED_TOP", reads_unsigned, read_with<Specials::none>},
    };
}

} // namespace mxcert
