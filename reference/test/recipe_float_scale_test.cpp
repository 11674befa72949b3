// SPDX-License-Identifier: Apache-2.0
// The float scale of an amax, by hand.
#include "reference/exact/recipe/float_scale.hpp"

#include "catch.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/arithmetic.hpp"

using namespace mxcert;
using namespace mxcert::recipe;

namespace {

constexpr Code quiet = 0x7FC00000;
constexpr Code fp32_inf = 0x7F800000;
constexpr Code largest = 0x7F7FFFFF;

} // namespace

TEST_CASE("448 / amax and its reciprocal", "[recipe]") {
    FloatScale choices;
    CHECK(exact::scales_of(choices, 0x43E00000) == Scales{unity, unity});           // 448
    CHECK(exact::scales_of(choices, 0x40000000) == Scales{0x3B924925, 0x43600000}); // 2: 1/224, 224
    CHECK(exact::scales_of(choices, 0x40400000) ==
          Scales{0x3BDB6DB7, 0x43155555}); // 3: 448/3 = 149.33, the reciprocal of that
    choices.first = First::scale;
    CHECK(exact::scales_of(choices, 0x40400000) == Scales{0x3BDB6DB7, 0x43155555}); // 3/448
    choices.element = &formats::e5m2;
    CHECK(exact::scales_of(choices, 0x47600000) == Scales{unity, unity});
}

TEST_CASE("a margin is a factor of the amax or a power of two", "[recipe]") {
    FloatScale choices;
    choices.factor = 0x40400000; // 3
    CHECK(exact::scales_of(choices, 0x43E00000)->inverse == 0x3EAAAAAB);
    choices.factor = unity;
    choices.exponent = 3;
    CHECK(exact::scales_of(choices, 0x43E00000)->inverse == 0x3E000000);
    // 448 / 2^-120 leaves binary32 although 56 / 2^-120 does not.
    CHECK(exact::scales_of(choices, 0x03800000)->inverse == 0x7E600000);
    choices.power = Power::of_quotient;
    CHECK(exact::scales_of(choices, 0x43E00000)->inverse == 0x3E000000);
    CHECK(exact::scales_of(choices, 0x03800000) == Scales{0, fp32_inf});
    choices.limit = &formats::fp32;
    CHECK(exact::scales_of(choices, 0x03800000)->inverse == largest);
}

TEST_CASE("a factor that leaves binary32 is not lost", "[recipe]") {
    FloatScale choices;
    choices.factor = 0x40000000;
    CHECK(exact::scales_of(choices, largest) == Scales{fp32_inf, 0});
    choices.first = First::scale;
    CHECK(exact::scales_of(choices, largest) == Scales{fp32_inf, 0});
    choices.factor = 0x3E800000; // a quarter of 2^-149
    CHECK(exact::scales_of(choices, 1) == Scales{0, fp32_inf});
    choices.first = First::inverse;
    CHECK(exact::scales_of(choices, 1) == Scales{0, fp32_inf});
}

TEST_CASE("a reciprocal has two roundings", "[recipe]") {
    FloatScale choices;
    CHECK(exact::scales_of(choices, 0x40400000)->inverse == 0x43155555);
    choices.quotient = Quotient::reciprocal;
    CHECK(exact::scales_of(choices, 0x40400000)->inverse == 0x43155556); // RN(1/3) x 448
    choices.first = First::scale;
    CHECK(exact::scales_of(choices, 0x40400000)->scale == 0x3BDB6DB8); // 3 x RN(1/448)
}

TEST_CASE("an inverse scale beyond binary32 is limited or Inf", "[recipe]") {
    FloatScale choices;
    CHECK(exact::scales_of(choices, 0x00000001) == Scales{0, fp32_inf});
    choices.limit = &formats::fp32;
    CHECK(exact::scales_of(choices, 0x00000001) == Scales{0x00200000, largest});
    choices.limit = &formats::bf16;
    CHECK(exact::scales_of(choices, 0x00000001)->inverse == 0x7F7F0000);
    choices.power_of_two = true;
    CHECK(exact::scales_of(choices, 0x00000001) == Scales{0x00400000, 0x7F000000});
}

TEST_CASE("a power of two: the scale goes up, the inverse scale down", "[recipe]") {
    FloatScale choices;
    choices.power_of_two = true;
    CHECK(exact::scales_of(choices, 0x40000000) == Scales{0x3C000000, 0x43000000}); // 224: 128, 2^-7
    CHECK(exact::scales_of(choices, 0x40600000) == Scales{0x3C000000, 0x43000000}); // 3.5: exactly 128
    choices.first = First::scale;
    CHECK(exact::scales_of(choices, 0x40000000) == Scales{0x3C000000, 0x43000000});
    CHECK(exact::scales_of(choices, 0x40600001) == Scales{0x3C800000, 0x42800000});
}

TEST_CASE("an amax without a scale gives what is chosen", "[recipe]") {
    FloatScale choices;
    CHECK(exact::scales_of(choices, 0) == Scales{0, fp32_inf});
    CHECK(exact::scales_of(choices, fp32_inf) == Scales{fp32_inf, 0});
    CHECK(exact::scales_of(choices, quiet) == Scales{quiet, quiet});
    CHECK(exact::scales_of(choices, 0xFF800001) == Scales{quiet, quiet});
    choices.on_zero = Unusable::one;
    choices.on_inf = Unusable::keep;
    choices.on_nan = Unusable::one;
    CHECK(exact::scales_of(choices, 0) == Scales{unity, unity});
    CHECK(exact::scales_of(choices, fp32_inf) == std::nullopt);
    CHECK(exact::scales_of(choices, quiet) == Scales{unity, unity});
}

TEST_CASE("a smaller amax is raised to the least one, zero too", "[recipe]") {
    FloatScale choices;
    choices.least_amax = 0x3D719799812DEA11; // 1e-12, which is no binary32
    choices.on_zero = Unusable::keep;
    CHECK(exact::scales_of(choices, 0)->inverse == 0x57CBBA10); // 4.48e14
    CHECK(exact::scales_of(choices, 0x2B8CBCCB)->inverse == 0x57CBBA10);
    CHECK(exact::scales_of(choices, 0x2B8CBCCD)->inverse == 0x57CBBA0F); // above 1e-12
    CHECK(exact::scales_of(choices, 0x40000000)->inverse == 0x43600000);
    choices.factor = 0x40000000;
    CHECK_THROWS_WITH(exact::scales_of(choices, 0), "a least amax that is multiplied by a factor is a binary32");
}

TEST_CASE("a scale is kept in a narrower format and used as it is there", "[recipe]") {
    FloatScale choices;
    choices.first = First::scale;
    choices.kept = &formats::fp16;
    CHECK(exact::scales_of(choices, 0x40400000) == Scales{0x3BDB6000, 0x43155EAB}); // 3/448 to eleven bits
    CHECK(exact::scales_of(choices, 0x33000000) == Scales{0, fp32_inf});            // below half the smallest binary16
    choices.kept = &formats::bf16;
    CHECK(exact::scales_of(choices, 0x40400000)->scale == 0x3BDB0000);
}

TEST_CASE("what is no amax is refused", "[recipe]") {
    FloatScale choices;
    CHECK_THROWS_WITH(exact::scales_of(choices, 0xBF800000), "an amax has no sign: 0xBF800000");
    CHECK_THROWS_AS(exact::scales_of(choices, 0x80000000), std::invalid_argument);
    CHECK_THROWS_AS(exact::scales_of(choices, 0x100000000), std::invalid_argument);
    choices.exponent = 127;
    CHECK_THROWS_WITH(exact::scales_of(choices, unity), "the exponent of a margin is 0 to 126, not 127");
    choices.exponent = -1;
    CHECK_THROWS_WITH(exact::scales_of(choices, unity), "the exponent of a margin is 0 to 126, not -1");
    choices.exponent = 0;
    for (const Code factor : {Code{0}, Code{0x7F800000}, Code{0xBF800000}}) {
        choices.factor = factor;
        CHECK_THROWS_AS(exact::scales_of(choices, unity), std::invalid_argument);
    }
    choices.factor = unity;
    choices.kept = &formats::e8m0;
    CHECK_THROWS_AS(exact::scales_of(choices, unity), std::invalid_argument);
    choices.kept = &formats::fp32;
    choices.least_amax = 0x47EFFFFFE0000000; // the largest binary32
    CHECK_NOTHROW(exact::scales_of(choices, unity));
    choices.least_amax += 1;
    CHECK_THROWS_AS(exact::scales_of(choices, unity), std::invalid_argument);
}

TEST_CASE("a least amax with a factor is a binary32, as exact arithmetic says", "[recipe]") {
    FloatScale choices;
    choices.factor = 0x40000000;
    SplitMix64 random(3);
    int values = 0;
    for (int i = 0; i < 20'000; ++i) {
        // A binary64 whose last bits, but for `width` of them, are zero, from its subnormals to the largest binary32.
        const auto width = static_cast<unsigned>(random.below(53));
        const Code fraction = (random() & formats::fp64.fraction_mask()) >> (52 - width) << (52 - width);
        const Code exponent = i % 3 == 0 ? 850 + random.below(60) : random.below(1151);
        choices.least_amax = exponent << 52U | fraction;
        const exact::Rational least = exact::decode(formats::fp64, choices.least_amax).magnitude;
        const bool is_value =
            exact::decode(formats::fp32, exact::nearest(formats::fp32, false, least)).magnitude == least;
        CAPTURE(choices.least_amax, is_value);
        if (is_value)
            REQUIRE_NOTHROW(check(choices));
        else
            REQUIRE_THROWS_AS(check(choices), std::invalid_argument);
        values += is_value ? 1 : 0;
    }
    CHECK(values > 2000);
    CHECK(values < 18'000);
}
