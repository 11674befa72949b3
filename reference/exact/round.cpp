// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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

/// Whether a magnitude rest / divisor of the way from lower to upper goes to upper.
bool goes_up(const Rounded& r, const Rational& magnitude, const Integer& rest, const Integer& divisor, bool negative,
             Rounding rounding, Random random) {
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
        return Integer(random.value) >= stochastic_threshold(rounding, Rational(rest, divisor), random.bits);
    }
    throw std::logic_error("round: no such rounding");
}

} // namespace

Integer stochastic_threshold(Rounding rounding, const Rational& eta, unsigned bits) {
    const Integer all = Integer{1} << bits;
    switch (rounding) {
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
    r.value = goes_up(r, magnitude, rest, divisor, negative, rounding, random) ? r.upper : r.lower;
    return r;
}

} // namespace mxcert::exact
