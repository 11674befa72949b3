// SPDX-License-Identifier: Apache-2.0
// Stochastic rounding: for a fixed value the outcome is a step function of R, and the fast model steps where the exact
// one does.
#include "catch.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/convert.hpp"

using namespace mxcert;
using namespace mxcert::formats;

namespace {

std::uint64_t next(std::uint64_t& state) { // SplitMix64
    std::uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

constexpr Rounding roundings[] = {Rounding::stochastic_a, Rounding::stochastic_b, Rounding::stochastic_c};

/// What the exact model says of one value under every stochastic rounding: the codes below and away, and the fraction
/// of a step by which it lies above the former.
struct Expected {
    Code toward, away;
    exact::Rational eta;
};
Expected expect(const Format& from, const Format& to, Choices c, Code code) {
    const exact::Rational magnitude = exact::decode(from, code).magnitude;
    const exact::Rounded rounded = exact::round(to, magnitude, false, Rounding::toward_zero);
    Expected e{};
    if (rounded.upper != rounded.lower) e.eta = (magnitude - rounded.lower) / (rounded.upper - rounded.lower);
    c.rounding = Rounding::toward_zero;
    e.toward = exact::convert(from, to, c, code).code;
    c.rounding = Rounding::away_from_zero;
    e.away = exact::convert(from, to, c, code).code;
    return e;
}

/// Compares at every R of up to 8 bits, at the ends and beside the threshold otherwise.
std::size_t count_differences(const Format& from, const Format& to, const Choices& c, Code code, unsigned bits,
                              const Expected& expected) {
    const std::uint64_t end = std::uint64_t{1} << bits;
    const auto threshold = static_cast<std::uint64_t>(exact::stochastic_threshold(c.rounding, expected.eta, bits));
    std::size_t differences = 0;
    const auto check = [&](std::uint64_t random) {
        const Code wanted = random >= threshold ? expected.away : expected.toward;
        const Code answer = fast::convert(from, to, c, code, static_cast<std::uint32_t>(random), bits);
        if (answer == wanted) return;
        if (++differences == 1) {
            UNSCOPED_INFO(from.name << " to " << to.name << ", " << describe(c) << ", code " << code << ", n " << bits
                                    << ", R " << random << ": fast " << answer << ", exact " << wanted);
        }
    };
    if (bits <= 8) {
        for (std::uint64_t random = 0; random < end; ++random) check(random);
        return differences;
    }
    check(0);
    check(end - 1);
    if (threshold < end) check(threshold);
    if (threshold > 0) check(threshold - 1);
    return differences;
}

/// The same for the three roundings and the given numbers of bits.
std::size_t count_differences(const Format& from, const Format& to, Code code,
                              std::initializer_list<unsigned> all_bits) {
    const Expected expected = expect(from, to, {}, code);
    std::size_t differences = 0;
    for (const Rounding r : roundings) {
        Choices c;
        c.rounding = r;
        for (const unsigned bits : all_bits) differences += count_differences(from, to, c, code, bits, expected);
    }
    return differences;
}

/// The code of `from` for 2^exponent.
Code power(const Format& from, int exponent) { return static_cast<Code>(exponent + from.bias) << from.fraction_bits; }

} // namespace

TEST_CASE("stochastic rounding steps at the threshold, every R of up to 8 bits, every value of a binade and below",
          "[values]") {
    for (const Format* from : {&fp16, &bf16}) {
        for (const Format* to : {&e4m3, &e5m2, &e8m0}) {
            // The subnormals of the target with what lies below them (E8M0 has none), and the binade of one.
            const int lowest = to->has_subnormals ? to->emin() - to->fraction_bits - 2 : to->emin();
            const Code below = lowest < from->emin() ? 0 : power(*from, lowest);
            const Code normal = to->has_subnormals ? power(*from, to->emin()) : below + 300;
            std::size_t differences = 0;
            const auto check = [&](Code code) {
                differences += count_differences(*from, *to, code, {1, 2, 3, 4, 5, 6, 7, 8});
            };
            for (Code code = std::max(below, Code{1}); code < normal; ++code) check(code);
            for (Code code = power(*from, 0); code <= power(*from, 1); ++code) check(code);
            REQUIRE(differences == 0);
        }
    }
}

TEST_CASE("stochastic rounding from FP32 steps at the threshold around every multiple of a random step", "[values]") {
    for (const Format* to : {&e4m3, &e5m2, &e8m0}) {
        const int lowest = to->has_subnormals ? to->emin() - 1 : -3;
        std::size_t differences = 0;
        for (const int exponent : {lowest, 0}) {
            for (const unsigned bits : {1U, 2U, 5U, 8U}) {
                // Half random steps of the finest grid there, and their neighbours.
                const Code half_step = Code{1} << (23 - to->fraction_bits - static_cast<int>(bits) - 1);
                const Code end = power(fp32, exponent + 1);
                for (Code code = power(fp32, exponent); code < end; code += half_step * (bits == 8 ? 7 : 1)) {
                    for (const Code near : {code - 1, code, code + 1, code + half_step, code + half_step - 1})
                        differences += count_differences(fp32, *to, near, {bits});
                }
            }
        }
        REQUIRE(differences == 0);
    }
}

TEST_CASE("stochastic rounding steps at the threshold with up to 32 random bits, seeded values", "[values]") {
    std::uint64_t state = 3;
    for (const Format* from : {&fp64, &fp32, &fp16, &bf16, &e4m3, &e5m2, &e8m0}) {
        for (const Format* to : {&e4m3, &e5m2, &e8m0, &fp16}) {
            if (!fast::offers(*from, *to)) continue;
            const int lowest = std::max(to->emin() - to->fraction_bits - 40, from->emin());
            const int highest = std::min(to->emax() + 1, from->emax());
            std::size_t differences = 0;
            for (int i = 0; i < 600; ++i) {
                const auto span = static_cast<std::uint64_t>(highest - lowest + 1);
                const int exponent = lowest + static_cast<int>(next(state) % span);
                const Code fraction = next(state) & next(state) & from->fraction_mask();
                const Code sign = next(state) & from->sign_bit();
                const Code code = sign | power(*from, exponent) | fraction;
                if (!from->is_finite(code)) continue;
                Choices c;
                c.rounding = roundings[i % 3];
                c.overflow = i % 2 == 0 ? Overflow::sat : Overflow::nosat;
                const unsigned bits = 9 + static_cast<unsigned>(next(state) % 24);
                differences += count_differences(*from, *to, c, code, bits, expect(*from, *to, c, code));
            }
            REQUIRE(differences == 0);
        }
    }
}

/// The magnitude of the source and R, counted in its last place, and the sum cut: as pseudocode does it.
Code added_and_cut(const Format& from, const Format& to, Code code, std::uint32_t random) {
    const exact::Rational magnitude = exact::decode(from, code).magnitude;
    const exact::Rational last = exact::power_of_two(exact::floor_log2(magnitude) - from.fraction_bits);
    Code below = 0;
    while (below < to.max_code() && exact::decode(to, below + 1).magnitude <= magnitude + last * random) ++below;
    return below;
}

TEST_CASE("stochastic_s adds R to the fraction of the source and cuts", "[values]") {
    std::uint64_t state = 7;
    Choices c;
    c.rounding = Rounding::stochastic_s;
    for (const Format* from : {&fp32, &fp16, &bf16})
        for (const Format* to : {&e4m3, &e5m2, &e2m1}) {
            const auto cut = static_cast<unsigned>(from->fraction_bits - to->fraction_bits);
            const int lowest = std::max(to->emin() - to->fraction_bits - 3, from->emin());
            for (int i = 0; i < 3000; ++i) {
                const int exponent = lowest + static_cast<int>(next(state) % (i % 2 == 0 ? 8 : 4));
                const Code code = power(*from, exponent) | (next(state) & from->fraction_mask());
                // Every R, or the one that just carries at the gap of a normal result, and its neighbours.
                auto random = static_cast<std::uint32_t>(next(state) & ((Code{1} << cut) - 1));
                if (i % 3 == 0) random = (1U << cut) - 1;
                CAPTURE(from->name, to->name, code, random);
                const Code wanted = added_and_cut(*from, *to, code, random);
                CHECK(fast::convert(*from, *to, c, code, random, cut) == wanted);
                CHECK(exact::convert(*from, *to, c, code, {cut, random}).code == wanted);
            }
        }
    // 3.5 x 2^-9, in the second binade of subnormals: R is a quarter of the gap at most.
    CHECK(fast::convert(fp32, e4m3, c, 0x3BE00000, 0xFFFFF, 20) == 0x03);
    CHECK(fast::convert(fp32, e4m3, c, 0x3BF00001, 0xFFFFF, 20) == 0x04);
    CHECK_FALSE(fast::offers(fp32, int8, c));
    CHECK_THROWS_AS(exact::convert(fp32, int8, c, 0x3F800001, {8, 1}), std::invalid_argument);
}

TEST_CASE("stochastic rounding treats what is not a number as every rounding does") {
    for (const Format* to : {&e4m3, &e5m2, &e8m0}) {
        for (const Rounding r : roundings) {
            for (const Overflow overflow : {Overflow::sat, Overflow::nosat}) {
                for (const Code code : {0x0000U, 0x8000U, 0x7C00U, 0xFC00U, 0x7C01U, 0xFFFFU, 0x0001U, 0x83FFU}) {
                    Choices c;
                    c.rounding = r;
                    c.overflow = overflow;
                    CAPTURE(to->name, static_cast<int>(r), code);
                    CHECK(fast::convert(fp16, *to, c, code, 3, 2) == exact::convert(fp16, *to, c, code, {2, 3}).code);
                }
            }
        }
    }
}
