// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/tie_cases.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <optional>
#include <utility>

namespace mxcert::suites {
namespace {

double power(int exponent) { return std::bit_cast<double>(static_cast<Code>(1023 + exponent) << 52U); }

int lowest(const Format& format) { return format.emin() - format.fraction_bits; }

/// The exponents of powers of two in A and in B whose product is 2^exponent. Precondition: there are some.
std::pair<int, int> factors(const Matmul& matmul, int exponent) {
    const Format& a = *matmul.format.a;
    const Format& b = *matmul.format.b;
    const int of_a =
        std::clamp(exponent / 2, std::max(lowest(a), exponent - b.emax()), std::min(a.emax(), exponent - lowest(b)));
    return {of_a, exponent - of_a};
}

} // namespace

void for_each_tie_case(const Matmul& matmul, const TakeMatmulCase& take) {
    const Format& a = *matmul.format.a;
    const Format& b = *matmul.format.b;
    const Format& to = *matmul.format.c;
    const GroupSum sum = matmul.accumulator->sum;
    const bool at_once =
        matmul.accumulator->addend == Addend::in_group && (sum == GroupSum::exact || sum == GroupSum::fma);
    if (!matmul.has_c || !at_once || matmul.format.scale_a != nullptr || a.is_twos_complement() ||
        b.is_twos_complement())
        return;
    // The last place of 2^top is worth 2^(half + 1); 2^least is the smallest product.
    const int largest = a.emax() + b.emax();
    const int least = lowest(a) + lowest(b);
    const auto half_of = [&](int top) { return top - to.fraction_bits - 1; };
    const int top = std::min(largest, to.emax() - 1);
    const int half = half_of(top);
    if (half <= least) return;

    // Rows: an even or an odd number, of either sign. Columns: what decides is positive, negative or not there.
    const auto make = [&](const char* name, std::initializer_list<int> products, std::optional<int> c_is, int decides) {
        MatmulCase matmul_case = zero_case(matmul, 4, 3, 4);
        matmul_case.name = name;
        for (std::size_t i = 0; i < 4; ++i) {
            const bool is_odd = i % 2 != 0;
            const bool is_negative = i >= 2;
            const double sign = is_negative ? -1 : 1;
            std::size_t l = 0;
            for (const int exponent : products) {
                const bool is_last_place = !c_is && exponent == half + 1;
                const auto [of_a, of_b] = factors(matmul, exponent);
                if (!is_last_place || is_odd)
                    matmul_case.a[matmul_case.shape.a_at(i, l)] = code_of(a, sign * power(of_a));
                for (std::size_t j = 0; j < 3; ++j) {
                    const double decided = exponent != decides ? 1 : j == 0 ? 1 : j == 1 ? -1 : 0;
                    matmul_case.b[matmul_case.shape.b_at(l, j)] = code_of(b, decided * power(of_b));
                }
                ++l;
            }
            for (std::size_t j = 0; j < 3; ++j) {
                const double small = j == 0 ? power(decides) : j == 1 ? -power(decides) : 0;
                const double c = c_is ? sign * (power(*c_is) + (is_odd ? power(half_of(*c_is) + 1) : 0)) : small;
                matmul_case.c[i * 3 + j] = code_of(to, c);
            }
        }
        return matmul_case;
    };
    const int below = std::max(half - 20, lowest(to));
    if (!take(make("a tie of products, c decides", {top, half + 1, half}, {}, below))) return;
    if (!take(make("a tie of products, the smallest c decides", {top, half + 1, half}, {}, lowest(to)))) return;
    if (!take(make("a tie of c and a product, another product decides", {half, least}, top, least))) return;
    // The largest c of which a product is half of the last place.
    const int above = std::min(largest - half_of(0), to.emax() - 1);
    if (above > top)
        (void)take(make("a tie of a far larger c and a product, another product decides", {half_of(above), least},
                        above, least));
}

} // namespace mxcert::suites
