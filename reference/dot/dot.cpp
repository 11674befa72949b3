// SPDX-License-Identifier: Apache-2.0
#include "reference/dot/dot.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace mxcert {
namespace {

constexpr std::array results{&formats::fp64, &formats::fp32, &formats::fp16,
                             &formats::bf16, &formats::e4m3, &formats::e5m2};

void check_formats(const DotFormat& format) {
    if (format.a == nullptr || format.b == nullptr || format.to == nullptr)
        throw std::invalid_argument("a dot product has two operands and a result");
    for (const Format* factor : {format.a, format.b, format.scale_a, format.scale_b, format.c})
        if (factor != nullptr && (factor->scale != nullptr || factor->element != nullptr))
            throw std::invalid_argument(std::string(factor->name) + " is not a format of numbers alone");
    const bool offered =
        std::any_of(results.begin(), results.end(), [&](const Format* f) { return f->name == format.to->name; });
    if (!offered) throw std::invalid_argument("no dot product gives " + std::string(format.to->name));
}

void check_codes(const Format* format, std::span<const Code> codes) {
    if (format == nullptr) return;
    for (const Code code : codes)
        if (code > format->last_code())
            throw std::out_of_range("a code is wider than its format " + std::string(format->name));
}

void check_count(const char* what, std::size_t count, std::size_t needed) {
    if (count != needed)
        throw std::invalid_argument(std::string(what) + ": " + std::to_string(count) + " given, " +
                                    std::to_string(needed) + " needed");
}

void check_scales(const Format* scale, std::span<const Code> scales, std::size_t block, std::size_t n) {
    check_count("scales of a dot product", scales.size(), scale == nullptr ? 0 : SharedScale{block, 1}.count_along(n));
    check_codes(scale, scales);
}

} // namespace

void check(const DotFormat& format, const Choices& choices) {
    check_formats(format);
    Choices rest = choices;
    rest.rounding = Rounding::nearest_even;
    rest.overflow = Overflow::sat;
    rest.directed_overflow = DirectedOverflow::special;
    rest.nan = NanRule::canonical;
    rest.overflow_nan = OverflowNan::sign;
    if (rest != Choices{}) throw std::invalid_argument("a dot product has no choice of " + describe(rest));
    if (is_stochastic(choices.rounding) && !is_stochastic_law(choices.rounding))
        throw std::invalid_argument("a dot product is rounded by the laws of P3109");
    if (choices.nan != NanRule::canonical && choices.nan != NanRule::quiet)
        throw std::invalid_argument("the NaN of a dot product is canonical or quiet");
}

void check(const DotFormat& format, const DotOperands& operands) {
    check_formats(format);
    check_count("elements of b", operands.b.size(), operands.a.size());
    check_codes(format.a, operands.a);
    check_codes(format.b, operands.b);
    check_scales(format.scale_a, operands.scales_a, operands.block_a, operands.a.size());
    check_scales(format.scale_b, operands.scales_b, operands.block_b, operands.b.size());
    check_codes(format.c, std::span(&operands.c, 1));
}

void check(const MatmulShape& shape) {
    const auto fits = [](std::size_t rows, std::size_t columns) {
        constexpr std::size_t largest = largest_matrix / sizeof(Code);
        return rows <= largest && (rows == 0 || columns <= largest / rows);
    };
    if (!fits(shape.m, shape.k) || !fits(shape.k, shape.n) || !fits(shape.m, shape.n))
        throw std::invalid_argument("a matrix product of " + std::to_string(shape.m) + " x " + std::to_string(shape.k) +
                                    " times " + std::to_string(shape.k) + " x " + std::to_string(shape.n) +
                                    " is too large");
}

void check(const DotFormat& format, const MatmulShape& shape, const MatmulOperands& operands) {
    check_formats(format);
    check(shape);
    check_count("elements of A", operands.a.size(), shape.m * shape.k);
    check_count("elements of B", operands.b.size(), shape.k * shape.n);
    check_count("scales of A", operands.scales_a.size(), format.scale_a == nullptr ? 0 : shape.a_scales());
    check_count("scales of B", operands.scales_b.size(), format.scale_b == nullptr ? 0 : shape.b_scales());
    check_count("elements of C", operands.c.size(), format.c == nullptr ? 0 : shape.m * shape.n);
    check_codes(format.a, operands.a);
    check_codes(format.b, operands.b);
    check_codes(format.scale_a, operands.scales_a);
    check_codes(format.scale_b, operands.scales_b);
    check_codes(format.c, operands.c);
}

void gather(const MatmulShape& shape, const MatmulOperands& operands, std::size_t row, std::size_t column,
            DotLine& line) {
    line.a.clear();
    line.b.clear();
    line.scales_a.clear();
    line.scales_b.clear();
    for (std::size_t l = 0; l < shape.k; ++l) {
        line.a.push_back(operands.a[shape.a_at(row, l)]);
        line.b.push_back(operands.b[shape.b_at(l, column)]);
    }
    if (!operands.scales_a.empty())
        for (std::size_t t = 0; t < shape.a_scale.count_along(shape.k); ++t)
            line.scales_a.push_back(operands.scales_a[shape.a_scale_at(row, t)]);
    if (!operands.scales_b.empty())
        for (std::size_t t = 0; t < shape.b_scale.count_along(shape.k); ++t)
            line.scales_b.push_back(operands.scales_b[shape.b_scale_at(t, column)]);
}

} // namespace mxcert
