// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/stochastic/bernstein.hpp"

#include <vector>

#include "catch.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using exact::Integer;
using exact::Rational;

namespace {

/// P(K = k) for each k: n draws of probability p, exactly.
std::vector<Rational> binomial(unsigned n, const Rational& p) {
    std::vector<Rational> all(n + 1);
    for (unsigned k = 0; k <= n; ++k) {
        Integer choose{1};
        for (unsigned i = 0; i < k; ++i) choose = choose * (n - i) / (i + 1);
        Rational term(choose);
        for (unsigned i = 0; i < n; ++i) term *= i < k ? p : Rational(1 - p);
        all[k] = term;
    }
    return all;
}

Rational two_to_minus(unsigned bits) { return exact::power_of_two(-static_cast<int>(bits)); }

} // namespace

TEST_CASE("a binomial count exceeds its mean by chance as seldom as is said, exactly") {
    unsigned rejecting = 0;
    for (const unsigned n : {1U, 2U, 7U, 30U, 120U}) {
        for (const Rational& p :
             {Rational(1, 256), Rational(1, 16), Rational(1, 3), Rational(1, 2), Rational(15, 16)}) {
            const std::vector<Rational> chance = binomial(n, p);
            for (const unsigned bits : {1U, 4U, 10U, 20U}) {
                Rational above;
                Rational below;
                for (unsigned k = 0; k <= n; ++k) {
                    const Rational variance = n * p * (1 - p);
                    if (exceeds(k, n * p, variance, bits)) {
                        above += chance[k];
                        ++rejecting;
                    }
                    if (exceeds(-Rational(k), -n * p, variance, bits)) {
                        below += chance[k];
                        ++rejecting;
                    }
                }
                CAPTURE(n, p, bits);
                CHECK(above <= two_to_minus(bits));
                CHECK(below <= two_to_minus(bits));
            }
        }
    }
    CHECK(rejecting > 500); // otherwise nothing was shown
}

TEST_CASE("the number of draws finds the bias as often as is said, exactly") {
    struct Case {
        Rational bias;
        unsigned alarm;
        unsigned miss;
    };
    for (const Case& c : {Case{Rational(1, 2), 4, 4}, Case{Rational(1, 2), 10, 5}, Case{Rational(1, 4), 4, 6}}) {
        const auto n = static_cast<unsigned>(draws_to_detect(c.bias, c.alarm, c.miss));
        for (const Rational& p : {Rational(0), Rational(1, 16), Rational(1, 4), Rational(1, 2)}) {
            const std::vector<Rational> chance = binomial(n, p + c.bias);
            Rational missed;
            for (unsigned k = 0; k <= n; ++k)
                if (!exceeds(k, n * p, n * p * (1 - p), c.alarm)) missed += chance[k];
            CAPTURE(n, c.bias, p);
            CHECK(missed <= two_to_minus(c.miss));
        }
    }
}

TEST_CASE("the number of draws is the least that its formula allows") {
    for (const int k : {0, 1, 4, 8, 12}) {
        const Rational bias = exact::power_of_two(-k);
        const auto enough = [&](std::uint64_t n) {
            const Rational log = log_of_power_of_two(60);
            const Rational rest = Rational(n) * bias - 2 * log / 3;
            return rest >= 0 && rest * rest >= Rational(n) * log;
        };
        const std::uint64_t n = draws_to_detect(bias, 40, 20);
        CHECK(enough(n));
        CHECK_FALSE(enough(n - 1));
    }
    CHECK(log_of_power_of_two(1) > Rational(6'931'471'805LL, 10'000'000'000LL));
    CHECK(log_of_power_of_two(1) < Rational(6'931'471'900LL, 10'000'000'000LL));
}

TEST_CASE("what never varies exceeds by anything, and what is below its mean by nothing") {
    CHECK(exceeds(1, 0, 0, 30));
    CHECK_FALSE(exceeds(0, 0, 0, 30));
    CHECK_FALSE(exceeds(-1000, 0, 10, 1));
}

TEST_CASE("a bias that cannot be is refused") {
    CHECK_THROWS_AS(draws_to_detect(0, 30, 20), std::invalid_argument);
    CHECK_THROWS_AS(draws_to_detect(Rational(3, 2), 30, 20), std::invalid_argument);
    CHECK_THROWS_AS(draws_to_detect(exact::power_of_two(-40), 30, 20), std::invalid_argument);
}
