// SPDX-License-Identifier: Apache-2.0
// Arithmetic on exact rational numbers, and their decimal text.
#include "reference/exact/rational.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

namespace mxcert::exact {
namespace {

unsigned shift(int places) { return static_cast<unsigned>(places); }

/// The magnitude of an integer of up to 64 bits, as nearly all are: what Boost does for any size takes several times as
/// long. 0 of zero and of a larger one.
std::uint64_t one_word(const Integer& n) {
    static_assert(sizeof(*n.backend().limbs()) == sizeof(std::uint64_t));
    return n.backend().size() == 1 ? *n.backend().limbs() : 0;
}

void set_magnitude(Integer& n, std::uint64_t magnitude) { *n.backend().limbs() = magnitude; }

/// Takes the powers of two out of an integer other than zero, and returns how many there were.
int take_twos(Integer& n) {
    if (const std::uint64_t word = one_word(n); word != 0) {
        const int twos = std::countr_zero(word);
        set_magnitude(n, word >> shift(twos));
        return twos;
    }
    const auto twos = static_cast<int>(n.sign() < 0 ? lsb(Integer(-n)) : lsb(n));
    if (twos != 0) n >>= shift(twos);
    return twos;
}

int top_bit(const Integer& n) {
    if (const std::uint64_t word = one_word(n); word != 0) return static_cast<int>(std::bit_width(word)) - 1;
    return static_cast<int>(n.sign() < 0 ? msb(Integer(-n)) : msb(n));
}

} // namespace

Rational::Rational(Integer n, Integer d, int e) : n_(std::move(n)), d_(std::move(d)), e_(e) {
    if (d_.is_zero()) throw std::domain_error("a rational number has a denominator other than zero");
    if (n_.is_zero()) {
        d_ = 1;
        e_ = 0;
        return;
    }
    if (d_.sign() < 0) {
        d_.backend().negate();
        n_.backend().negate();
    }
    e_ += take_twos(n_);
    if (d_ == 1) return;
    e_ -= take_twos(d_);
    if (d_ == 1) return;
    const std::uint64_t n_word = one_word(n_);
    const std::uint64_t d_word = one_word(d_);
    const Integer common = n_word != 0 && d_word != 0 ? Integer(std::gcd(n_word, d_word)) : gcd(n_, d_);
    if (common == 1) return;
    n_ /= common;
    d_ /= common;
}

Rational operator+(const Rational& a, const Rational& b) {
    if (a.is_zero()) return b;
    if (b.is_zero()) return a;
    const int e = std::min(a.e_, b.e_);
    Integer left = a.n_ << shift(a.e_ - e);
    Integer right = b.n_ << shift(b.e_ - e);
    if (a.d_ == b.d_) return {Integer(left + right), a.d_, e};
    left *= b.d_;
    right *= a.d_;
    return {Integer(left + right), Integer(a.d_ * b.d_), e};
}

Rational operator*(const Rational& a, const Rational& b) {
    if (a.is_dyadic() && b.is_dyadic() && !a.is_zero() && !b.is_zero()) { // a product of odd numbers is odd
        Rational product;
        product.n_ = a.n_ * b.n_;
        product.e_ = a.e_ + b.e_;
        return product;
    }
    return {Integer(a.n_ * b.n_), Integer(a.d_ * b.d_), a.e_ + b.e_};
}

Rational operator/(const Rational& a, const Rational& b) {
    return {Integer(a.n_ * b.d_), Integer(a.d_ * b.n_), a.e_ - b.e_};
}

std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
    if (a.sign() != b.sign() || a.is_zero()) return a.sign() <=> b.sign();
    // |x| lies in [2^(low), 2^(low + 2)) with low = top(n) - top(d) + e - 1: most comparisons end here.
    const int of_a = top_bit(a.n_) - top_bit(a.d_) + a.e_;
    const int of_b = top_bit(b.n_) - top_bit(b.d_) + b.e_;
    if (of_a > of_b + 1) return a.sign() <=> 0;
    if (of_b > of_a + 1) return 0 <=> a.sign();
    const int e = std::min(a.e_, b.e_);
    const Integer left = (a.n_ * b.d_) << shift(a.e_ - e);
    const Integer right = (b.n_ * a.d_) << shift(b.e_ - e);
    return left.compare(right) <=> 0;
}

int floor_log2(const Rational& x) {
    const int e = top_bit(x.n_) - top_bit(x.d_);
    if (x.is_dyadic()) return e + x.e_;
    // n / d lies in (2^(e-1), 2^(e+1)).
    const bool below = e >= 0 ? x.n_ < (x.d_ << shift(e)) : (x.n_ << shift(-e)) < x.d_;
    return (below ? e - 1 : e) + x.e_;
}

Rational power_of_two(int e) {
    Rational power;
    power.n_ = 1;
    power.e_ = e;
    return power;
}

Units in_units(const Rational& x, int place) {
    const int e = x.e_ - place;
    if (const std::uint64_t word = one_word(x.n_); word != 0 && x.is_dyadic() && x.sign() > 0 && e <= 0 && e > -64) {
        const std::uint64_t divisor = std::uint64_t{1} << shift(-e);
        return {word >> shift(-e), word & (divisor - 1), divisor};
    }
    Units cut{x.n_, 0, x.d_};
    (e < 0 ? cut.divisor : cut.whole) <<= shift(std::abs(e));
    if (cut.divisor == 1) return cut;
    const Integer dividend = cut.whole;
    if (x.is_dyadic() && dividend.sign() >= 0) {
        cut.whole >>= shift(-e);
        cut.rest = dividend - (cut.whole << shift(-e));
    } else {
        divide_qr(dividend, cut.divisor, cut.whole, cut.rest);
    }
    return cut;
}

std::string Rational::str() const {
    const Integer d = denominator(*this);
    return d == 1 ? numerator(*this).str() : numerator(*this).str() + "/" + d.str();
}

Rational::operator double() const {
    if (is_zero()) return 0;
    constexpr int digits = 53;
    constexpr int lowest_place = -1074;
    const Rational magnitude = abs(*this);
    const int place = std::max(floor_log2(magnitude) - digits + 1, lowest_place);
    const auto [whole, rest, divisor] = in_units(magnitude, place);
    const Integer twice = rest * 2;
    const bool up = twice > divisor || (twice == divisor && (whole & 1) != 0);
    const double nearest = std::ldexp(static_cast<double>(static_cast<std::uint64_t>(whole) + (up ? 1 : 0)), place);
    return sign() < 0 ? -nearest : nearest;
}

std::string decimal(const Rational& x) {
    if (!x.is_dyadic()) throw std::logic_error("decimal: not a dyadic rational");
    const auto twos = shift(std::max(-x.last_bit(), 0));
    const bool negative = x.sign() < 0;
    const Integer n = numerator(abs(x));
    // n / 2^k = n 5^k / 10^k: exactly k digits after the point.
    std::string digits = Integer(n * pow(Integer{5}, twos)).str();
    if (digits.size() <= twos) digits.insert(0, twos + 1 - digits.size(), '0');
    if (twos > 0) {
        digits.insert(digits.size() - twos, 1, '.');
        digits.erase(digits.find_last_not_of('0') + 1);
    }
    return negative ? "-" + digits : digits;
}

} // namespace mxcert::exact
