// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/parity/comparison.hpp"
#include "conformance/parity/pipeline.hpp"

namespace mxcert::parity {

/// Compares two of the operation "quantize_nvfp4", as compare(): in tensors of a few amaxes the scale of amaxes, the
/// elements of values under the scales that both recipes give, tensors of many amaxes, and what joins values to blocks.
/// Precondition: they can be compared.
void compare_nvfp4(const Pipeline& a, const Pipeline& b, const ParityOptions& options, Parity& parity);

} // namespace mxcert::parity
