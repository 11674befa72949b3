// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>

#include "reference/choices.hpp"
#include "reference/fast/flags.hpp"
#include "reference/fast/isa.hpp"
#include "reference/fast/kernel.hpp"
#include "reference/fast/outcomes.hpp"
#include "reference/fast/stochastic.hpp"
#include "reference/format.hpp"

/// The fast model: integer bit manipulation, the second definition of a conversion. It shares no code with the exact
/// model and offers the choices that conforming implementations make.
namespace mxcert::fast {

namespace detail {

[[nodiscard]] constexpr bool one_of(const Format& format, std::initializer_list<const Format*> list) {
    return std::any_of(list.begin(), list.end(), [&](const Format* f) { return f == &format; });
}

} // namespace detail

/// Whether the pair of formats is offered: fp32, fp16, bf16, fp64 and the formats of eight bits (e8m0inf is none, it is
/// a misreading of one) to e4m3, e5m2 and e8m0, and these three to fp32, fp16, bf16 and fp64; the four wide ones to and
/// from the formats of six and four bits, int8, ue4m3 and ue5m3; e4m3 and e5m2 to and from e3m2, e2m3 and e2m1. With a
/// given scale, what is quantized to the elements of MX, and what is dequantized to fp32, fp16, bf16 and fp64; with a
/// scale of Arm's FPMR, to e4m3 and e5m2, and from these to fp16 or bf16. After a rectifier, to formats of up to eight
/// bits but int8. The flags of every format of flags, of conversions from fp32, fp16, bf16, fp64, e4m3, e5m2 and e2m1.
/// A copy of one of these formats is another format, and not offered.
[[nodiscard]] constexpr bool offers(const Format& from, const Format& to) {
    using namespace formats;
    if (to.flags_of != nullptr) return detail::one_of(from, {&fp32, &fp16, &bf16, &fp64, &e4m3, &e5m2, &e2m1});
    const auto is_fp8 = [](const Format& format) { return detail::one_of(format, {&e4m3, &e5m2}); };
    const auto is_smaller = [](const Format& format) { return detail::one_of(format, {&e3m2, &e2m3, &e2m1}); };
    if ((is_fp8(from) && is_smaller(to)) || (is_smaller(from) && is_fp8(to))) return true;
    const bool narrow = detail::one_of(to, {&e4m3, &e5m2, &e8m0});
    const bool wide = detail::one_of(to, {&fp32, &fp16, &bf16, &fp64});
    if (detail::one_of(from, {&fp32_times_nscale, &bf16_times_nscale, &fp16_times_nscale5})) return is_fp8(to);
    if (detail::one_of(from, {&e4m3_by_lscale4, &e5m2_by_lscale4})) return detail::one_of(to, {&fp16});
    if (detail::one_of(from, {&e4m3_by_lscale6, &e5m2_by_lscale6})) return detail::one_of(to, {&bf16});
    if (from.rectified) return is_fp8(to) || is_smaller(to);
    if (from.scaling == Scaling::divide) return detail::one_of(to, {&e4m3, &e5m2, &e3m2, &e2m3, &e2m1, &int8});
    if (from.scaling == Scaling::multiply) return wide;
    if (detail::one_of(to, {&e3m2, &e2m3, &e2m1, &int8, &ue4m3, &ue5m3}))
        return detail::one_of(from, {&fp32, &fp16, &bf16, &fp64});
    if (detail::one_of(from, {&e3m2, &e2m3, &e2m1, &int8, &ue4m3, &ue5m3})) return wide;
    if (detail::one_of(from, {&e4m3, &e5m2, &e8m0})) return narrow || wide;
    return narrow && detail::one_of(from, {&fp32, &fp16, &bf16, &fp64, &e4m3fnuz, &e5m2fnuz});
}

/// Whether the choices are offered as well: every rounding but nearest_log2, every overflow, NaN canonical, by sign or
/// negative, and in a format without NaN also the largest magnitude, with the sign or without, or zero; every value of
/// directed_overflow, overflow_nan, negative, smallest_scale and lowest, zero smallest or NaN; the other choices at
/// their defaults. Of flags no stochastic rounding, and every value of exceptions, tininess, invalid_nan and
/// inf_flags.
[[nodiscard]] constexpr bool offers(const Format& from, const Format& to, const Choices& choices) {
    Choices rest = choices;
    rest.rounding = Rounding::nearest_even;
    rest.overflow = Overflow::sat;
    rest.directed_overflow = DirectedOverflow::special;
    rest.nan = NanRule::canonical;
    rest.overflow_nan = OverflowNan::sign;
    rest.negative = Negative::magnitude;
    rest.zero = Zero::smallest;
    rest.smallest_scale = SmallestScale::by_value;
    rest.lowest = Lowest::unused;
    if (to.flags_of != nullptr) {
        if (is_stochastic(choices.rounding)) return false;
        rest.exceptions = Exceptions::raised;
        rest.tininess = Tininess::after_rounding;
        rest.invalid_nan = InvalidNan::signalling;
        rest.inf_flags = InfFlags::none;
    }
    const bool is_code =
        choices.nan == NanRule::canonical || choices.nan == NanRule::sign || choices.nan == NanRule::negative;
    return offers(from, to) && rest == Choices{} && choices.rounding != Rounding::nearest_log2 &&
           (!is_ptx_rs(choices.rounding) || has_ptx_rs(to)) &&
           (choices.rounding != Rounding::stochastic_s || !to.is_twos_complement()) &&
           (is_code || (is_number(choices.nan) && !to.has_nan())) &&
           (choices.zero == Zero::smallest || choices.zero == Zero::nan);
}

namespace detail {

/// A two's complement format with its sign apart: a bit wider, so that the lowest value has a code.
[[nodiscard]] constexpr Format with_sign_apart(const Format& format) {
    Format apart = format;
    apart.encoding = Encoding::sign_magnitude;
    apart.exponent_bits += 1;
    return apart;
}

[[nodiscard]] constexpr Code code_with_sign_apart(const Format& format, Code code) {
    const Code lowest = format.sign_bit();
    return code < lowest ? code : 2 * lowest | (2 * lowest - code);
}

/// Converts one code between formats without a given scale.
[[nodiscard]] constexpr Code convert_one(const Format& from, const Format& to, const Choices& choices, Code code,
                                         std::uint32_t random, unsigned random_bits) {
    if (from.is_twos_complement()) {
        const Format apart = with_sign_apart(from);
        return convert_one(apart, to, choices, code_with_sign_apart(from, code), random, random_bits);
    }
    if (from.rectified && !from.is_nan(code)) code = from.is_negative(code) ? 0 : code;
    const Plan p = plan(from, to);
    const auto outcomes = outcomes_of<std::uint64_t>(from, to, choices, p.guard);
    if (!is_stochastic(choices.rounding)) {
        const Cut how = cut_of(choices.rounding);
        const bool inf_rounds = how == Cut::even && choices.overflow != Overflow::sat_finite;
        return convert_value(from, to, p, how, false, inf_rounds, outcomes, code);
    }
    const Code magnitude = code & from.magnitude_mask();
    const Code rounded = round_stochastic(from, to, choices.rounding, magnitude, random, random_bits);
    return finish(from, to, p, false, false, outcomes, code, rounded);
}

/// The exponent of the scale that a value is divided or multiplied by.
[[nodiscard]] constexpr int exponent_of_scale(const Format& from, SmallestScale smallest, Code scale) {
    const bool can_differ = scale == 0 && from.scaling == Scaling::divide && from.scale->name == formats::e8m0.name;
    if (can_differ && smallest == SmallestScale::one) return 0;
    const bool second = can_differ && smallest == SmallestScale::second;
    return static_cast<int>(scale) + (second ? 1 : 0) - from.scale->bias;
}

/// A value and a scale that is a power of two are a value of the same format with another bias.
[[nodiscard]] constexpr Format with_bias_of_scale(const Format& from, SmallestScale smallest, Code code) {
    Format format = *from.value;
    const int exponent = exponent_of_scale(from, smallest, from.scale_of(code));
    format.bias += from.scaling == Scaling::divide ? exponent : -exponent;
    return format;
}

} // namespace detail

/// Converts one code. `random` has `random_bits` bits, 1 to 32; stochastic roundings read it, others ignore it. Throws
/// std::invalid_argument if the conversion is not offered or the random bits do not fit, std::out_of_range if the code
/// is too wide.
[[nodiscard]] constexpr Code convert(const Format& from, const Format& to, const Choices& choices, Code code,
                                     std::uint32_t random = 0, unsigned random_bits = 0) {
    if (!offers(from, to, choices)) throw std::invalid_argument("the fast model does not offer this conversion");
    if (code > from.last_code()) throw std::out_of_range("the code is wider than its format");
    if (is_stochastic(choices.rounding)) {
        if (random_bits < 1 || random_bits > 32)
            throw std::invalid_argument("a stochastic rounding needs 1 to 32 random bits");
        if (is_ptx_rs(choices.rounding) && random_bits != 32)
            throw std::invalid_argument("cvt.rs needs 32 random bits");
        if (std::uint64_t{random} >> random_bits != 0)
            throw std::invalid_argument("the random value does not fit its bits");
    }
    if (to.flags_of != nullptr) return flags_of(from, *to.flags_of, choices, code);
    if (from.scale == nullptr) return detail::convert_one(from, to, choices, code, random, random_bits);
    const Code value = from.value_of(code);
    if (from.scale->is_nan(from.scale_of(code))) {
        // The NaN of the value's own format; where it has none one of E4M3 stands for it.
        const Format& source = from.value->has_nan() ? *from.value : formats::e4m3;
        const Code sign = (value & from.sign_bit()) != 0 ? source.sign_bit() : 0;
        return detail::convert_one(source, to, choices, sign | source.magnitude_mask(), random, random_bits);
    }
    const bool finite = from.value->is_finite(value);
    const Format scaled = finite ? detail::with_bias_of_scale(from, choices.smallest_scale, code) : *from.value;
    return detail::convert_one(scaled, to, choices, value, random, random_bits);
}

/// Converts n values: out[i] = convert(in[i]), the same bits for every Isa. Values are native-endian, Format::bytes()
/// each, and need no alignment; `in` and `out` do not overlap. `random` has one value for each input; roundings that
/// are not stochastic do not read it and it may be null. Throws as convert() does, and std::invalid_argument for an Isa
/// that the machine does not run; then nothing useful is in `out`.
void convert_span(const Format& from, const Format& to, const Choices& choices, const void* in,
                  const std::uint32_t* random, void* out, std::size_t n, unsigned random_bits = 0,
                  Isa isa = best_isa());

} // namespace mxcert::fast
