// SPDX-License-Identifier: Apache-2.0
#include "conformance/measure/measure_errors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "reference/fast/convert.hpp"

namespace mxcert::measure {
namespace {

// Exponents of the values of fp32, which has those of fp16 and bf16.
constexpr int lowest = -149;
constexpr int highest = 127;

/// The exponent of a normal binary64, as every value of fp32 is.
int exponent_of(double magnitude) {
    return static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52) - formats::fp64.bias;
}

bool is_finite(double x) { return std::abs(x) <= std::numeric_limits<double>::max(); }

} // namespace

ErrorSums::ErrorSums(const Format& element) : binades_(highest - lowest + 1) {
    for (Code code = 0; code <= element.last_code(); ++code)
        value_of_[code] = std::bit_cast<double>(fast::convert(element, formats::fp64, {}, code));
    const Code largest = element.max_code();
    beyond_ = value_of_[largest] + (value_of_[largest] - value_of_[largest - 1]) / 2;
    tie_clips_ = (largest & 1) != 0;
}

void ErrorSums::add(std::span<const double> values, const std::uint8_t* elements, double scale) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double x = values[i];
        if (!is_finite(x)) continue;
        // An element has at most four significant bits, a scale 28: the product is exact, and so is `edge`.
        const double y = value_of_[elements[i]] * scale;
        if (!is_finite(y)) {
            ++counts_.lost;
            continue;
        }
        ++counts_.compared;
        const double magnitude = std::abs(x);
        const double edge = beyond_ * scale;
        const double error = std::abs(y - x);
        signal_.add(x * x);
        noise_.add(error * error);
        power_.add(y * y);
        product_.add(x * y);
        if (x == 0) continue;
        counts_.clipped += scale > 0 && (magnitude > edge || (magnitude == edge && tie_clips_)) ? 1 : 0;
        counts_.flushed += y == 0 ? 1 : 0;
        add_relative(magnitude, error / magnitude);
    }
}

void ErrorSums::add_relative(double magnitude, double error) {
    Binade& binade = binades_[static_cast<std::size_t>(exponent_of(magnitude) - lowest)];
    ++binade.values;
    binade.sum.add(error);
    binade.largest = std::max(binade.largest, error);
}

Quality ErrorSums::quality() const {
    Quality quality = counts_;
    quality.signal = signal_.value();
    quality.noise = noise_.value();
    quality.power = power_.value();
    quality.product = product_.value();
    ExactSum all;
    for (int exponent = lowest; exponent <= highest; ++exponent) {
        const Binade& binade = binades_[static_cast<std::size_t>(exponent - lowest)];
        if (binade.values == 0) continue;
        quality.relative += binade.values;
        quality.largest_relative = std::max(quality.largest_relative, binade.largest);
        all.add(binade.sum);
        quality.binades[exponent] = {binade.values, binade.largest,
                                     binade.sum.value() / static_cast<double>(binade.values)};
    }
    if (quality.relative != 0) quality.mean_relative = all.value() / static_cast<double>(quality.relative);
    return quality;
}

} // namespace mxcert::measure
