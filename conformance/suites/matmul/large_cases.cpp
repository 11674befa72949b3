// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/large_cases.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "reference/base/random.hpp"
#include "reference/exact/exact.hpp"

namespace mxcert::suites {
namespace {

constexpr ProductSizes all_sizes[] = {{160, 144, 288},  {256, 384, 512},  {400, 272, 1120},
                                      {16, 32, 66'560}, {65'552, 16, 32}, {16, 65'552, 32}};
constexpr std::size_t sizes_of_quick = 1;
constexpr std::size_t lines_of_blocks = 4096;

/// Of so many rows or columns one has each of these.
constexpr std::size_t period = 32;
enum class LineKind { ordinary, nan_scale, nan, zeros, subnormals, largest, inf };
constexpr LineKind kind_of_line(std::size_t line) {
    switch (line % period) {
    case 3: return LineKind::nan_scale;
    case 7: return LineKind::nan;
    case 13: return LineKind::zeros;
    case 19: return LineKind::subnormals;
    case 21: return LineKind::largest;
    case 25: return LineKind::inf;
    default: return LineKind::ordinary;
    }
}

constexpr int scale_binades = 1;          ///< that scales go up from 1, and down
constexpr int most_fraction_bits = 7;     ///< of an element, so that its product is one of any result
constexpr std::size_t smallest_place = 5; ///< of the sum, where a line of the largest elements has the smallest one

/// How many bits a sum of magnitudes may have, so that no order and no window loses any.
unsigned bits_of_sum(const Accumulator& accumulator) {
    int bits = std::min(accumulator.result_fraction, accumulator.arithmetic->fraction_bits);
    bits = std::min(bits, accumulator.result->fraction_bits);
    if (is_aligned(accumulator)) bits = std::min(bits, accumulator.fraction);
    return static_cast<unsigned>(bits);
}

/// Fills a product: elements are multiples of a unit, of up to `largest` of them, and one in `stride` is not zero.
class LargeMaker {
  public:
    LargeMaker(const Matmul& matmul, const ProductSizes& sizes)
        : matmul_(matmul), product_(zero_case(matmul, sizes[0], sizes[1], sizes[2])) {
        unsigned bits = bits_of_sum(*matmul.accumulator);
        if (scaled()) bits -= std::min(bits, 4U * scale_binades);
        const std::uint64_t room = std::uint64_t{1} << bits; // of the sum, in products of two units
        const std::uint64_t k = sizes[2];
        const std::uint64_t of_product = room / k;
        largest_ = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::sqrt(static_cast<double>(of_product))), 1,
                                             std::uint64_t{1} << 7U);
        stride_ = std::max<std::uint64_t>(1, k * largest_ * largest_ / room);
        product_.name = fmt::format("every kind of value, {}x{}x{}", sizes[0], sizes[1], sizes[2]);
        product_.exact = true;
    }

    [[nodiscard]] MatmulCase make() {
        const MatmulShape& shape = product_.shape;
        const Side a = side_of(*matmul_.format.a, 1);
        for (std::size_t row = 0; row < shape.m; ++row)
            fill_line(a, row, product_.a, [&](std::size_t l) { return shape.a_at(row, l); });
        const Side b = side_of(*matmul_.format.b, 2);
        for (std::size_t column = 0; column < shape.n; ++column)
            fill_line(b, column, product_.b, [&](std::size_t l) { return shape.b_at(l, column); });
        if (scaled()) {
            const auto scales = [&](std::vector<Code>& codes, const Format& format, std::uint64_t seed) {
                for (std::size_t i = 0; i < codes.size(); ++i)
                    codes[i] = code_of(format, std::ldexp(1.0, static_cast<int>(SplitMix64::at(seed, i) % 3) - 1));
            };
            scales(product_.scales_a, *matmul_.format.scale_a, 3);
            scales(product_.scales_b, *matmul_.format.scale_b, 4);
            if (matmul_.format.scale_a->has_nan()) spoil_scales();
        }
        if (matmul_.has_c)
            for (std::size_t row = 0; row < shape.m; ++row)
                for (std::size_t column = 0; column < shape.n; ++column) {
                    if (has_small_sum(row, column)) continue;
                    const std::uint64_t word = SplitMix64::at(5, row * shape.n + column);
                    const double value = static_cast<double>(word % (largest_ + 1)) * unit_of_product();
                    product_.c[row * shape.n + column] =
                        code_of(*matmul_.format.c, (word >> 40U) % 2 != 0 ? -value : value);
                }
        return std::move(product_);
    }

  private:
    [[nodiscard]] bool scaled() const { return matmul_.format.scale_a != nullptr; }
    /// The unit of the elements of a format: its numbers from 1 to 2 are multiples.
    [[nodiscard]] static int bits_of(const Format& format) {
        return std::min(format.fraction_bits, most_fraction_bits);
    }
    [[nodiscard]] static double unit(const Format& format) { return std::ldexp(1.0, -bits_of(format)); }
    [[nodiscard]] static double largest_number(const Format& format) {
        return std::bit_cast<double>(exact::converted(format, formats::fp64, format.max_code()));
    }
    [[nodiscard]] double unit_of_product() const {
        return unit(*matmul_.format.a) * unit(*matmul_.format.b) * (scaled() ? std::ldexp(1.0, -2 * scale_binades) : 1);
    }
    /// What is not flushed, and not below the result of the smallest products.
    [[nodiscard]] bool has_subnormals(const Format& format) const {
        const Accumulator& accumulator = *matmul_.accumulator;
        return format.width() <= 8 && format.has_subnormals && !accumulator.flush &&
               accumulator.result == &formats::fp32 && accumulator.arithmetic == &formats::fp32 &&
               format.max_code() > format.fraction_mask();
    }
    /// Beside sums of subnormals a c would be all that is seen, and they beside it.
    [[nodiscard]] static bool has_small_sum(std::size_t row, std::size_t column) {
        return kind_of_line(row) == LineKind::subnormals || kind_of_line(column) == LineKind::subnormals;
    }

    /// A or B.
    struct Side {
        const Format& format;
        std::uint64_t seed; ///< 1: of A, where one in `stride` is not zero
        double most;        ///< units of the largest element that the format and the sum have room for
    };
    [[nodiscard]] Side side_of(const Format& format, std::uint64_t seed) const {
        return {format, seed, std::min(static_cast<double>(largest_), largest_number(format) / unit(format))};
    }
    /// The largest element, or one next to it.
    [[nodiscard]] static Code large_element(const Format& format, double most, std::uint64_t word) {
        return code_of(format, (most > 8 ? most - static_cast<double>(word % 2) : most) * unit(format));
    }
    [[nodiscard]] static Code element(const Format& format, double most, std::uint64_t word) {
        // As many bits as the significand has, in any of the binades that there is room for.
        const std::uint64_t significand = word % (std::uint64_t{2} << static_cast<unsigned>(bits_of(format)));
        double value = static_cast<double>(std::max<std::uint64_t>(significand, 1));
        while (value > most) value = std::floor(value / 2);
        for (std::uint64_t shift = (word >> 20U) % 4; shift != 0 && 2 * value <= most; --shift) value *= 2;
        return code_of(format, ((word >> 40U) % 2 != 0 ? -value : value) * unit(format));
    }

    template <class At> void fill_line(const Side& side, std::size_t line, std::vector<Code>& codes, const At& at) {
        const auto& [format, seed, most] = side;
        const std::size_t k = product_.shape.k;
        const LineKind kind = kind_of_line(line);
        for (std::size_t l = 0; l < k; ++l) {
            const std::uint64_t word = SplitMix64::at(seed, line * k + l);
            Code& code = codes[at(l)];
            if (kind == LineKind::zeros)
                code = format.has_minus_zero() && word % 2 != 0 ? format.sign_bit() : 0;
            else if (seed == 1 && (l + line) % stride_ != 0)
                continue;
            else if (kind == LineKind::largest)
                code = l == smallest_place ? code_of(format, unit(format)) : large_element(format, most, word);
            else if (kind == LineKind::subnormals && has_subnormals(format))
                code = format.with_sign(1 + (word >> 8U) % format.fraction_mask(), word % 2 != 0);
            else
                code = element(format, most, word);
        }
        Code& special = codes[at(SplitMix64::at(seed + 10, line) % k)];
        if (kind == LineKind::nan && format.has_nan()) special = nan_of(format);
        if (kind == LineKind::inf && format.has_inf()) special = format.with_sign(format.inf_code(), line % 2 != 0);
    }

    /// NaN as one scale of a line, where it is of one line alone.
    void spoil_scales() {
        const MatmulShape& shape = product_.shape;
        const auto spoil = [&](const SharedScale& scale, std::size_t lines, std::vector<Code>& codes,
                               const Format& format, const auto& at) {
            if (scale.across != 1) return;
            for (std::size_t line = 0; line < lines; ++line)
                if (kind_of_line(line) == LineKind::nan_scale)
                    codes[at(line, SplitMix64::at(20, line) % scale.count_along(shape.k))] = nan_of(format);
        };
        spoil(shape.a_scale, shape.m, product_.scales_a, *matmul_.format.scale_a,
              [&](std::size_t line, std::size_t t) { return shape.a_scale_at(line, t); });
        spoil(shape.b_scale, shape.n, product_.scales_b, *matmul_.format.scale_b,
              [&](std::size_t line, std::size_t t) { return shape.b_scale_at(t, line); });
    }

    const Matmul& matmul_;
    MatmulCase product_;
    std::uint64_t largest_ = 1; ///< units of an element
    std::uint64_t stride_ = 1;
};

} // namespace

std::span<const ProductSizes> large_products(Level level) {
    if (is_small(level)) return {};
    return level == Level::quick ? std::span(all_sizes).first(sizes_of_quick) : std::span(all_sizes);
}

void for_each_large_case(const Matmul& matmul, Level level, const TakeMatmulCase& take) {
    const std::size_t block = std::max({matmul.a_scale.along, matmul.b_scale.along, std::size_t{32}});
    for (ProductSizes sizes : large_products(level)) {
        // Of many rows or columns a block is enough.
        if (std::max(sizes[0], sizes[1]) > lines_of_blocks) sizes[2] = block;
        if (!take(LargeMaker(matmul, sizes).make())) return;
    }
}

} // namespace mxcert::suites
