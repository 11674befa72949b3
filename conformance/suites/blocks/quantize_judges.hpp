// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "conformance/suites/blocks/judge.hpp"
#include "conformance/verdict/judge.hpp"

namespace mxcert::suites {

/// What judges a quantizer: of each profile the scales and the elements, by the same index.
struct QuantizeJudges {
    Quantize quantize;
    std::vector<const Profile*> profiles;
    std::vector<verdict::Judge> scales;
    std::vector<verdict::Judge> elements;

    QuantizeJudges(const Quantize& asked_quantize, const std::vector<const Profile*>& all,
                   verdict::GoldenSource& golden)
        : quantize(asked_quantize), profiles(all), scales(verdict::judges_of(quantize.scale, all, golden)),
          elements(verdict::judges_of(quantize.element, all, golden)) {}

    /// It refers to the judges.
    [[nodiscard]] QuantizeRules rules(std::size_t profile) const {
        return {&quantize, profiles[profile], &scales[profile].permitted, &elements[profile].permitted};
    }
};

} // namespace mxcert::suites
