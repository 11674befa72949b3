// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/dot/accumulator.hpp"
#include "reference/exact/dot.hpp"

namespace mxcert::exact {

/// A term of an aligned sum: its number, and the exponent it is aligned by.
struct AlignedTerm {
    Rational number;
    int exponent = 0;
};

/// The operands of a dot product as an accumulator reads them. It refers to what it is made of.
class Products {
  public:
    Products(const Accumulator& model, const DotFormat& format, const DotOperands& operands)
        : model_(model), format_(format), operands_(operands) {}

    [[nodiscard]] std::size_t size() const { return operands_.a.size(); }
    /// A value of an operand; a subnormal is +0 where they are flushed.
    [[nodiscard]] Value operand(const Format& format, Code code) const;
    [[nodiscard]] Value c() const;
    /// The scales of a product, whatever becomes of them; 1 without scales.
    [[nodiscard]] Value scale_a(std::size_t i) const {
        return scale(format_.scale_a, operands_.scales_a, operands_.block_a, i);
    }
    [[nodiscard]] Value scale_b(std::size_t i) const {
        return scale(format_.scale_b, operands_.scales_b, operands_.block_b, i);
    }
    /// The exact product with its scales, unless these are for what is promoted.
    [[nodiscard]] Value product(std::size_t i) const;
    /// The exponent of a factor as it is aligned: not normalised.
    [[nodiscard]] int exponent(const Format& format, const Value& value) const;
    /// The terms of an aligned sum of products begin to end: those of every `stride`-th place, or the sums of blocks.
    [[nodiscard]] std::vector<AlignedTerm> terms(std::size_t begin, std::size_t end, std::size_t stride) const;

  private:
    [[nodiscard]] Value scale(const Format* format, std::span<const Code> scales, std::size_t block,
                              std::size_t i) const;
    [[nodiscard]] int scale_exponent(std::size_t i) const;

    const Accumulator& model_;
    const DotFormat& format_;
    const DotOperands& operands_;
};

} // namespace mxcert::exact
