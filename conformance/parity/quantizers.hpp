// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/parity/parity.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::parity {

/// An operation with another source, without activation, packing and layout: what a quantizer is to its values.
[[nodiscard]] Operation plain(const Operation& operation, const Format& source);

/// The activation of a quantizer's values, fused or applied before; Activation::none of none.
[[nodiscard]] Activation activation_of(const Pipeline& pipeline);

/// Compares two of the operation "quantize", as compare(). Precondition: they can be compared.
void compare_quantizers(const Pipeline& a, const Pipeline& b, verdict::GoldenSource& golden,
                        const ParityOptions& options, Parity& parity);

} // namespace mxcert::parity
