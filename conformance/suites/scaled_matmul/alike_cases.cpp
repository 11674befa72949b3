// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "conformance/suites/maker.hpp"
#include "conformance/suites/matmul/alike_cases.hpp"
#include "conformance/suites/scaled_matmul/cases.hpp"
#include "conformance/suites/scaled_matmul/epilogue_maker.hpp"
#include "reference/exact/arithmetic.hpp"

namespace mxcert::suites {
namespace {

/// Makes the cases of an operation: sums of one product in each place, the others are zeros of its sign.
class ScaledAlikeMaker {
  public:
    ScaledAlikeMaker(const ScaledMatmul& scaled, const TakeScaledCase& take)
        : scaled_(scaled), take_(take), maker_(scaled), a_(*scaled.matmul.format.a), b_(*scaled.matmul.format.b) {}

    /// `special`: of binary32, as are all below.
    void everywhere(const Special& special) {
        ScaledCase scaled_case = sums(fmt::format("D of nothing but {}", special.name), is_negative(special));
        std::fill(scaled_case.b.begin(), scaled_case.b.end(), EpilogueMaker::code(b_, 1));
        for (Code& scale : scaled_case.scales_a) scale = magnitude(special);
        take(scaled_case);
    }

    /// Finite values by the scale of A, so that ordinary columns have them times 4 or half of them.
    void beside_finite(const Special& special) {
        const bool is_zero = magnitude(special) == 0;
        const bool is_small = magnitude(special) < fp32_one;
        columns(special, [&](ScaledCase& scaled_case) {
            fill_b(scaled_case, is_zero ? 0 : is_small ? 1 : 2, is_small && !is_zero ? 4 : 1);
            if (is_zero) return;
            for (Code& scale : scaled_case.scales_a) scale = is_small ? magnitude(special) : half(special);
        });
    }

    /// What is no number by each operand that can have it.
    void beside_not_finite(const Special& special) {
        const bool is_nan = formats::fp32.is_nan(special.code);
        if (scaled_.by_lines)
            with(special, "scales of B", [&](ScaledCase& scaled_case, std::size_t column) {
                scaled_case.scales_b[column] = magnitude(special);
            });
        if (is_nan ? b_.has_nan() : b_.has_inf())
            with(special, "elements of B", [&](ScaledCase& scaled_case, std::size_t column) {
                scaled_case.b[scaled_case.shape.b_at(0, column)] = is_nan ? b_.magnitude_mask() : b_.inf_code();
            });
        if (scaled_.has_blocks() && is_nan)
            with(special, "scales of blocks of B", [&](ScaledCase& scaled_case, std::size_t column) {
                scaled_case.block_scales_b[scaled_case.shape.b_scale_at(0, column)] =
                    scaled_.matmul.format.scale_b->magnitude_mask();
            });
        if (scaled_.bias != nullptr)
            with(special, "biases", [&](ScaledCase& scaled_case, std::size_t column) {
                scaled_case.bias[column] = maker_.bias(special.code);
            });
    }

  private:
    [[nodiscard]] static bool is_negative(const Special& special) { return formats::fp32.is_negative(special.code); }
    [[nodiscard]] static Code magnitude(const Special& special) { return formats::fp32.magnitude_of(special.code); }
    [[nodiscard]] static Code half(const Special& special) {
        return magnitude(special) - (Code{1} << static_cast<unsigned>(formats::fp32.fraction_bits));
    }

    [[nodiscard]] ScaledCase sums(std::string name, bool negative) const {
        ScaledCase scaled_case = maker_.ones(std::move(name), 3, 40, 40);
        std::fill(scaled_case.a.begin(), scaled_case.a.end(), negative ? a_.sign_bit() : 0);
        for (std::size_t i = 0; i < scaled_case.shape.m; ++i)
            scaled_case.a[scaled_case.shape.a_at(i, 0)] = a_.with_sign(EpilogueMaker::code(a_, 1), negative);
        if (scaled_.bias != nullptr && negative)
            std::fill(scaled_case.bias.begin(), scaled_case.bias.end(), scaled_.bias->sign_bit());
        return scaled_case;
    }

    /// B has one number in the columns of a special value, another, of either sign, in the others.
    void fill_b(ScaledCase& scaled_case, int special, int ordinary) const {
        const MatmulShape& shape = scaled_case.shape;
        std::fill(scaled_case.b.begin(), scaled_case.b.end(), 0);
        for (std::size_t column = 0; column < shape.n; ++column) {
            scaled_case.b[shape.b_at(0, column)] =
                is_special_column(column) ? EpilogueMaker::code(b_, special)
                                          : b_.with_sign(EpilogueMaker::code(b_, ordinary), column % 3 == 0);
        }
    }

    template <class Change> void columns(const Special& special, const Change& change) {
        ScaledCase scaled_case = sums(fmt::format("{} in two columns of D", special.name), is_negative(special));
        change(scaled_case);
        take(scaled_case);
    }
    template <class Change> void with(const Special& special, std::string_view by, const Change& change) {
        ScaledCase scaled_case =
            sums(fmt::format("{} in two columns of D, by {}", special.name, by), is_negative(special));
        fill_b(scaled_case, 1, 1);
        for (std::size_t column = 0; column < scaled_case.shape.n; ++column)
            if (is_special_column(column)) change(scaled_case, column);
        take(scaled_case);
    }
    void take(const ScaledCase& scaled_case) {
        if (more_) more_ = take_(scaled_case);
    }

    const ScaledMatmul& scaled_;
    const TakeScaledCase& take_;
    EpilogueMaker maker_;
    const Format& a_;
    const Format& b_;
    bool more_ = true;
};

} // namespace

void for_each_scaled_alike_case(const ScaledMatmul& scaled, const TakeScaledCase& take) {
    ScaledAlikeMaker maker(scaled, take);
    std::vector<Special> specials = element_specials(*scaled.output);
    for (Special& special : specials) special.code = exact::converted(*scaled.output, formats::fp32, special.code);
    for (const Special& special : specials) maker.everywhere(special);
    maker.everywhere({"what is beyond the largest value", formats::fp32.max_code()});
    for (const Special& special : specials)
        formats::fp32.is_finite(special.code) ? maker.beside_finite(special) : maker.beside_not_finite(special);
}

} // namespace mxcert::suites
