// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

namespace mxcert::measure {

/// Errors of the values of one binade, 2^e <= |x| < 2^(e+1).
struct BinadeErrors {
    std::uint64_t values = 0;
    double largest = 0; ///< relative error
    double mean = 0;    ///< of the relative errors
};

/// What a method makes of a tensor. For a value x with the element p and the scale s the quantized value is y = p s,
/// not rounded; its relative error is |y - x| / |x|, of values other than zero. NaN and Inf in the tensor are left out
/// everywhere, but for the amax of a block: Inf counts there for a scale in E8M0 or E4M3. All methods saturate.
struct Quality {
    std::uint64_t clipped = 0;  ///< |x / s| rounds beyond the largest element: saturated
    std::uint64_t flushed = 0;  ///< other than zero, and became zero
    std::uint64_t lost = 0;     ///< finite values of which no number came: their scale is NaN. Left out of the others
    std::uint64_t compared = 0; ///< the other finite values
    std::uint64_t relative = 0; ///< of them, those other than zero
    double largest_relative = 0;
    double mean_relative = 0;
    double signal = 0;                   ///< sum of x^2
    double noise = 0;                    ///< sum of (y - x)^2
    double power = 0;                    ///< sum of y^2
    double product = 0;                  ///< sum of x y
    std::map<int, BinadeErrors> binades; ///< by exponent

    [[nodiscard]] double mse() const;    ///< noise / compared; NaN if nothing was compared
    [[nodiscard]] double sqnr() const;   ///< 10 log10(signal / noise), in dB; Inf without noise, NaN without signal
    [[nodiscard]] double cosine() const; ///< product / sqrt(signal power); NaN where that is 0 / 0
};

} // namespace mxcert::measure
