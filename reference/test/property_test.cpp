// SPDX-License-Identifier: Apache-2.0
// Properties that hold for any Behaviour, on random inputs. `./dev fuzz` runs them on many more.
#include <rapidcheck.h>

#include "catch.hpp"
#include "reference/exact/exact.hpp"

using namespace mxcert;

namespace {

const Format& any_target() { return format(*rc::gen::element("e4m3", "e5m2", "e8m0", "e2m1", "e4m3fnuz", "fp16")); }

/// Any value of any choice, but for the roundings that take random bits.
Choices any_choices() {
    Choices choices;
    for (const ChoiceInfo& choice : all_choices())
        set(choices, choice.choice, *rc::gen::inRange<unsigned>(0, static_cast<unsigned>(choice.values.size())));
    choices.rule = ScaleRule::none;
    if (is_stochastic(choices.rounding)) choices.rounding = Rounding::nearest_even;
    return choices;
}

/// A finite FP32 magnitude: bit patterns evenly, so that every binade comes up.
Code any_magnitude() { return *rc::gen::inRange<std::uint32_t>(0, 0x7F800000); }

} // namespace

TEST_CASE("a conversion to a signed format is odd where its choices have no direction", "[property]") {
    CHECK(rc::check([] {
        const Format& to = any_target();
        RC_PRE(to.is_signed && to.has_minus_zero());
        Choices choices = any_choices();
        choices.zero_sign = ZeroSign::kept;
        choices.overflow_nan = OverflowNan::sign;
        const Code x = any_magnitude();
        const Code plus = exact::convert(formats::fp32, to, choices, x).code;
        if (choices.rounding == Rounding::up)
            choices.rounding = Rounding::down;
        else if (choices.rounding == Rounding::down)
            choices.rounding = Rounding::up;
        const Code minus = exact::convert(formats::fp32, to, choices, x | formats::fp32.sign_bit()).code;
        RC_ASSERT(minus == (plus | to.sign_bit()));
    }));
}

TEST_CASE("a conversion keeps the order of values", "[property]") {
    CHECK(rc::check([] {
        const Format& to = any_target();
        Choices choices = any_choices();
        choices.overflow = Overflow::sat; // NaN has no place in the order
        choices.zero = Zero::smallest;
        const Code a = any_magnitude();
        const Code b = any_magnitude();
        const Code low = exact::convert(formats::fp32, to, choices, std::min(a, b)).code;
        const Code high = exact::convert(formats::fp32, to, choices, std::max(a, b)).code;
        RC_ASSERT(low <= high);
    }));
}

TEST_CASE("what a format has is kept by every rounding", "[property]") {
    CHECK(rc::check([] {
        const Format& to = any_target();
        RC_PRE(embeds(to, formats::fp32));
        Choices choices;
        choices.rounding = any_choices().rounding;
        choices.overflow = any_choices().overflow;
        const Code code = *rc::gen::inRange<Code>(0, to.last_code() + 1);
        RC_PRE(to.is_finite(code));
        const Code wide = exact::convert(to, formats::fp32, {}, code).code;
        RC_ASSERT(exact::convert(formats::fp32, to, choices, wide).code == code);
    }));
}
