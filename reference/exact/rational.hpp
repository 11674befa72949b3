// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <compare>
#include <concepts>
#include <string>
#include <utility>

namespace mxcert::exact {

using Integer = boost::multiprecision::cpp_int;

/// A number that was cut to a whole one: whole + rest / divisor, both toward zero.
struct Units {
    Integer whole;
    Integer rest;
    Integer divisor; ///< > 0
};

/// An exact rational number n / d * 2^e, with n and d odd and without a common divisor, d > 0; zero is 0 / 1 * 2^0.
/// Nearly all values of this model are dyadic (d = 1), and their n has as many bits as a significand: they are small
/// whatever their exponent, and no operation on them looks for a common divisor. Boost's cpp_rational would carry 2^149
/// as a divisor of 150 bits.
class Rational {
  public:
    Rational() = default;
    template <std::integral Number> Rational(Number n) : Rational(Integer(n)) {} // NOLINT(google-explicit-constructor)
    Rational(Integer n) : Rational(std::move(n), 1, 0) {}                        // NOLINT(google-explicit-constructor)
    /// n / d. Throws std::domain_error if d is zero.
    Rational(Integer n, Integer d) : Rational(std::move(n), std::move(d), 0) {}
    /// n / d * 2^e. Throws std::domain_error if d is zero.
    Rational(Integer n, Integer d, int e);

    [[nodiscard]] bool is_zero() const { return n_.is_zero(); }
    /// -1, 0 or 1.
    [[nodiscard]] int sign() const { return n_.sign(); }
    /// Whether this is n 2^e for integers n and e.
    [[nodiscard]] bool is_dyadic() const { return d_ == 1; }
    /// e of n / d * 2^e: the exponent of the last bit that is set, if this is dyadic; 0 of zero.
    [[nodiscard]] int last_bit() const { return e_; }

    /// "-7/8", "3".
    [[nodiscard]] std::string str() const;
    /// The nearest FP64 value, ties to even; infinity beyond the largest.
    explicit operator double() const;

    Rational& operator+=(const Rational& b) { return *this = *this + b; }
    Rational& operator-=(const Rational& b) { return *this = *this - b; }
    Rational& operator*=(const Rational& b) { return *this = *this * b; }
    /// Throws std::domain_error if b is zero.
    Rational& operator/=(const Rational& b) { return *this = *this / b; }

    friend Rational operator-(Rational a) {
        a.n_.backend().negate();
        return a;
    }
    friend Rational operator+(const Rational& a, const Rational& b);
    friend Rational operator-(const Rational& a, const Rational& b) { return a + -b; }
    friend Rational operator*(const Rational& a, const Rational& b);
    friend Rational operator/(const Rational& a, const Rational& b);
    friend bool operator==(const Rational& a, const Rational& b) {
        return a.e_ == b.e_ && a.n_ == b.n_ && a.d_ == b.d_;
    }
    friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);
    friend Rational abs(const Rational& a) { return a.sign() < 0 ? -a : a; }
    /// Numerator and denominator in lowest terms, the powers of two in them.
    friend Integer numerator(const Rational& a) {
        return a.e_ > 0 ? Integer(a.n_ << static_cast<unsigned>(a.e_)) : a.n_;
    }
    friend Integer denominator(const Rational& a) {
        return a.e_ < 0 ? Integer(a.d_ << static_cast<unsigned>(-a.e_)) : a.d_;
    }
    friend int floor_log2(const Rational& x);
    friend Rational power_of_two(int e);
    friend Units in_units(const Rational& x, int place);

  private:
    Integer n_ = 0;
    Integer d_ = 1;
    int e_ = 0;
};

/// floor(log2 x), x > 0.
[[nodiscard]] int floor_log2(const Rational& x);
/// 2^e for any e.
[[nodiscard]] Rational power_of_two(int e);
/// n 2^e for any n and e.
[[nodiscard]] inline Rational times_power_of_two(Integer n, int e) { return {std::move(n), 1, e}; }

/// x in units of 2^place, cut toward zero.
[[nodiscard]] Units in_units(const Rational& x, int place);
/// floor(x), x >= 0.
[[nodiscard]] inline Integer floor(const Rational& x) { return in_units(x, 0).whole; }

/// Exact decimal text of a dyadic rational: "464.0000915527344", no rounding, never an exponent. Throws
/// std::logic_error if the number is not dyadic.
[[nodiscard]] std::string decimal(const Rational& x);

} // namespace mxcert::exact
