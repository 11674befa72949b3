// SPDX-License-Identifier: Apache-2.0
// Reading a number. Nothing is rounded until the whole value stands as an exact rational.
#include "reference/exact/number.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace mxcert {
namespace {

using exact::Integer;
using exact::Rational;

[[noreturn]] void refuse(std::string_view text, const std::string& reason) {
    constexpr std::size_t shown = 60;
    std::string quoted;
    for (const char c : text.substr(0, shown)) quoted += c >= ' ' && c <= '~' ? c : '?';
    throw std::invalid_argument("'" + quoted + (text.size() > shown ? "...'" : "'") + ": " + reason);
}

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The value of a digit, or -1.
constexpr int digit_of(char c, int base) {
    const char l = lower(c);
    const int value = l >= '0' && l <= '9' ? l - '0' : l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
    return value < base ? value : -1;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

/// Digits with a point among them: their value is `digits` / base^`places`.
struct Digits {
    Integer digits = 0;
    int places = 0;
    bool any = false;
};

/// Takes digits and at most one point from the front of the text.
Digits take_digits(std::string_view& text, int base) {
    Digits taken;
    bool after_point = false;
    while (!text.empty()) {
        const int digit = digit_of(text.front(), base);
        if (digit >= 0) {
            taken.digits = taken.digits * base + digit;
            taken.places += after_point ? 1 : 0;
            taken.any = true;
        } else if (text.front() == '.' && !after_point) {
            after_point = true;
        } else {
            break;
        }
        text.remove_prefix(1);
    }
    return taken;
}

/// Takes an exponent, sign and digits to the end of the text.
int take_exponent(std::string_view text, std::string_view whole) {
    const bool negative = !text.empty() && text.front() == '-';
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
    if (text.empty()) refuse(whole, "the exponent has no digits");
    int exponent = 0;
    for (const char c : text) {
        const int digit = digit_of(c, 10);
        if (digit < 0) refuse(whole, "the exponent is not a decimal number");
        exponent = exponent * 10 + digit;
        if (exponent > max_number_exponent)
            refuse(whole, "the exponent is beyond " + std::to_string(max_number_exponent));
    }
    return negative ? -exponent : exponent;
}

/// Magnitudes beyond 2^this are beyond the largest value of every format, those below 2^-this below half the smallest
/// one. They all read alike, and the exact arithmetic of 1e20000 would take a second.
constexpr int far = 3000;

/// The power of two that stands for digits * base^exponent if that is so far out, else nullopt. 10 is more than 2^3.
std::optional<Rational> far_out(const Integer& digits, int exponent, int bits_of_base) {
    if (digits == 0) return Rational(0);
    const auto bits = static_cast<int>(msb(digits)) + 1;
    if (exponent > 0 && bits - 1 + bits_of_base * exponent > far) return exact::power_of_two(far);
    if (exponent < 0 && bits + bits_of_base * exponent < -far) return exact::power_of_two(-far);
    return std::nullopt;
}

/// The magnitude of a decimal or hexadecimal number, without its sign.
Rational magnitude_of(std::string_view text, std::string_view whole, Notation notation) {
    const bool hex = notation == Notation::hex;
    const Digits mantissa = take_digits(text, hex ? 16 : 10);
    if (!mantissa.any) refuse(whole, "not a number");
    int exponent = 0;
    if (!text.empty()) {
        if (lower(text.front()) != (hex ? 'p' : 'e')) refuse(whole, "not a number");
        exponent = take_exponent(text.substr(1), whole);
    }
    const int scale = exponent - (hex ? 4 : 1) * mantissa.places;
    if (const auto beyond = far_out(mantissa.digits, scale, hex ? 1 : 3)) return *beyond;
    if (hex) return Rational(mantissa.digits) * exact::power_of_two(scale);
    const Integer power = pow(Integer{10}, static_cast<unsigned>(std::abs(scale)));
    return scale < 0 ? Rational(mantissa.digits, power) : Rational(mantissa.digits * power);
}

Code signed_code(const Format& format, bool negative, Code magnitude) { return format.with_sign(magnitude, negative); }

Code nan_code(const Format& format, bool negative, std::string_view text) {
    const std::string name(format.name);
    if (!format.has_nan()) refuse(text, name + " has no NaN");
    switch (format.specials) {
    case Specials::nan_minus_zero: return format.sign_bit(); // the only one there is, whatever its sign is called
    case Specials::ieee:
        return signed_code(format, negative, format.inf_code() | (Code{1} << (format.fraction_bits - 1)));
    default: return signed_code(format, negative, format.magnitude_mask());
    }
}

/// The code of a magnitude; the nearest one if it is not a value of the format.
Code nearest(const Format& format, bool negative, const Rational& magnitude, std::string_view text, bool& rounded) {
    const std::string name(format.name);
    if (magnitude == 0) {
        if (!format.has_zero()) refuse(text, name + " has no zero");
        if (negative && !format.has_minus_zero()) refuse(text, name + " has no negative zero");
        return signed_code(format, negative, 0);
    }
    const exact::Rounded r = exact::round(format, magnitude, negative, Rounding::nearest_even);
    rounded = r.value != magnitude;
    if (format.is_twos_complement() && negative &&
        r.value == exact::decode(format, format.sign_bit()).magnitude) // it has no positive counterpart
        return format.sign_bit();
    if (r.value > exact::decode(format, format.max_code()).magnitude)
        refuse(text, "beyond the largest value of " + name + ", " + decimal_text(format, format.max_code()));
    if (!format.has_zero() && r.value < exact::power_of_two(format.emin()))
        refuse(text, "below the smallest value of " + name + ", 2^" + std::to_string(format.emin()));
    if (r.value == 0) return signed_code(format, negative && format.has_minus_zero(), 0);
    return signed_code(format, negative, exact::encode(format, r.value));
}

std::size_t digits_of(const Format& format) { return static_cast<std::size_t>(format.width() + 3) / 4; }

/// An exponent of more digits is none that a person writes.
constexpr std::size_t most_exponent_digits = 3;

/// Whether digits without 0x can be nothing but a bit pattern: as many as the format has, a letter among them, and no
/// decimal number with an exponent.
bool is_bare_pattern(std::string_view text, const Format& format) {
    if (text.size() != digits_of(format)) return false;
    if (std::any_of(text.begin(), text.end(), [](char c) { return digit_of(c, 16) < 0; })) return false;
    if (format.scale != nullptr) return true; // it takes nothing else
    const std::size_t letter = text.find_first_of("abcdefABCDEF");
    if (letter == std::string_view::npos) return false;
    const bool is_exponent = lower(text[letter]) == 'e' && letter != 0 && letter + 1 != text.size() &&
                             text.size() - letter <= 1 + most_exponent_digits &&
                             text.find_first_of("abcdefABCDEF", letter + 1) == std::string_view::npos;
    return !is_exponent;
}

/// A bit pattern: the text after 0x, which has neither point nor p.
Code bit_pattern(std::string_view digits, const Format& format, std::string_view text) {
    const std::size_t wanted = digits_of(format);
    Code code = 0;
    for (const char c : digits) {
        const int digit = digit_of(c, 16);
        if (digit < 0) refuse(text, "not a number");
        code = code << 4U | static_cast<Code>(digit); // what runs over the top is refused by its length
    }
    if (digits.size() != wanted)
        refuse(text, "a bit pattern of " + std::string(format.name) + " has " + std::to_string(wanted) +
                         " hexadecimal digits; a hexadecimal number is written with p, as in 0x1.8p3");
    if (code > format.last_code())
        refuse(text, std::string(format.name) + " has only " + std::to_string(format.width()) + " bits");
    return code;
}

} // namespace

Number parse_number(std::string_view text, const Format& format) {
    const std::string_view whole = text;
    if (text.size() > max_number_length)
        refuse(text, "longer than " + std::to_string(max_number_length) + " characters");
    if (text.empty()) refuse(text, "not a number");

    const bool has_sign = text.front() == '-' || text.front() == '+';
    const bool negative = text.front() == '-';
    if (has_sign) text.remove_prefix(1);

    Number number;
    const bool hex = text.size() >= 2 && text[0] == '0' && lower(text[1]) == 'x';
    const bool inf = equal_ignoring_case(text, "inf") || equal_ignoring_case(text, "infinity");
    if (hex && text.find_first_of(".pP") == std::string_view::npos) {
        if (has_sign)
            refuse(whole, "a bit pattern has no sign; a hexadecimal number is written with p, as in -0x1.8p3");
        number.notation = Notation::bits;
        number.code = bit_pattern(text.substr(2), format, whole);
        return number;
    }
    if (!has_sign && is_bare_pattern(text, format)) {
        number.notation = Notation::bits;
        number.code = bit_pattern(text, format, whole);
        return number;
    }
    if (format.scale != nullptr)
        refuse(whole, std::string(format.name) + " takes a bit pattern: the scale, then the value");
    if (negative && !format.is_signed) refuse(whole, std::string(format.name) + " has no sign");
    if (inf || equal_ignoring_case(text, "nan")) {
        number.notation = Notation::name;
        if (inf && !format.has_inf()) refuse(whole, std::string(format.name) + " has no Inf");
        number.code = inf ? signed_code(format, negative, format.inf_code()) : nan_code(format, negative, whole);
        return number;
    }
    number.notation = hex ? Notation::hex : Notation::decimal;
    const Rational magnitude = magnitude_of(hex ? text.substr(2) : text, whole, number.notation);
    number.code = nearest(format, negative, magnitude, whole, number.rounded);
    return number;
}

} // namespace mxcert
