// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "reference/format.hpp"

// Operands of an accumulator, read quickly.
namespace mxcert::fast {

/// A finite value as significand x 2^place, and the exponent that it has in an aligned sum.
struct Factor {
    std::int32_t significand = 0; ///< with its sign
    std::int16_t place = 0;
    std::int16_t exponent = 0; ///< of_zero for zero, which the accumulator decides
    bool special = false;      ///< Inf or NaN

    static constexpr std::int16_t of_zero = -32768;
};

/// Reads codes of one format of up to 31 bits of significand.
class Factors {
  public:
    explicit Factors(const Format& format);

    [[nodiscard]] Factor operator()(Code code) const {
        return table_ != nullptr ? (*table_)[code] : factor_of(*format_, code);
    }
    using Table = std::array<Factor, 256>;

    [[nodiscard]] static constexpr Factor factor_of(const Format& format, Code code) {
        Factor factor;
        factor.special = !format.is_finite(code);
        const Code magnitude = format.magnitude_of(code);
        const Code field = magnitude >> format.fraction_bits;
        const bool normal = field != 0 || !format.has_subnormals;
        const auto fraction = static_cast<std::int32_t>(magnitude & format.fraction_mask());
        const std::int32_t significand = fraction + (normal ? 1 << format.fraction_bits : 0);
        const int exponent = static_cast<int>(normal ? field : 1) - format.bias;
        factor.significand = (code & format.sign_bit()) != 0 ? -significand : significand;
        factor.place = static_cast<std::int16_t>(exponent - format.fraction_bits);
        factor.exponent = significand == 0 ? Factor::of_zero : static_cast<std::int16_t>(exponent);
        return factor;
    }

  private:
    const Format* format_;
    const Table* table_ = nullptr; ///< of formats of up to eight bits
};

} // namespace mxcert::fast
