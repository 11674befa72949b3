// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// What a dequantizer of NVFP4 must give, by both models. Throws std::logic_error where they disagree: nothing may be
/// judged then.
class Nvfp4Values {
  public:
    explicit Nvfp4Values(const DequantizeNvfp4& dequantize) : dequantize_(dequantize) {}

    /// The value of an element under a scale, a code of the target.
    [[nodiscard]] Code of(Code number, Code scale, Code element);

  private:
    DequantizeNvfp4 dequantize_;
    Code number_ = 0;
    std::vector<Code> values_; ///< of that number; empty: of none
};

} // namespace mxcert::suites
