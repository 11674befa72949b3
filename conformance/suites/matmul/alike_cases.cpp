// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/alike_cases.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "conformance/suites/maker.hpp"
#include "reference/exact/arithmetic.hpp"

namespace mxcert::suites {
namespace {

/// Makes the cases of an operation.
class AlikeMaker {
  public:
    AlikeMaker(const Matmul& matmul, const TakeMatmulCase& take)
        : matmul_(matmul), take_(take), one_a_(code_of(*matmul.format.a, 1)), one_b_(code_of(*matmul.format.b, 1)),
          base_(zero_case(matmul, 3, 40, 33)) {}

    void zeros() {
        const Format& a = *matmul_.format.a;
        take("zeros", 0, one_b_);
        if (a.is_twos_complement()) return;
        take("-0", 0, one_b_, [&](MatmulCase& matmul_case) {
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
            take(fmt::format("{} as c", special.name), 0, one_b_,
                 [&](MatmulCase& matmul_case) { std::fill(matmul_case.c.begin(), matmul_case.c.end(), special.code); });
    }

  private:
    void with_scales(std::string_view what, Code of_a, Code of_b) {
        for (const bool negative : {false, true})
            take(fmt::format("{}{}", what, negative ? ", negative" : ""), one_a_,
                 negative ? code_of(*matmul_.format.b, -1) : one_b_, [&](MatmulCase& matmul_case) {
                     std::fill(matmul_case.scales_a.begin(), matmul_case.scales_a.end(), of_a);
                     std::fill(matmul_case.scales_b.begin(), matmul_case.scales_b.end(), of_b);
                 });
    }

    /// One product in each place of D.
    void take(std::string_view what, Code a, Code b) {
        take(what, a, b, [](MatmulCase&) {});
    }
    template <class Change> void take(std::string_view what, Code a, Code b, const Change& change) {
        if (!more_) return;
        MatmulCase matmul_case = base_;
        matmul_case.name = fmt::format("D of nothing but {}", what);
        const MatmulShape& shape = matmul_case.shape;
        for (std::size_t i = 0; i < shape.m; ++i) matmul_case.a[shape.a_at(i, 0)] = a;
        for (std::size_t j = 0; j < shape.n; ++j) matmul_case.b[shape.b_at(0, j)] = b;
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
}

} // namespace mxcert::suites
