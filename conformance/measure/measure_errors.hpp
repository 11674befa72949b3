// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "conformance/measure/exact_sum.hpp"
#include "conformance/measure/quality.hpp"
#include "reference/format.hpp"

namespace mxcert::measure {

/// Gathers the errors of one method.
class ErrorSums {
  public:
    /// `element`: that of an MX format.
    explicit ErrorSums(const Format& element);

    /// Values that share a scale, as binary64, and their elements. NaN and Inf among the values are left out. The scale
    /// is positive, or zero: all values become zero then, and none is clipped; or NaN: no value is a number then.
    void add(std::span<const double> values, const std::uint8_t* elements, double scale);

    [[nodiscard]] Quality quality() const;
    [[nodiscard]] double value_of(std::uint8_t element) const { return value_of_[element]; }

  private:
    struct Binade {
        std::uint64_t values = 0;
        double largest = 0;
        ExactSum sum;
    };
    void add_relative(double magnitude, double error);

    std::array<double, 256> value_of_{}; ///< of the elements
    double beyond_;                      ///< between the largest element and what would follow it
    bool tie_clips_;                     ///< whether `beyond_` itself rounds up
    ExactSum signal_;
    ExactSum noise_;
    ExactSum power_;
    ExactSum product_;
    std::vector<Binade> binades_; ///< from the lowest of fp32 on
    Quality counts_;
};

} // namespace mxcert::measure
