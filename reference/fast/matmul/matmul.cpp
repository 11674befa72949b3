// SPDX-License-Identifier: Apache-2.0
// Exact matrix products. The quick way: elements become integers in binary64, times the power of two by which their
// scale is above the smallest of their panel; sums of so many products as stay exact are added to integers of 64 bits
// or, where scales lie far apart, to fixed-point numbers.
#include "reference/fast/matmul/matmul.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/fast/matmul/kernels.hpp"
#include "reference/fast/matmul/panels.hpp"
#include "reference/fast/wide_sum.hpp"

namespace mxcert::fast {
namespace {

int bits_of(std::size_t n) { return n <= 1 ? 0 : static_cast<int>(std::bit_width(n - 1)); }

std::uint64_t magnitude(std::int64_t x) {
    const auto bits = static_cast<std::uint64_t>(x);
    return x < 0 ? 0 - bits : bits;
}

/// x 2^exponent rounded to nearest even, where that is a normal number below the last binade of a format as IEEE 754
/// has them: what nearly all sums are.
class NearestNormal {
  public:
    explicit NearestNormal(const Format& to)
        : fraction_bits_(to.fraction_bits), emin_(to.emin()), emax_(to.emax()), sign_(to.sign_bit()) {}

    [[nodiscard]] static bool offers(const DotFormat& format, const Choices& choices) {
        return format.to->specials == Specials::ieee && choices.rounding == Rounding::nearest_even;
    }
    [[nodiscard]] bool holds(std::int64_t x, int exponent) const {
        const int binade = exponent + top(magnitude(x));
        return x != 0 && binade >= emin_ && binade < emax_;
    }
    /// Precondition: holds(x, exponent).
    [[nodiscard]] Code operator()(std::int64_t x, int exponent) const {
        const std::uint64_t bits = magnitude(x);
        const int place = top(bits);
        const int down = place - fraction_bits_;
        std::uint64_t kept = down > 0 ? bits >> down : bits << -down;
        if (down > 0) {
            constexpr std::uint64_t half = std::uint64_t{1} << 63;
            const std::uint64_t below = bits << (64 - down);
            kept += below > half || (below == half && (kept & 1) != 0) ? 1 : 0;
        }
        // The leading bit, and a carry, count for the exponent.
        return (static_cast<Code>(exponent + place - emin_) << fraction_bits_) + kept + (x < 0 ? sign_ : 0);
    }

  private:
    static int top(std::uint64_t bits) { return static_cast<int>(std::bit_width(bits)) - 1; }

    int fraction_bits_;
    int emin_;
    int emax_;
    Code sign_;
};

/// One element after the other, by their own sums.
class ByElement {
  public:
    ByElement(const MatmulJob& job, const Choices& choices) : job_(job), dot_(job.format, choices) {}

    void operator()(std::size_t row, std::size_t column) {
        job_.gather(row, column, line_);
        job_.store_d(row, column, dot_(line_.operands(job_.shape, job_.c_at(row, column))));
    }

  private:
    const MatmulJob& job_;
    Dot dot_;
    DotLine line_;
};

/// A share of the panels of columns: those whose number is `first` and every `step`-th after it.
class ByTile {
  public:
    ByTile(const MatmulJob& job, const Choices& choices, const Panels& rows, const Panels& columns, const Units& units,
           Isa isa)
        : job_(job), choices_(choices), rows_(rows), columns_(columns), units_(units), kernels_(tile_kernels(isa)),
          by_element_(job, choices), nearest_(*job.format.to), is_nearest_(NearestNormal::offers(job.format, choices)) {
    }

    void run(std::size_t first, std::size_t step) {
        for (std::size_t q = first; q < columns_.panels(); q += step)
            for (std::size_t p = 0; p < rows_.panels(); ++p) tile(p, q);
    }

  private:
    void tile(std::size_t p, std::size_t q) {
        const int range = rows_.range(p) + columns_.range(q);
        const int product = rows_.bits() + columns_.bits();
        const int fewest = product + range + bits_of(std::min(units_.size, units_.k));
        const bool narrow = fewest <= sum_bits && product + range + bits_of(units_.k) <= 62;
        const std::size_t digits = narrow ? 1 : static_cast<std::size_t>(range / 32 + 3);
        sums_.assign(digits * tile_rows * tile_columns, 0);
        if (narrow) {
            // As many units at a time as stay exact.
            const std::size_t count = units_.size << static_cast<unsigned>(std::min(sum_bits - fewest, 20));
            for (std::size_t l = 0; l < units_.k; l += count)
                kernels_.add_tile(operands(p, q, l, std::min(count, units_.k - l)), sums_.data());
        } else {
            for (std::size_t u = 0; u < units_.count; ++u) {
                const std::size_t l = u * units_.size;
                kernels_.add_digits({operands(p, q, l, std::min(units_.size, units_.k - l)), rows_.shifts(p, u),
                                     columns_.shifts(q, u), rows_.unscales(p, u), columns_.unscales(q, u), digits},
                                    sums_.data());
            }
        }
        const int exponent = rows_.base(p) + columns_.base(q);
        const std::size_t row_end = std::min(tile_rows, job_.shape.m - p * tile_rows);
        const std::size_t column_end = std::min(tile_columns, job_.shape.n - q * tile_columns);
        for (std::size_t i = 0; i < row_end; ++i)
            for (std::size_t j = 0; j < column_end; ++j) {
                const std::size_t row = p * tile_rows + i;
                const std::size_t column = q * tile_columns + j;
                const std::size_t at = i * tile_columns + j;
                const std::int64_t sum = sums_[at];
                const bool sum_alone =
                    !rows_.is_special(row) && !columns_.is_special(column) && is_zero(job_.c_at(row, column));
                if (digits == 1 && is_nearest_ && sum_alone && nearest_.holds(sum, exponent))
                    job_.store_d(row, column, nearest_(sum, exponent));
                else
                    finish(row, column, at, exponent, digits);
            }
    }
    [[nodiscard]] TileOperands operands(std::size_t p, std::size_t q, std::size_t l, std::size_t k) const {
        return {rows_.elements(p, l), columns_.elements(q, l), k};
    }

    /// Whether a code of C is zero; there is none without C.
    [[nodiscard]] bool is_zero(Code c) const {
        return job_.format.c == nullptr || (c & ~job_.format.c->sign_bit()) == 0;
    }

    /// From the sum at a place of the tile to the code.
    void finish(std::size_t row, std::size_t column, std::size_t at, int exponent, std::size_t digits) {
        if (rows_.is_special(row) || columns_.is_special(column)) return by_element_(row, column);
        const auto& format = job_.format;
        const Term c = format.c == nullptr ? Term{} : term_of(*format.c, job_.c_at(row, column));
        if (c.kind != TermKind::finite) return store(row, column, c, false);
        WideSum::Leading sum;
        if (digits == 1) {
            sum.term = integer(sums_[at], exponent);
            if (c.significand != 0) sum.term = add(sum.term, c);
        } else {
            sum = joined(at, exponent, digits, c);
        }
        if (sum.term.significand == 0) sum.term.negative = is_minus_zero(row, column, c);
        store(row, column, sum.term, sum.sticky);
    }
    void store(std::size_t row, std::size_t column, const Term& term, bool sticky) {
        job_.store_d(row, column, result_of(*job_.format.to, choices_, term, sticky));
    }
    [[nodiscard]] static Term integer(std::int64_t x, int exponent) {
        return {TermKind::finite, x < 0, magnitude(x), exponent};
    }
    [[nodiscard]] WideSum::Leading joined(std::size_t at, int exponent, std::size_t digits, const Term& c) const {
        const Format* of_c = job_.format.c;
        const int lowest = of_c == nullptr ? exponent : std::min(exponent, of_c->emin() - of_c->fraction_bits);
        const int highest = exponent + 32 * static_cast<int>(digits) + 64;
        WideSum sum(lowest, of_c == nullptr ? highest : std::max(highest, of_c->emax() + 1));
        for (std::size_t digit = 0; digit < digits; ++digit)
            sum.add(integer(sums_[digit * tile_rows * tile_columns + at], exponent + 32 * static_cast<int>(digit)));
        sum.add(c);
        return sum.leading();
    }
    /// The sign of a sum that is zero.
    [[nodiscard]] bool is_minus_zero(std::size_t row, std::size_t column, const Term& c) const {
        bool signs[2] = {};
        if (job_.format.c != nullptr) signs[c.negative ? 1 : 0] = true;
        const std::span<const std::uint64_t> a = rows_.signs(row);
        const std::span<const std::uint64_t> b = columns_.signs(column);
        for (std::size_t word = 0; word < a.size(); ++word) {
            const std::size_t left = units_.k - 64 * word;
            const std::uint64_t used = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
            const std::uint64_t negative = a[word] ^ b[word];
            signs[1] = signs[1] || negative != 0;
            signs[0] = signs[0] || negative != used;
        }
        return signs[0] && signs[1] ? choices_.rounding == Rounding::down : signs[1];
    }

    const MatmulJob& job_;
    const Choices& choices_;
    const Panels& rows_;
    const Panels& columns_;
    const Units& units_;
    TileKernels kernels_;
    ByElement by_element_;
    NearestNormal nearest_;
    bool is_nearest_;
    std::vector<std::int64_t> sums_;
};

} // namespace

bool is_quick(const DotFormat& format) {
    const auto is_element = [](const Format& format) {
        return format.width() <= 8 && format.has_subnormals && format.is_signed;
    };
    const auto is_scale = [](const Format* format) { return format == nullptr || format->name == formats::e8m0.name; };
    return is_element(*format.a) && is_element(*format.b) && is_scale(format.scale_a) && is_scale(format.scale_b) &&
           integer_bits(*format.a) + integer_bits(*format.b) <= sum_bits - 1;
}

void matmul(const DotFormat& format, const Choices& choices, const MatmulShape& shape, const MatmulBuffers& operands,
            void* d, unsigned threads, Isa isa) {
    const Dot offered(format, choices); // or throws
    if (is_stochastic(choices.rounding)) throw std::invalid_argument("a matmul has no random bits");
    if (threads == 0) throw std::invalid_argument("a matmul runs on one thread at least");
    require(isa);
    const MatmulJob job{format, shape, operands, static_cast<unsigned char*>(d)};
    check(job);
    threads = threads_for(shape, threads);
    if (!is_quick(format)) {
        in_threads(threads, [&](std::size_t first, std::size_t step) {
            ByElement by_element(job, choices);
            for (std::size_t row = first; row < shape.m; row += step)
                for (std::size_t column = 0; column < shape.n; ++column) by_element(row, column);
        });
        return;
    }
    const Units units = units_of(format, shape);
    const Panels rows(*format.a, format.scale_a, shape.m, tile_rows, units,
                      {operands.a, operands.scales_a, shape.a_scale.along, shape.a_at(1, 0), shape.a_at(0, 1),
                       [&](std::size_t line, std::size_t t) { return shape.a_scale_at(line, t); }},
                      threads);
    const Panels columns(*format.b, format.scale_b, shape.n, tile_columns, units,
                         {operands.b, operands.scales_b, shape.b_scale.along, shape.b_at(0, 1), shape.b_at(1, 0),
                          [&](std::size_t line, std::size_t t) { return shape.b_scale_at(t, line); }},
                         threads);
    in_threads(threads, [&](std::size_t first, std::size_t step) {
        ByTile(job, choices, rows, columns, units, isa).run(first, step);
    });
}

} // namespace mxcert::fast
