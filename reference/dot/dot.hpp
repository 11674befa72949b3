// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/choices.hpp"
#include "reference/format.hpp"

// Dot products and matrix products as data: the formats, where the operands and their scales lie, and what is chosen.
// MX v1.0 6.1 and 6.2 define Dot and DotGeneral as sums of products times scales and leave the precision inside to the
// implementation. The definition here is the real number, rounded once.
namespace mxcert {

/// The formats of a dot product d = c + sum_i a_i x b_i, each a_i and b_i times its scale.
struct DotFormat {
    const Format* a = nullptr;
    const Format* b = nullptr;
    /// Null: no scale. Any format of numbers, e8m0 for MX. A scale is a factor like any other: its sign counts, and if
    /// it is zero or Inf so is the product (0 x Inf is NaN).
    const Format* scale_a = nullptr;
    const Format* scale_b = nullptr;
    const Format* c = nullptr;  ///< null: none
    const Format* to = nullptr; ///< fp64, fp32, fp16, bf16, e4m3 or e5m2
};

/// The operands of one dot product.
struct DotOperands {
    std::span<const Code> a;
    std::span<const Code> b; ///< as many as a
    /// One for every block_a elements of a, and for the rest; empty if DotFormat::scale_a is null.
    std::span<const Code> scales_a;
    std::span<const Code> scales_b;
    std::size_t block_a = 0; ///< 0: all elements share the first scale
    std::size_t block_b = 0;
    Code c = 0;
};

/// Which elements of a matrix share a scale.
struct SharedScale {
    std::size_t along = 0;  ///< neighbours along the sum; 0: all
    std::size_t across = 1; ///< neighbouring rows of A, or columns of B; 0: all

    /// Scales along the sum and across it, for an operand of `lines` rows or columns.
    [[nodiscard]] constexpr std::size_t count_along(std::size_t k) const { return parts(k, along); }
    [[nodiscard]] constexpr std::size_t count_across(std::size_t lines) const { return parts(lines, across); }

  private:
    [[nodiscard]] static constexpr std::size_t parts(std::size_t n, std::size_t size) {
        return size == 0 ? 1 : n / size + (n % size != 0 ? 1 : 0);
    }
};

/// D = A B + C: m x k times k x n. All matrices lie in rows, one after the other; a transposed operand lies as the
/// rows of its transpose, and so do its scales. The scales of A are count_across(m) x count_along(k), those of B
/// count_along(k) x count_across(n).
struct MatmulShape {
    std::size_t m = 0;
    std::size_t n = 0;
    std::size_t k = 0;
    bool a_transposed = false;
    bool b_transposed = false;
    SharedScale a_scale = {};
    SharedScale b_scale = {};

    [[nodiscard]] constexpr std::size_t a_at(std::size_t row, std::size_t l) const {
        return a_transposed ? l * m + row : row * k + l;
    }
    [[nodiscard]] constexpr std::size_t b_at(std::size_t l, std::size_t column) const {
        return b_transposed ? column * k + l : l * n + column;
    }
    /// The place of the scale with number t along the sum.
    [[nodiscard]] constexpr std::size_t a_scale_at(std::size_t row, std::size_t t) const {
        const std::size_t line = a_scale.across == 0 ? 0 : row / a_scale.across;
        return a_transposed ? t * a_scale.count_across(m) + line : line * a_scale.count_along(k) + t;
    }
    [[nodiscard]] constexpr std::size_t b_scale_at(std::size_t t, std::size_t column) const {
        const std::size_t line = b_scale.across == 0 ? 0 : column / b_scale.across;
        return b_transposed ? line * b_scale.count_along(k) + t : t * b_scale.count_across(n) + line;
    }
    [[nodiscard]] constexpr std::size_t a_scales() const { return a_scale.count_across(m) * a_scale.count_along(k); }
    [[nodiscard]] constexpr std::size_t b_scales() const { return b_scale.count_across(n) * b_scale.count_along(k); }
};

/// The operands of one element of D, copied together.
struct DotLine {
    std::vector<Code> a;
    std::vector<Code> b;
    std::vector<Code> scales_a;
    std::vector<Code> scales_b;

    [[nodiscard]] DotOperands operands(const MatmulShape& shape, Code c) const {
        return {a, b, scales_a, scales_b, shape.a_scale.along, shape.b_scale.along, c};
    }
};

/// The matrices of a product. Scales may be empty where the format has none, and so may c.
struct MatmulOperands {
    std::span<const Code> a;
    std::span<const Code> b;
    std::span<const Code> scales_a;
    std::span<const Code> scales_b;
    std::span<const Code> c;
};

/// Gathers the operands of d(row, column). Precondition: check() did not throw.
void gather(const MatmulShape& shape, const MatmulOperands& operands, std::size_t row, std::size_t column,
            DotLine& line);

/// The choices of a result: those of a conversion from a wider format. Which of them count: rounding, overflow,
/// directed_overflow; nan, canonical or quiet, because a NaN that a sum makes has no sign; and overflow_nan. What IEEE
/// 754 says of FP32, FP16, BF16 and FP64: not saturating, a rounding toward zero stops at the largest finite value.
[[nodiscard]] constexpr Choices dot_choices(Rounding rounding = Rounding::nearest_even) {
    Choices choices;
    choices.rounding = rounding;
    choices.overflow = Overflow::nosat;
    choices.directed_overflow = DirectedOverflow::max;
    return choices;
}

/// Bytes that a matrix of a product may have at most; more than any machine has.
inline constexpr std::size_t largest_matrix = std::size_t{1} << 48U;

/// Throw std::invalid_argument that says what is wrong: formats that no dot product has, matrices beyond
/// largest_matrix, choices that say nothing here or are none, operands that are not as many as the shapes say.
/// std::out_of_range: a code wider than its format.
void check(const DotFormat& format, const Choices& choices);
void check(const DotFormat& format, const DotOperands& operands);
void check(const MatmulShape& shape);
void check(const DotFormat& format, const MatmulShape& shape, const MatmulOperands& operands);

} // namespace mxcert
