// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/suites/blocks/quantize_cases.hpp"
#include "reference/activation.hpp"

namespace mxcert::suites {

/// The activation of a quantizer as both models have it.
class Activator {
  public:
    /// Throws std::logic_error where the models disagree: on any value of a format of 16 bits.
    Activator(const Format& source, Activation activation);

    /// Throws as above, of a source of 32 bits: one value in 16 is compared.
    [[nodiscard]] Code operator()(Code value) const;
    /// The case whose blocks are quantized without an activation.
    [[nodiscard]] QuantizeCase operator()(QuantizeCase quantize_case) const;

    [[nodiscard]] const Format& source() const { return source_; }
    [[nodiscard]] Activation activation() const { return activation_; }

  private:
    const Format& source_;
    Activation activation_;
    std::vector<Code> table_; ///< by value; empty for a source of 32 bits
};

} // namespace mxcert::suites
