// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/parity/comparison.hpp"
#include "conformance/parity/pipeline.hpp"
#include "conformance/verdict/golden_source.hpp"

namespace mxcert::parity {

/// Compares two of the operation "quantize", as compare(). Precondition: they can be compared.
void compare_quantizers(const Pipeline& a, const Pipeline& b, verdict::GoldenSource& golden,
                        const ParityOptions& options, Parity& parity);

} // namespace mxcert::parity
