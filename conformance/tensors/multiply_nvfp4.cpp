// SPDX-License-Identifier: Apache-2.0
// Exact products in NVFP4. Elements are halves, scales of blocks multiples of the smallest one: sums of both are
// integers of at most 128 bits. The scales of the tensors come to them as real numbers.
#include "conformance/tensors/multiply_nvfp4.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "reference/exact/dot.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/codes.hpp"
#include "reference/fast/matmul/buffers.hpp"

namespace mxcert::tensors {
namespace {

__extension__ using Sum = __int128;

using exact::Kind;
using exact::Value;

/// The place of the lowest bit of a finite value of the format.
int lowest_place(const Format& format) { return format.emin() - format.fraction_bits; }

/// A finite value in units of 2^lowest_place().
std::int64_t in_lowest(const Format& format, Code code) {
    const Value value = exact::decode(format, code);
    const auto units = static_cast<std::int64_t>(exact::in_units(value.magnitude, lowest_place(format)).whole);
    return value.negative ? -units : units;
}

/// Rows of A, or columns of B, the elements of a sum one after the other.
struct NvLines {
    std::size_t k = 0;
    std::size_t along = 0;  ///< elements that share a scale
    std::size_t blocks = 0; ///< of a line
    int place = 0;          ///< what an element times its scale is in units of: 2^place
    std::vector<Code> codes;
    std::vector<std::int8_t> elements;
    std::vector<Code> scale_codes;
    std::vector<std::int64_t> scales;
    std::vector<bool> negative; ///< elements whose sign differs from that of their scale
    std::vector<bool> is_nan;   ///< lines with a scale that is NaN

    template <class ElementAt, class ScaleAt>
    NvLines(const MatrixOperand& operand, std::size_t lines, std::size_t length, std::size_t shared,
            ElementAt element_at, ScaleAt scale_at)
        : k(length), along(shared), blocks((length + shared - 1) / shared),
          place(lowest_place(*operand.format) + lowest_place(*operand.scale)), is_nan(lines) {
        std::vector<std::int8_t> element_values;
        for (Code code = 0; code <= operand.format->last_code(); ++code)
            element_values.push_back(static_cast<std::int8_t>(in_lowest(*operand.format, code)));
        std::vector<Value> scale_values;
        std::vector<std::int64_t> scale_units;
        for (Code code = 0; code <= operand.scale->last_code(); ++code) {
            scale_values.push_back(exact::decode(*operand.scale, code));
            const bool finite = scale_values.back().kind == Kind::finite;
            scale_units.push_back(finite ? in_lowest(*operand.scale, code) : 0);
        }
        for (std::size_t line = 0; line < lines; ++line) {
            for (std::size_t t = 0; t < blocks; ++t) {
                scale_codes.push_back(operand.scales[scale_at(line, t)]);
                scales.push_back(scale_units.at(scale_codes.back()));
                if (scale_values[scale_codes.back()].kind != Kind::finite) is_nan[line] = true;
            }
            for (std::size_t l = 0; l < k; ++l) {
                codes.push_back(operand.elements[element_at(line, l)]);
                elements.push_back(element_values.at(codes.back()));
                const bool of_scale = scale_values[scale_codes[line * blocks + l / along]].negative;
                negative.push_back(operand.format->is_negative(codes.back()) != of_scale);
            }
        }
    }
};

class Nvfp4Product {
  public:
    Nvfp4Product(const Product& product, const MatmulShape& shape)
        : product_(product), shape_(shape),
          a_(
              product.a, shape.m, shape.k, shape.a_scale.along,
              [&](std::size_t line, std::size_t l) { return shape.a_at(line, l); },
              [&](std::size_t line, std::size_t t) { return shape.a_scale_at(line, t); }),
          b_(
              product.b, shape.n, shape.k, shape.b_scale.along,
              [&](std::size_t line, std::size_t l) { return shape.b_at(l, line); },
              [&](std::size_t line, std::size_t t) { return shape.b_scale_at(t, line); }),
          unit_(std::gcd(a_.along, b_.along)),
          tensors_(exact::times(exact::decode(formats::fp32, product.a.tensor->decode),
                                exact::decode(formats::fp32, product.b.tensor->decode))) {}

    [[nodiscard]] Code operator()(std::size_t row, std::size_t column) const {
        Value value = tensors_.kind == Kind::finite && !a_.is_nan[row] && !b_.is_nan[column]
                          ? scaled(row, column)
                          : term_by_term(row, column);
        if (product_.c.format != nullptr) {
            const auto bytes = static_cast<std::size_t>(product_.c.format->bytes());
            const unsigned char* const at = product_.c.elements.data() + (row * shape_.n + column) * bytes;
            const Value c = exact::decode(*product_.c.format, fast::load(at, static_cast<int>(bytes)));
            value = exact::sum({value, c}, Rounding::nearest_even);
        }
        return exact::result(*product_.to, dot_choices(), value);
    }

  private:
    [[nodiscard]] Value scaled(std::size_t row, std::size_t column) const {
        const Sum sum = add(row, column);
        Value value;
        value.negative = (sum < 0) != tensors_.negative;
        if (sum == 0 || tensors_.magnitude.is_zero()) {
            value.negative = is_minus_zero(row, column);
            return value;
        }
        __extension__ const auto bits = static_cast<unsigned __int128>(sum < 0 ? -sum : sum);
        const exact::Integer magnitude =
            (exact::Integer(static_cast<std::uint64_t>(bits >> 64)) << 64) + static_cast<std::uint64_t>(bits);
        value.magnitude = exact::times_power_of_two(magnitude, a_.place + b_.place) * tensors_.magnitude;
        return value;
    }
    [[nodiscard]] Sum add(std::size_t row, std::size_t column) const {
        const std::int8_t* const a = a_.elements.data() + row * a_.k;
        const std::int8_t* const b = b_.elements.data() + column * b_.k;
        Sum sum = 0;
        for (std::size_t begin = 0; begin < shape_.k; begin += unit_) {
            std::int32_t products = 0;
            for (std::size_t l = begin; l < std::min(begin + unit_, shape_.k); ++l) products += a[l] * b[l];
            sum += static_cast<Sum>(a_.scales[row * a_.blocks + begin / a_.along]) *
                   b_.scales[column * b_.blocks + begin / b_.along] * products;
        }
        return sum;
    }
    /// The sign of a sum that is zero: that of its terms, if all are zeros of one sign.
    [[nodiscard]] bool is_minus_zero(std::size_t row, std::size_t column) const {
        for (std::size_t l = 0; l < shape_.k; ++l)
            if ((a_.negative[row * shape_.k + l] != b_.negative[column * shape_.k + l]) == tensors_.negative)
                return false;
        return shape_.k != 0;
    }
    /// As the definition has it, NaN and Inf among the terms.
    [[nodiscard]] Value term_by_term(std::size_t row, std::size_t column) const {
        std::vector<Value> all;
        for (std::size_t l = 0; l < shape_.k; ++l) {
            Value term = tensors_;
            const auto multiply = [&](const MatrixOperand& operand, const NvLines& lines, std::size_t line) {
                term = exact::times(term, exact::decode(*operand.format, lines.codes[line * lines.k + l]));
                term = exact::times(
                    term, exact::decode(*operand.scale, lines.scale_codes[line * lines.blocks + l / lines.along]));
            };
            multiply(product_.a, a_, row);
            multiply(product_.b, b_, column);
            all.push_back(term);
        }
        return exact::sum(all, Rounding::nearest_even);
    }

    const Product& product_;
    const MatmulShape& shape_;
    NvLines a_;
    NvLines b_;
    std::size_t unit_; ///< neighbours along the sum that share both scales
    Value tensors_;    ///< the scales of both tensors
};

} // namespace

std::vector<unsigned char> multiply_nvfp4(const Product& product, const MatmulShape& shape, unsigned threads) {
    const Nvfp4Product d_of(product, shape);
    const auto bytes = static_cast<std::size_t>(product.to->bytes());
    std::vector<unsigned char> d(shape.m * shape.n * bytes);
    fast::in_threads(fast::threads_for(shape, threads), [&](std::size_t first, std::size_t step) {
        for (std::size_t row = first; row < shape.m; row += step)
            for (std::size_t column = 0; column < shape.n; ++column)
                fast::store(d.data() + (row * shape.n + column) * bytes, product.to->bytes(), d_of(row, column));
    });
    return d;
}

} // namespace mxcert::tensors
