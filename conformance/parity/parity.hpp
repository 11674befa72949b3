// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conformance/parity/comparison.hpp"
#include "conformance/parity/pipeline.hpp"
#include "conformance/verdict/golden_source.hpp"

// Two quantizers that may differ in the type of their source, a fused activation, axis, packing and layout, asked the
// same values and compared element by element and scale by scale (docs/parity.md).
namespace mxcert::parity {

/// Why two pipelines cannot be compared: they have other elements, scales, blocks or kinds. Empty: they can.
[[nodiscard]] std::string not_comparable(const Pipeline& a, const Pipeline& b);

/// Compares two pipelines, and explains what differs. Never throws for what they do. Throws std::invalid_argument for
/// options that do not fit them. Pipelines that are not_comparable() are untested.
[[nodiscard]] Parity compare(const Pipeline& a, const Pipeline& b, verdict::GoldenSource& golden,
                             const ParityOptions& options);

/// The exit code of several: 1 if any differs; else 3 if one could not be compared to the end; else 4 if nothing was
/// compared; else 0.
[[nodiscard]] int exit_code(const std::vector<Parity>& all);

} // namespace mxcert::parity
