// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/alike_cases.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "conformance/suites/maker.hpp"
#include "reference/exact/arithmetic.hpp"

namespace mxcert::suites {
namespace {

/// Where D has what a case is about. Elsewhere it has ordinary values.
enum class Where : std::uint8_t { everywhere, row, columns };

constexpr std::size_t special_row = 1;

/// Makes the cases of an operation.
class AlikeMaker {
  public:
    AlikeMaker(const Matmul& matmul, const TakeMatmulCase& take)
        : matmul_(matmul), take_(take), one_a_(code_of(*matmul.format.a, 1)), one_b_(code_of(*matmul.format.b, 1)),
          base_(zero_case(matmul, 3, 40, 33)) {}

    void zeros() {
        const Format& a = *matmul_.format.a;
        take("zeros", one_a_, 0);
        if (a.is_twos_complement()) return;
        take(Where::everywhere, "-0", 0, one_b_, [&](MatmulCase& matmul_case) {
            std::fill(matmul_case.a.begin(), matmul_case.a.end(), a.sign_bit());
            if (matmul_.has_c) std::fill(matmul_case.c.begin(), matmul_case.c.end(), matmul_.format.c->sign_bit());
        });
    }

    void elements() {
        const Format& a = *matmul_.format.a;
        const Format& b = *matmul_.format.b;
        if (a.has_nan()) take("NaN of A", nan_of(a), one_b_);
        if (b.has_nan()) take("NaN of B", one_a_, nan_of(b));
        if (a.has_inf()) take("Inf of A", a.inf_code(), one_b_);
        if (a.has_inf()) take("-Inf of A", a.inf_code() | a.sign_bit(), one_b_);
        if (b.has_inf()) take("Inf of B", one_a_, b.inf_code());
        take("the largest elements", a.max_code(), b.max_code());
        take("the smallest elements", 1, 1);
        if (a.is_twos_complement()) return;
        take("the largest elements, negative", a.max_code() | a.sign_bit(), b.max_code());
        take("the smallest elements, negative", 1 | a.sign_bit(), 1);
    }

    void scales() {
        const Format* const scale = matmul_.format.scale_a;
        if (scale == nullptr) return;
        const Format& other = *matmul_.format.scale_b;
        if (scale->has_nan()) with_scales("NaN of the scales", nan_of(*scale), other.one_code());
        with_scales("the largest scales", scale->max_code(), other.max_code());
        with_scales("the smallest scale", scale == &formats::e8m0 ? 0 : 1, other.one_code());
        if (scale->exponent_bits < 8) return;
        const exact::Rational small = exact::power_of_two(std::max(matmul_.output->emin() - 2, -127));
        with_scales("a scale below D's smallest normal number", exact::encode(*scale, small), other.one_code());
    }

    void added() {
        if (!matmul_.has_c) return;
        for (const Special& special : element_specials(*matmul_.format.c))
            for (const Where where : {Where::everywhere, Where::columns})
                take(where, fmt::format("{} as c", special.name), one_a_, 0, [&](MatmulCase& matmul_case) {
                    for (std::size_t at = 0; at < matmul_case.c.size(); ++at)
                        if (where == Where::everywhere || is_special_column(at % matmul_case.shape.n))
                            matmul_case.c[at] = special.code;
                });
    }

    void negative_zeros() {
        const Format& a = *matmul_.format.a;
        if (a.is_twos_complement()) return;
        take(Where::columns, "-0", code_of(a, -1), 0, [&](MatmulCase& matmul_case) {
            std::replace(matmul_case.a.begin(), matmul_case.a.end(), Code{0}, a.sign_bit());
            if (matmul_.has_c) std::fill(matmul_case.c.begin(), matmul_case.c.end(), matmul_.format.c->sign_bit());
        });
    }

  private:
    void with_scales(std::string_view what, Code of_a, Code of_b) {
        for (const bool negative : {false, true})
            for (const Where where : {Where::everywhere, Where::row})
                take(where, fmt::format("{}{}", what, negative ? ", negative" : ""), one_a_,
                     negative ? code_of(*matmul_.format.b, -1) : one_b_, [&](MatmulCase& matmul_case) {
                         const MatmulShape& shape = matmul_case.shape;
                         std::fill(matmul_case.scales_b.begin(), matmul_case.scales_b.end(), of_b);
                         if (where == Where::everywhere)
                             std::fill(matmul_case.scales_a.begin(), matmul_case.scales_a.end(), of_a);
                         else
                             matmul_case.scales_a[shape.a_scale_at(special_row, 0)] = of_a;
                     });
    }

    /// One product in each place of D: a times b.
    void take(std::string_view what, Code a, Code b) {
        const auto nothing_else = [](MatmulCase&) {};
        take(Where::everywhere, what, a, b, nothing_else);
        if (a != one_a_) take(Where::row, what, a, b, nothing_else);
        if (b != one_b_) take(Where::columns, what, a, b, nothing_else);
    }
    template <class Change> void take(Where where, std::string_view what, Code a, Code b, const Change& change) {
        if (!more_) return;
        constexpr std::string_view texts[] = {"D of nothing but {}", "{} in a row of D", "{} in two columns of D"};
        MatmulCase matmul_case = base_;
        matmul_case.name = fmt::format(fmt::runtime(texts[static_cast<std::size_t>(where)]), what);
        const MatmulShape& shape = matmul_case.shape;
        for (std::size_t i = 0; i < shape.m; ++i)
            matmul_case.a[shape.a_at(i, 0)] = where != Where::row || i == special_row ? a : one_a_;
        constexpr double ordinary[] = {1, -1.5, 0.5, -1, 1.5, -0.5};
        for (std::size_t j = 0; j < shape.n; ++j)
            matmul_case.b[shape.b_at(0, j)] =
                where == Where::everywhere || (where == Where::columns && is_special_column(j))
                    ? b
                    : code_of(*matmul_.format.b, ordinary[j % std::size(ordinary)]);
        change(matmul_case);
        more_ = take_(matmul_case);
    }

    const Matmul& matmul_;
    const TakeMatmulCase& take_;
    Code one_a_;
    Code one_b_;
    MatmulCase base_;
    bool more_ = true;
};

} // namespace

void for_each_alike_case(const Matmul& matmul, const TakeMatmulCase& take) {
    AlikeMaker maker(matmul, take);
    maker.zeros();
    maker.elements();
    maker.scales();
    maker.added();
    maker.negative_zeros();
}

} // namespace mxcert::suites
