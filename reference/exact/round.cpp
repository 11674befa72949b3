// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

#include "reference/exact/exact.hpp"

namespace mxcert::exact {
namespace {

/// Rounds x >= 0 to an integer, ties to even.
Integer round_even(const Rational& x) {
    const Integer below = floor(x);
    const Rational rest = x - Rational(below);
    const Rational half(1, 2);
    const bool up = rest > half || (rest == half && (below & 1) != 0);
    return up ? Integer(below + 1) : below;
}

/// Bits of a word from the most significant of R on: from one number to another, both of them taken.
struct Run {
    unsigned from, to;
};
/// Which bits of rbits one of the four values takes, as they were measured.
struct Lane {
    Rounding rounding;
    std::array<Run, 2> of_8_bits, of_4_bits; ///< by the width of the target
};
constexpr Lane lanes[] = {
    {Rounding::ptx_rs_a, {{{16, 23}, {24, 31}}}, {{{8, 15}, {24, 31}}}},
    {Rounding::ptx_rs_b, {{{31, 24}, {23, 16}}}, {{{31, 24}, {15, 8}}}},
    {Rounding::ptx_rs_e, {{{0, 7}, {8, 15}}}, {{{0, 7}, {16, 23}}}},
    {Rounding::ptx_rs_f, {{{15, 8}, {7, 0}}}, {{{23, 16}, {7, 0}}}},
};

/// Whether a magnitude rest / divisor of the way from lower to upper goes to upper.
bool goes_up(const Format& to, const Rounded& r, const Rational& magnitude, const Integer& rest, const Integer& divisor,
             bool negative, Rounding rounding, Random random) {
    const Integer twice = rest * 2;
    switch (rounding) {
    case Rounding::nearest_even: return twice > divisor || (twice == divisor && r.lower_odd);
    case Rounding::nearest_away: return twice >= divisor;
    case Rounding::nearest_zero: return twice > divisor;
    case Rounding::toward_zero: return false;
    case Rounding::up: return !negative;
    case Rounding::down: return negative;
    case Rounding::away_from_zero: return true;
    case Rounding::to_odd: return !r.lower_odd;
    case Rounding::nearest_log2: return magnitude * magnitude >= r.lower * r.upper;
    case Rounding::stochastic_a:
    case Rounding::stochastic_b:
    case Rounding::stochastic_c:
    case Rounding::stochastic_s:
    case Rounding::ptx_rs_a:
    case Rounding::ptx_rs_b:
    case Rounding::ptx_rs_e:
    case Rounding::ptx_rs_f: {
        const Random own = own_bits(to, rounding, magnitude, random);
        return Integer(own.value) >= stochastic_threshold(rounding, Rational(rest, divisor), own.bits);
    }
    }
    throw std::logic_error("round: no such rounding");
}

} // namespace

void check_random(const Format& to, Rounding rounding, Random random) {
    if (random.bits < 1 || random.bits > 32)
        throw std::invalid_argument("a stochastic rounding takes 1 to 32 random bits");
    if (random.bits < 32 && (random.value >> random.bits) != 0)
        throw std::invalid_argument("R does not fit its random bits");
    if (is_ptx_rs(rounding) && (!has_ptx_rs(to) || random.bits != 32))
        throw std::invalid_argument("cvt.rs takes 32 random bits, and is known to e4m3, e5m2 and e2m1");
    if (rounding == Rounding::stochastic_s && to.is_twos_complement())
        throw std::invalid_argument("stochastic_s is of formats with an exponent");
}

Random own_bits(const Format& to, Rounding rounding, const Rational& magnitude, Random random) {
    if (rounding == Rounding::stochastic_s) {
        random.bits += static_cast<unsigned>(std::max(0, to.emin() - floor_log2(magnitude)));
        return random;
    }
    if (!is_ptx_rs(rounding)) return random;
    const auto* const lane =
        std::find_if(std::begin(lanes), std::end(lanes), [&](const Lane& each) { return each.rounding == rounding; });
    Random own;
    for (const Run& run : to.width() == 8 ? lane->of_8_bits : lane->of_4_bits)
        for (unsigned bit = run.from;; run.from < run.to ? ++bit : --bit) {
            own.value = own.value * 2 + (random.value >> bit & 1);
            ++own.bits;
            if (bit == run.to) break;
        }
    return own;
}

Integer stochastic_threshold(Rounding rounding, const Rational& eta, unsigned bits) {
    const Integer all = Integer{1} << bits;
    switch (rounding) {
    case Rounding::ptx_rs_a:
    case Rounding::ptx_rs_b:
    case Rounding::ptx_rs_e:
    case Rounding::ptx_rs_f:
    case Rounding::stochastic_s:
    case Rounding::stochastic_a: // floor(eta 2^n) + R >= 2^n
        return all - floor(eta * Rational(all));
    case Rounding::stochastic_b: {                                            // floor(eta 2^(n+1)) + 2R + 1 >= 2^(n+1)
        const Integer missing = 2 * all - 1 - floor(eta * Rational(2 * all)); // 2R >= missing
        return (missing + 1) / 2;
    }
    case Rounding::stochastic_c: // RNE(eta 2^n) + R >= 2^n
        return all - round_even(eta * Rational(all));
    default: throw std::invalid_argument("not a stochastic rounding");
    }
}

Rounded round(const Format& to, const Rational& magnitude, bool negative, Rounding rounding, Random random) {
    // The grid around the magnitude: its step is 2^(e-f) in the binade of exponent e, and that of the lowest binade
    // below it; of whole numbers it is the same everywhere.
    const int e = to.encoding == Encoding::twos_complement ? to.emin() : std::max(floor_log2(magnitude), to.emin());
    const int quantum = e - to.fraction_bits; // the step is 2^quantum
    const auto& [units, rest, divisor] = in_units(magnitude, quantum);
    Rounded r;
    r.lower = times_power_of_two(units, quantum);
    // Where a format has no fraction bits the codes of neighbouring binades alternate, so the exponent field decides.
    const Integer hidden = Integer{1} << static_cast<unsigned>(to.fraction_bits);
    const Integer field = units < hidden ? Integer{0} : Integer(e + to.bias);
    r.lower_odd = to.fraction_bits > 0 ? (units & 1) != 0 : (field & 1) != 0;
    if (rest == 0) {
        r.upper = r.lower;
        r.value = r.lower;
        return r;
    }
    r.upper = times_power_of_two(Integer(units + 1), quantum);
    r.value = goes_up(to, r, magnitude, rest, divisor, negative, rounding, random) ? r.upper : r.lower;
    return r;
}

} // namespace mxcert::exact
