// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// What the values of a transform may be, by both models: the exact one of the first 4,096 groups, and then of one
/// group in 16. Throws std::logic_error where they disagree: nothing may be judged then.
class HadamardExpected {
  public:
    HadamardExpected(const recipe::Hadamard& transform, const Format& source, const Format& target)
        : transform_(transform), source_(source), target_(target) {}

    [[nodiscard]] std::vector<recipe::HadamardValue> of(std::span<const Code> group);

  private:
    recipe::Hadamard transform_;
    const Format& source_;
    const Format& target_;
    std::uint64_t asked_ = 0;
};

} // namespace mxcert::suites
