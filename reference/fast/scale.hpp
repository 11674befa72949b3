// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>

#include "reference/choices.hpp"
#include "reference/fast/convert.hpp"
#include "reference/format.hpp"

// The scale of an amax by integer operations. Where the exact model divides and rounds, this one compares the fraction
// of the amax with a constant: every rule is s = e - emax + base + (m >= threshold), for amax = 2^e (1 + m / 2^23).
namespace mxcert::fast {

namespace detail {

/// What a rule adds to e - emax. No fraction reaches the threshold 2^23.
struct Bump {
    int base;
    std::uint32_t threshold;
};
inline constexpr std::uint32_t never = std::uint32_t{1} << 23;

/// The fraction bits of the largest element: 0x600000 of 448 and of 57344.
[[nodiscard]] constexpr std::uint32_t fraction_of_largest(const Format& element) {
    return static_cast<std::uint32_t>(element.max_code() & element.fraction_mask()) << (23 - element.fraction_bits);
}

/// The fraction bits of the smallest 24-bit significand that is not less than `significand` over the square root of
/// two.
[[nodiscard]] constexpr std::uint32_t over_root_two(std::uint64_t significand) {
    std::uint64_t low = never;
    for (std::uint64_t step = never / 2; step != 0; step /= 2)
        if (2 * (low + step - 1) * (low + step - 1) < significand * significand) low += step;
    return static_cast<std::uint32_t>(low) & (never - 1);
}

[[nodiscard]] constexpr Bump bump_of(ScaleRule rule, const Format& element) {
    const std::uint32_t largest = fraction_of_largest(element);
    const std::uint32_t half_ulp = never >> (element.fraction_bits + 1);
    switch (rule) {
    case ScaleRule::ceil: return {0, 1};
    case ScaleRule::rceil: return {0, largest + 1};
    case ScaleRule::rfloor: return {-1, largest};
    case ScaleRule::even_fbgemm: return {0, never - half_ulp + 1};
    // The tie goes to the largest element if its code is even.
    case ScaleRule::tosa: return {0, largest + half_ulp + (element.max_code() % 2 == 0 ? 1U : 0U)};
    case ScaleRule::neuron: return {1, never};
    case ScaleRule::log_nearest: return {-1, over_root_two(std::uint64_t{never} | largest)};
    case ScaleRule::log_nearest2: return {0, over_root_two(2 * std::uint64_t{never})};
    // Between the largest over two and the largest the middle is three quarters of it.
    case ScaleRule::arith_nearest: return {-1, (never | largest) / 4 * 3 - never};
    default: return {0, never}; // ocp_floor, and even once the amax is rounded
    }
}

/// A positive number 2^e (1 + m / 2^23).
struct Binary {
    int e;
    std::uint32_t m;
};

/// The number of an FP32 magnitude, which is neither zero nor Inf nor NaN.
[[nodiscard]] constexpr Binary binary_of(std::uint32_t fp32) {
    const int field = static_cast<int>(fp32 >> 23);
    if (field != 0) return {field - 127, fp32 & (never - 1)};
    const int up = std::countl_zero(fp32) - 8; // brings the first set bit to position 23
    return {-126 - up, (fp32 << up) & (never - 1)};
}

/// The FP32 magnitude of an amax: widening is exact. Precondition: it is finite and not zero.
[[nodiscard]] constexpr std::uint32_t widened(const Format& amax, Code code) {
    if (amax.fraction_bits == 23) return static_cast<std::uint32_t>(code);
    if (amax.exponent_bits == 8) return static_cast<std::uint32_t>(code) << 16; // bfloat16
    const auto bits = static_cast<std::uint32_t>(code) << 13;
    if (code > amax.fraction_mask()) return bits + ((127U - 15U) << 23);
    const int up = std::countl_zero(bits) - 8;
    return (static_cast<std::uint32_t>(127 - 14 - up) << 23) | ((bits << up) & (never - 1));
}

/// significand * 2^lowest to nearest even in FP32, as bits; it does not overflow. Precondition: more than 24 bits are
/// in use, and fewer than 62.
[[nodiscard]] constexpr std::uint32_t rounded(std::uint64_t significand, int lowest) {
    const int width = 64 - std::countl_zero(significand);
    const int e = lowest + width - 1;
    int drop = width - 24;
    if (e < -126) drop = std::min(drop + (-126 - e), 62);
    const std::uint64_t half = std::uint64_t{1} << (drop - 1);
    const std::uint64_t kept = (significand + half - 1 + (significand >> drop & 1)) >> drop;
    const std::uint32_t lifted = e < -126 ? 0 : static_cast<std::uint32_t>(e + 126) << 23;
    return static_cast<std::uint32_t>(kept) + lifted; // the hidden bit adds the last one to the exponent
}

/// The FP32 product to nearest even of two positive numbers, as bits; it does not overflow.
[[nodiscard]] constexpr std::uint32_t multiplied(Binary a, Binary b) {
    return rounded((std::uint64_t{never} | a.m) * (std::uint64_t{never} | b.m), a.e + b.e - 46);
}

/// The FP32 quotient to nearest even of a positive number and divisor * 2^exponent; the divisor is less than 2^7.
[[nodiscard]] constexpr std::uint32_t divided(Binary a, std::uint32_t divisor, int exponent) {
    const std::uint64_t dividend = (std::uint64_t{never} | a.m) << 28;
    const std::uint64_t sticky = dividend % divisor != 0 ? 1 : 0;
    return rounded(dividend / divisor * 2 | sticky, a.e - 23 - 28 - 1 - exponent);
}

/// The largest element as an odd number times a power of two: 448 is 7 * 2^6.
struct Largest {
    std::uint32_t odd;
    int exponent;
};
[[nodiscard]] constexpr Largest largest_of(const Format& element) {
    auto odd = static_cast<std::uint32_t>(element.max_code() & element.fraction_mask()) | 1U << element.fraction_bits;
    const int zeros = std::countr_zero(odd);
    odd >>= zeros;
    return {odd, element.emax() - element.fraction_bits + zeros};
}

/// The FP32 number nearest to the reciprocal of the largest element.
[[nodiscard]] constexpr Binary reciprocal_of_largest(const Format& element) {
    const Largest largest = largest_of(element);
    return binary_of(divided({0, 0}, largest.odd, largest.exponent));
}

/// By how many ulp of the binade below it a number may miss 2^n and still have the logarithm n in FP32, correctly
/// rounded: 2^24 (1 - 2^-h), where h = 2^-j is half a step of FP32 beside n. That is 2^24 h ln 2 but for a part that
/// no floor sees.
[[nodiscard]] constexpr std::uint32_t near_power(int n, bool away_from_zero) {
    constexpr std::uint32_t ln_2 = 11'629'079; // times 2^24
    if (n == 0) return 0;
    const auto magnitude = static_cast<unsigned>(n < 0 ? -n : n);
    const int exponent = 31 - std::countl_zero(magnitude);
    const bool narrow = !away_from_zero && std::has_single_bit(magnitude);
    return ln_2 >> (1 - (exponent - 23 - (narrow ? 1 : 0)));
}

/// The number, or the power of two whose logarithm FP32 cannot tell from its own.
[[nodiscard]] constexpr Binary by_log2(Binary value) {
    const int above = value.e + 1;
    if (never - value.m <= near_power(above, above < 0)) return {above, 0};
    // Above a power of two an ulp is twice as wide.
    if (value.m <= near_power(value.e, value.e > 0) / 2) return {value.e, 0};
    return value;
}

} // namespace detail

/// Whether the scale by these choices is offered: FP32, FP16 and BF16 amax of MX blocks; every rule in exact
/// arithmetic, rceil and rfloor also by fp32_multiply, as Transformer Engine has it, and by fp32_divide, and these,
/// ocp_floor and ceil by fp32_log2; every overflow; zero other than lowered; NaN amax to NaN, the largest or the
/// smallest scale; lowest_binade by_value and up_nonzero; inf_amax next_power in exact arithmetic.
[[nodiscard]] constexpr bool offers_scale(const Format& amax, const Format& element, const Choices& choices) {
    using namespace formats;
    using detail::one_of;
    Choices rest = choices;
    rest.rule = ScaleRule::none;
    rest.overflow = Overflow::sat;
    rest.zero = Zero::smallest;
    rest.nan = NanRule::canonical;
    rest.lowest_binade = LowestBinade::by_value;
    rest.arithmetic = Arithmetic::exact;
    rest.inf_amax = InfAmax::overflows;
    const bool quotient = choices.rule == ScaleRule::rceil || choices.rule == ScaleRule::rfloor;
    const bool power = choices.rule == ScaleRule::ocp_floor || choices.rule == ScaleRule::ceil;
    return one_of(amax, {&amax_fp32, &amax_fp16, &amax_bf16}) &&
           one_of(element, {&e4m3, &e5m2, &e3m2, &e2m3, &e2m1, &int8}) && rest == Choices{} &&
           choices.rule != ScaleRule::none && choices.zero != Zero::lowered &&
           (choices.nan == NanRule::canonical || choices.nan == NanRule::max || choices.nan == NanRule::zero) &&
           (choices.lowest_binade == LowestBinade::by_value || choices.lowest_binade == LowestBinade::up_nonzero) &&
           (choices.inf_amax == InfAmax::overflows || choices.arithmetic == Arithmetic::exact) &&
           (choices.arithmetic == Arithmetic::exact || (choices.arithmetic == Arithmetic::fp32_multiply && quotient) ||
            (choices.arithmetic == Arithmetic::fp32_divide && quotient) ||
            (choices.arithmetic == Arithmetic::fp32_log2 && (quotient || power)));
}

/// A scale as sums, for the rules that compare the fraction of the amax with a constant: for an FP32 magnitude other
/// than zero, Inf and NaN the byte is ((amax + add) >> 23) - sub, and one less for the amax `exception`.
struct ScaleSums {
    std::uint32_t add;
    std::int32_t sub;
    std::int32_t lowest; ///< no byte is below it
    std::uint32_t exception;
    std::uint8_t zero;
    std::uint8_t inf;
    std::uint8_t nan;
};

/// A scale rule made ready: what the choices come to for one pair of formats.
class Scaler {
  public:
    /// Throws std::invalid_argument if the choices are not offered.
    constexpr Scaler(const Format& amax, const Format& element, const Choices& choices)
        : amax_(amax), rule_(choices.rule), element_(element), largest_element_(detail::largest_of(element)),
          multiplies_(choices.arithmetic == Arithmetic::fp32_multiply),
          divides_(choices.arithmetic == Arithmetic::fp32_divide),
          by_log2_(choices.arithmetic == Arithmetic::fp32_log2), emax_(element.emax()),
          bump_(detail::bump_of(choices.rule, element)), rounded_off_(amax.fraction_bits - element.fraction_bits),
          lowest_(choices.lowest_binade == LowestBinade::up_nonzero ? 1 : 0),
          zero_(choices.zero == Zero::nan   ? not_a_number
                : choices.zero == Zero::one ? 127
                                            : 0),
          inf_(choices.overflow == Overflow::sat ? largest : not_a_number),
          overflow_(choices.overflow == Overflow::nosat ? not_a_number : largest),
          nan_(choices.nan == NanRule::canonical ? not_a_number
               : choices.nan == NanRule::max     ? largest
                                                 : 0) {
        if (!offers_scale(amax, element, choices))
            throw std::invalid_argument("the fast model does not offer this scale");
        if (choices.inf_amax == InfAmax::next_power) inf_ = of_exponent(exponent({amax.emax() + 1, 0}));
    }

    /// The E8M0 code of the scale. Precondition: the code is one of the amax format.
    [[nodiscard]] constexpr Code operator()(Code code) const {
        if (code > amax_.inf_code()) return nan_;
        if (rule_ == ScaleRule::even && code != amax_.inf_code()) {
            // Half an ulp of the element, then cut off; a carry out of the top binade makes Inf.
            code = (code + (Code{1} << (rounded_off_ - 1))) >> rounded_off_ << rounded_off_;
        }
        if (code == amax_.inf_code()) return inf_;
        if (code == 0) return zero_;
        const detail::Binary value = detail::binary_of(detail::widened(amax_, code));
        if (multiplies_) return of_product(value);
        if (!by_log2_ && !divides_) return of_exponent(exponent(value));
        if (rule_ == ScaleRule::ocp_floor || rule_ == ScaleRule::ceil)
            return of_exponent(exponent(detail::by_log2(value)));
        const std::uint32_t bits = detail::divided(value, largest_element_.odd, largest_element_.exponent);
        if (bits == 0) return zero_;
        const detail::Binary quotient = detail::binary_of(bits);
        return of_quotient(by_log2_ ? detail::by_log2(quotient) : quotient);
    }

    /// Whether sums() gives what this does.
    [[nodiscard]] constexpr bool has_sums() const {
        const bool of_fp8 = element_.width() == 8 && !element_.is_twos_complement(); // whose exceptions are below
        return rule_ != ScaleRule::even && rule_ != ScaleRule::p3109 &&
               !(multiplies_ && (rule_ != ScaleRule::rceil || !of_fp8)) && !divides_ && !by_log2_;
    }
    [[nodiscard]] constexpr ScaleSums sums() const {
        // The one amax whose product with the reciprocal is another scale than the quotient.
        const std::uint32_t exception = !multiplies_ ? 0 : element_.fraction_bits == 3 ? 0x04600001 : 0x07E00001;
        return {detail::never - bump_.threshold,
                emax_ - bump_.base,
                lowest_,
                exception,
                static_cast<std::uint8_t>(zero_),
                static_cast<std::uint8_t>(inf_),
                static_cast<std::uint8_t>(nan_)};
    }

  private:
    static constexpr Code largest = 0xFE;
    static constexpr Code not_a_number = 0xFF;

    [[nodiscard]] constexpr int exponent(detail::Binary value) const {
        if (rule_ != ScaleRule::p3109) return value.e - emax_ + bump_.base + (value.m >= bump_.threshold ? 1 : 0);
        const std::uint32_t tie = 0x400000; // goes to the even code
        return value.e + (value.m >= tie + ((value.e + 127) % 2 == 0 ? 1 : 0) ? 1 : 0);
    }

    /// Of a quotient of amax and the largest element.
    [[nodiscard]] constexpr Code of_quotient(detail::Binary value) const {
        return of_exponent(value.e + (rule_ == ScaleRule::rceil && value.m != 0 ? 1 : 0));
    }

    [[nodiscard]] constexpr Code of_product(detail::Binary value) const {
        const std::uint32_t product = detail::multiplied(value, detail::reciprocal_of_largest(element_));
        return product == 0 ? zero_ : of_quotient(detail::binary_of(product));
    }

    [[nodiscard]] constexpr Code of_exponent(int s) const {
        const int byte = std::max(s + 127, lowest_);
        return byte > static_cast<int>(largest) ? overflow_ : static_cast<Code>(byte);
    }

    const Format& amax_;
    ScaleRule rule_;
    const Format& element_;
    detail::Largest largest_element_;
    bool multiplies_;
    bool divides_;
    bool by_log2_;
    int emax_;
    detail::Bump bump_;
    int rounded_off_;
    int lowest_;
    Code zero_;
    Code inf_;
    Code overflow_;
    Code nan_;
};

/// The E8M0 code of the scale of an amax. Throws std::invalid_argument if the choices are not offered,
/// std::out_of_range if the code is too wide.
[[nodiscard]] constexpr Code scale(const Format& amax, const Format& element, const Choices& choices, Code code) {
    const Scaler scaler(amax, element, choices);
    if (code > amax.last_code()) throw std::out_of_range("the code is wider than its format");
    return scaler(code);
}

} // namespace mxcert::fast
