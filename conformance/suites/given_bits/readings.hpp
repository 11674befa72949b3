// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conformance/inputs/point.hpp"
#include "reference/conversion.hpp"

namespace mxcert::suites {

/// How an implementation may take the random bits that are given.
struct BitReading {
    Rounding rounding = Rounding::stochastic_a;
    unsigned used = 0;     ///< random bits
    bool keeps_law = true; ///< as many random bits of their own would be distributed alike
    std::string text;      ///< "stochastic_a with the upper 20 of 32 random bits"
};

/// The roundings of the fast model, by all random bits, a part of them or none, that gave every answer. A rounding that
/// does with all is not looked at with a part; of a part the fewest bits: further ones may be of no weight. Where none
/// does, those that make subnormal results zero. Which code a NaN has does not matter.
[[nodiscard]] std::vector<BitReading> readings_of(const Conversion& conversion,
                                                  const std::vector<inputs::Point>& points);

/// The rounding with all bits that gave most answers, and how many. Roundings of `found` are not looked at.
struct NearestReading {
    BitReading reading;
    std::size_t right = 0;
};
[[nodiscard]] NearestReading nearest_reading(const Conversion& conversion, const std::vector<inputs::Point>& points,
                                             const std::vector<BitReading>& found);

} // namespace mxcert::suites
