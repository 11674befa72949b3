// SPDX-License-Identifier: Apache-2.0
// PTX's cvt.rs: which bits of rbits each of {a, b, e, f} takes, typed from the measurement, and the models against the
// instruction as its text describes it, an integer addition to the code of the source.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

#include "catch.hpp"
#include "reference/base/random.hpp"
#include "reference/dot/dot.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/convert.hpp"

using namespace mxcert;
using namespace mxcert::formats;

namespace {

constexpr Rounding lanes[] = {Rounding::ptx_rs_a, Rounding::ptx_rs_b, Rounding::ptx_rs_e, Rounding::ptx_rs_f};
constexpr const Format* targets[] = {&e4m3, &e5m2, &e2m1};

/// Bits of rbits from the most significant of R on.
using Bits = std::vector<unsigned>;
const Bits of_fp8[] = {
    {16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
    {31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
};
const Bits of_fp4[] = {
    {8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31},
    {31, 30, 29, 28, 27, 26, 25, 24, 15, 14, 13, 12, 11, 10, 9, 8},
    {0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23},
    {23, 22, 21, 20, 19, 18, 17, 16, 7, 6, 5, 4, 3, 2, 1, 0},
};

std::uint32_t typed(const Format& to, std::size_t lane, std::uint32_t word) {
    std::uint32_t r = 0;
    for (const unsigned bit : (to.width() == 8 ? of_fp8 : of_fp4)[lane]) r = r << 1 | (word >> bit & 1);
    return r;
}

float as_float(Code code) { return std::bit_cast<float>(static_cast<std::uint32_t>(code)); }

/// The instruction: R is added at the top of the bits of the source that are cut, D of them, more for subnormal
/// results, and the carry decides. Below the smallest subnormal the source has no bits to cut. `codes`: of the target's
/// values, by those of FP32. Precondition: finite.
Code instruction(const Format& to, const std::map<Code, Code>& codes, Code value, std::uint32_t r) {
    const Code sign = (value & fp32.sign_bit()) != 0 ? to.sign_bit() : 0;
    const float largest = to.width() == 4 ? 6.0F : to.fraction_bits == 3 ? 448.0F : 57344.0F;
    const float x = std::min(std::fabs(as_float(value)), largest);
    const auto code = std::bit_cast<std::uint32_t>(x);
    const int exponent = static_cast<int>(code >> 23) - 127;
    const double smallest = std::ldexp(1, to.emin() - to.fraction_bits);
    if (x < smallest) return sign | (x / smallest + r * 0x1p-16 >= 1 ? Code{1} : Code{0});
    const int cut = 23 - to.fraction_bits + std::max(0, to.emin() - exponent);
    return sign | codes.at((code + (r << (cut - 16))) >> cut << cut);
}

Choices by(Rounding rounding) {
    Choices choices;
    choices.rounding = rounding;
    return choices;
}

} // namespace

TEST_CASE("both models take the bits of rbits that were measured", "[ptx_rs]") {
    SplitMix64 random(1);
    std::vector<std::uint32_t> words{0, ~0U};
    for (unsigned bit = 0; bit < 32; ++bit) words.push_back(1U << bit);
    for (int i = 0; i < 1000; ++i) words.push_back(static_cast<std::uint32_t>(random()));
    for (const Format* to : targets)
        for (std::size_t lane = 0; lane < 4; ++lane)
            for (const std::uint32_t word : words) {
                CAPTURE(to->name, lane, word);
                const exact::Random own = exact::own_bits(*to, lanes[lane], 1, {32, word});
                CHECK(own.bits == 16);
                CHECK(own.value == typed(*to, lane, word));
                const fast::GivenBits given = fast::given_bits(*to, lanes[lane], word, 32);
                CHECK(given.law == Rounding::stochastic_a);
                CHECK(given.bits == 16);
                CHECK(given.random == own.value);
            }
    // Every other rounding takes all that it is given.
    CHECK(exact::own_bits(e4m3, Rounding::stochastic_b, 1, {7, 99}).value == 99);
    CHECK(fast::given_bits(e4m3, Rounding::stochastic_b, 99, 7).bits == 7);
}

TEST_CASE("cvt.rs is an addition to the code of the source, with the carry", "[ptx_rs][values]") {
    SplitMix64 random(2);
    for (const Format* to : targets) {
        // From far below the smallest subnormal to beyond the largest value.
        const Code first = static_cast<Code>(to->emin() - to->fraction_bits - 18 + 127) << 23;
        const Code last = static_cast<Code>(to->emax() + 2 + 127) << 23;
        std::map<Code, Code> codes;
        for (Code code = 0; code <= to->max_code(); ++code)
            codes[exact::encode(fp32, exact::decode(*to, code).magnitude)] = code;
        std::size_t differences = 0;
        for (int i = 0; i < 40'000; ++i) {
            const auto word = static_cast<std::uint32_t>(random());
            const std::size_t lane = random.below(4);
            const std::uint32_t r = typed(*to, lane, word);
            const Code sign = random.below(2) << 31;
            Code value = sign | (first + random.below(last - first));
            // Every other one where this word's carry begins: at a code plus 1 - R / 2^16 of the gap above it.
            if (i % 2 == 0 && r != 0) {
                const Code below = random.below(to->max_code());
                const exact::Rational lower = exact::decode(*to, below).magnitude;
                const exact::Rational gap = exact::decode(*to, below + 1).magnitude - lower;
                value = sign | exact::encode(fp32, lower + gap * exact::Rational(65536 - r, 65536));
            }
            for (const Code at : {value, value - 1}) {
                const Code wanted = instruction(*to, codes, at, r);
                const Code answer = fast::convert(fp32, *to, by(lanes[lane]), at, word, 32);
                if (answer == wanted && exact::convert(fp32, *to, by(lanes[lane]), at, {32, word}).code == wanted)
                    continue;
                if (++differences == 1)
                    UNSCOPED_INFO(to->name << " lane " << lane << " word " << word << " value " << at << ": " << answer
                                           << ", not " << wanted);
            }
        }
        CHECK(differences == 0);
    }
}

TEST_CASE("cvt.rs treats what is not a number as other roundings do, and .relu comes first", "[ptx_rs]") {
    for (const Format* to : targets)
        for (const Rounding lane : lanes)
            for (const Format* from : {&fp32, &relu_fp32})
                for (const Code code : {0x00000000U, 0x80000000U, 0x7F800000U, 0xFF800000U, 0x7FC00000U, 0xFF800001U,
                                        0x00000001U, 0x80000001U, 0xBF8FFFFFU, 0x7F7FFFFFU}) {
                    CAPTURE(to->name, from->name, code);
                    const Choices choices = by(lane);
                    CHECK(fast::convert(*from, *to, choices, code, 0x8001FFFF, 32) ==
                          exact::convert(*from, *to, choices, code, {32, 0x8001FFFF}).code);
                }
    // -1.125 less one ulp, all words: negative values are rounded away too, or are zero.
    CHECK(fast::convert(fp32, e4m3, by(Rounding::ptx_rs_b), 0xBF8FFFFF, 0xFFFFFFFF, 32) == 0xB9);
    CHECK(fast::convert(relu_fp32, e4m3, by(Rounding::ptx_rs_b), 0xBF8FFFFF, 0xFFFFFFFF, 32) == 0x00);
}

TEST_CASE("cvt.rs is refused where its bits are not known", "[ptx_rs]") {
    const Choices choices = by(Rounding::ptx_rs_e);
    for (const Format* to : {&e2m3, &e3m2, &fp16, &e8m0}) {
        CAPTURE(to->name);
        CHECK_FALSE(fast::offers(fp32, *to, choices));
        CHECK_THROWS_AS(exact::convert(fp32, *to, choices, 0x3F800001, {32, 1}), std::invalid_argument);
    }
    CHECK(fast::offers(fp32, e2m1, choices));
    CHECK_THROWS_AS(exact::convert(fp32, e4m3, choices, 0x3F800001, {16, 1}), std::invalid_argument);
    CHECK_THROWS_AS(fast::convert(fp32, e4m3, choices, 0x3F800001, 1, 16), std::invalid_argument);
    CHECK_THROWS_AS(check(DotFormat{&e4m3, &e4m3, nullptr, nullptr, nullptr, &e4m3}, choices), std::invalid_argument);
}
