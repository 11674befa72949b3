// SPDX-License-Identifier: Apache-2.0
// Properties that hold for any Behaviour, on random inputs. `./dev fuzz` runs them on many more.
#include <rapidcheck.h>

#include "catch.hpp"
#include "reference/exact/block.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/convert.hpp"

using namespace mxcert;

namespace {

/// A format of values, none of a misreading, of an amax, or with a scale.
const Format& any_format() {
    return format(*rc::gen::element("fp64", "fp32", "fp16", "bf16", "e4m3", "e5m2", "e8m0", "e3m2", "e2m3", "e2m1",
                                    "int8", "ue4m3", "ue5m3", "e4m3fnuz", "e5m2fnuz"));
}

/// One with a sign; nearly all are converted from these.
const Format& any_source() {
    const Format& from = any_format();
    RC_PRE(from.is_signed);
    return from;
}

unsigned any_of(Choice choice) {
    return *rc::gen::inRange<unsigned>(0, static_cast<unsigned>(info(choice).values.size()));
}

/// Any value of any choice of a conversion without scales, but for the roundings that take random bits.
Choices any_choices() {
    Choices choices;
    for (const ChoiceInfo& choice : all_choices()) set(choices, choice.choice, any_of(choice.choice));
    choices.rule = ScaleRule::none;
    if (is_stochastic(choices.rounding)) choices.rounding = Rounding::nearest_even;
    return choices;
}

/// A scale rule, not `none`.
ScaleRule any_rule() {
    return static_cast<ScaleRule>(*rc::gen::inRange<unsigned>(1, unsigned(info(Choice::rule).values.size())));
}

/// Any code. The range of a generator cannot hold the last one of 64 bits, a NaN.
Code any_code(const Format& from) { return *rc::gen::inRange<Code>(0, from.last_code() + (from.width() < 64 ? 1 : 0)); }

/// A finite magnitude: bit patterns evenly, so that every binade comes up.
Code any_magnitude(const Format& from) { return *rc::gen::inRange<Code>(0, from.max_code() + 1); }

/// A finite value of either sign. A format without -0 has no sign on zero.
Code any_value(const Format& from) {
    const Code magnitude = any_magnitude(from);
    const bool negative = *rc::gen::arbitrary<bool>() && (magnitude != 0 || from.has_minus_zero());
    return from.with_sign(magnitude, negative);
}

/// The value of a code as a number: no NaN, no Inf.
exact::Rational number(const Format& format, Code code) {
    const exact::Value value = exact::decode(format, code);
    RC_ASSERT(value.kind == exact::Kind::finite);
    return exact::number(value);
}

/// Where a code stands in the order of values, Inf at its ends: no NaN.
std::int64_t place(const Format& format, Code code) {
    RC_ASSERT(!format.is_nan(code));
    return format.ordinal(code);
}

Code convert(const Format& from, const Format& to, const Choices& choices, Code code) {
    return exact::convert(from, to, choices, code).code;
}

} // namespace

TEST_CASE("a conversion to a signed format is odd where its choices have no direction", "[property]") {
    CHECK(rc::check([] {
        const Format& from = any_source();
        const Format& to = any_format();
        RC_PRE(to.is_signed && to.has_minus_zero());
        Choices choices = any_choices();
        choices.zero_sign = ZeroSign::kept;
        choices.overflow_nan = OverflowNan::sign;
        const Code x = any_magnitude(from);
        RC_PRE(x != 0 || from.has_minus_zero());
        const Code plus = convert(from, to, choices, x);
        if (choices.rounding == Rounding::up)
            choices.rounding = Rounding::down;
        else if (choices.rounding == Rounding::down)
            choices.rounding = Rounding::up;
        RC_ASSERT(convert(from, to, choices, from.with_sign(x, true)) == (plus | to.sign_bit()));
    }));
}

TEST_CASE("a conversion keeps the order of values", "[property]") {
    CHECK(rc::check([] {
        const Format& from = any_source();
        const Format& to = any_format();
        Choices choices = any_choices();
        choices.overflow = Overflow::sat; // NaN has no place in the order
        choices.zero = Zero::smallest;
        Code low = to.is_signed ? any_value(from) : any_magnitude(from);
        Code high = to.is_signed ? any_value(from) : any_magnitude(from);
        if (place(from, high) < place(from, low)) std::swap(low, high);
        RC_ASSERT(place(to, convert(from, to, choices, low)) <= place(to, convert(from, to, choices, high)));
    }));
}

TEST_CASE("a larger amax has no smaller scale", "[property]") {
    CHECK(rc::check([] {
        const Format& from = format(*rc::gen::element("amax_fp32", "amax_fp16", "amax_bf16"));
        const Format& to = format(*rc::gen::element("e8m0_for_e4m3", "e8m0_for_e5m2"));
        Choices choices = any_choices();
        choices.overflow = Overflow::sat;
        choices.zero = Zero::smallest;
        choices.rule = any_rule();
        const Code a = any_magnitude(from);
        const Code b = any_magnitude(from);
        RC_ASSERT(convert(from, to, choices, std::min(a, b)) <= convert(from, to, choices, std::max(a, b)));
    }));
}

TEST_CASE("what a format has is kept by every rounding, there and back", "[property]") {
    CHECK(rc::check([] {
        const Format& to = any_format();
        const Format& wide = any_source();
        RC_PRE(embeds(to, wide));
        Choices choices;
        choices.rounding = any_choices().rounding;
        choices.overflow = any_choices().overflow;
        choices.lowest = Lowest::used;
        const Code code = any_code(to);
        RC_PRE(to.is_finite(code));
        RC_ASSERT(convert(wide, to, choices, convert(to, wide, {}, code)) == code);
    }));
}

TEST_CASE("what was converted once is not changed by converting it again", "[property]") {
    CHECK(rc::check([] {
        const Format& from = any_source();
        const Format& to = any_format();
        RC_PRE(embeds(to, from));
        Choices choices = any_choices();
        choices.negative = Negative::magnitude;
        choices.lowest_binade = LowestBinade::by_value; // the others move the smallest value too
        const Code once = convert(from, to, choices, any_value(from));
        RC_PRE(to.is_finite(once));
        // What a rounding before it or a flush does to a value of the target is not what it does to its first input.
        choices.via = Via::none;
        choices.flush = Flush::none;
        RC_ASSERT(place(to, convert(from, to, choices, convert(to, from, {}, once))) == place(to, once));
    }));
}

TEST_CASE("to saturate is to clamp, and then to convert without saturating", "[property]") {
    CHECK(rc::check([] {
        const Format& from = any_source();
        const Format& to = any_format();
        RC_PRE(embeds(to, from));
        Choices choices = any_choices();
        choices.overflow = Overflow::sat;
        choices.lowest = Lowest::unused; // what is clamped to the largest magnitude does not reach the lowest code
        // A rounding before it may carry the largest value beyond itself.
        if (!embeds(to, formats::fp16) || !embeds(to, formats::bf16)) choices.via = Via::none;
        const Code x = any_value(from);
        const Code saturated = convert(from, to, choices, x);
        const Code largest = convert(to, from, {}, to.max_code());
        const Code clamped = from.with_sign(std::min(from.magnitude_of(x), largest), from.is_negative(x));
        choices.overflow = Overflow::nosat;
        RC_ASSERT(convert(from, to, choices, clamped) == saturated);
    }));
}

TEST_CASE("both models convert alike", "[property]") {
    CHECK(rc::check([] {
        const Format& from = any_format();
        const Format& to = any_format();
        Choices choices;
        choices.rounding = static_cast<Rounding>(any_of(Choice::rounding));
        if (choices.rounding == Rounding::nearest_log2) choices.rounding = Rounding::nearest_even;
        choices.overflow = *rc::gen::element(Overflow::sat, Overflow::nosat);
        choices.nan = *rc::gen::element(NanRule::canonical, NanRule::sign, NanRule::negative);
        choices.zero = *rc::gen::element(Zero::smallest, Zero::nan);
        for (const Choice choice : {Choice::directed_overflow, Choice::overflow_nan, Choice::negative, Choice::lowest})
            set(choices, choice, any_of(choice));
        RC_PRE(fast::offers(from, to));
        // PTX's cvt.rs is known to three formats, and stochastic_s is not of integers.
        RC_PRE(is_stochastic_law(choices.rounding) || !is_stochastic(choices.rounding) ||
               fast::offers(from, to, choices));
        RC_ASSERT(fast::offers(from, to, choices));
        const Code code = any_code(from);
        const unsigned bits = is_ptx_rs(choices.rounding) ? 32 : *rc::gen::inRange<unsigned>(1, 33);
        const auto random = static_cast<std::uint32_t>(*rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << bits));
        RC_ASSERT(exact::convert(from, to, choices, code, {bits, random}).code ==
                  fast::convert(from, to, choices, code, random, bits));
    }));
}

namespace {

/// What a block is made of, and how.
struct AnyBlock {
    BlockFormat format;
    BlockChoices choices;
    std::vector<Code> values;
};

/// A block of FP32 values that are zero or within 2^-63 and 2^64, not all of them zero, and any scale rule, but
/// nothing that depends on where in the range of FP32 it lies.
AnyBlock any_block() {
    AnyBlock block;
    block.format = {&formats::fp32, &format(*rc::gen::element("e4m3", "e5m2"))};
    block.choices.scale.rule = any_rule();
    const auto size = *rc::gen::inRange<std::size_t>(1, 33);
    for (std::size_t i = 0; i < size; ++i) {
        const Code magnitude = *rc::gen::inRange<Code>(64U << 23, 191U << 23);
        const bool negative = *rc::gen::arbitrary<bool>();
        const bool zero = i != 0 && *rc::gen::inRange(0, 8) == 0;
        block.values.push_back((zero ? 0 : magnitude) | (negative ? formats::fp32.sign_bit() : 0));
    }
    return block;
}

} // namespace

TEST_CASE("a block times a power of two has another scale and the same elements", "[property]") {
    CHECK(rc::check([] {
        AnyBlock block = any_block();
        block.choices.element = any_choices();
        const QuantizedBlock before = exact::quantize(block.format, block.choices, block.values);
        const int shift = *rc::gen::inRange(-20, 21);
        for (Code& value : block.values)
            if ((value & formats::fp32.magnitude_mask()) != 0)
                value += static_cast<Code>(std::int64_t{shift} * (1 << 23)); // its exponent
        const QuantizedBlock after = exact::quantize(block.format, block.choices, block.values);
        RC_ASSERT(static_cast<int>(after.scale) == static_cast<int>(before.scale) + shift);
        RC_ASSERT(after.elements == before.elements);
    }));
}

TEST_CASE("dequantized, a value is within half an ulp of what it was, or at the largest element", "[property]") {
    CHECK(rc::check([] {
        AnyBlock block = any_block();
        block.choices.element.rounding = *rc::gen::element(Rounding::nearest_even, Rounding::nearest_away);
        const Format& element = *block.format.element;
        const Format& scaled = times_scale(element);
        const QuantizedBlock quantized = exact::quantize(block.format, block.choices, block.values);
        const exact::Rational scale = exact::decode(formats::e8m0, quantized.scale).magnitude;
        const exact::Rational largest = exact::decode(element, element.max_code()).magnitude * scale;
        for (std::size_t i = 0; i < block.values.size(); ++i) {
            const exact::Rational x = number(formats::fp32, block.values[i]);
            const exact::Rational y = number(scaled, scaled.code_of(quantized.scale, quantized.elements[i]));
            if (abs(x) >= largest) {
                RC_ASSERT(abs(y) == largest && (y < 0) == (x < 0));
                continue;
            }
            const int binade = x == 0 ? element.emin() : exact::floor_log2(abs(x) / scale);
            const int ulp = std::max(binade, element.emin()) - element.fraction_bits;
            RC_ASSERT(abs(x - y) * 2 <= exact::power_of_two(ulp) * scale);
        }
    }));
}
