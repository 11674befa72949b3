// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "conformance/suites/blocks/join_faults.hpp"
#include "conformance/suites/found_cases.hpp"

// What joins values to their blocks and scales, from answers alone.
namespace mxcert::suites {

/// What joins the blocks that were seen, where these are the scale of an amax and the element of a value by a scale:
/// which values make an amax, where its scale lies, and which element has which place. First as it should be; then one
/// of these is changed after the other, to what join_faults() has, as long as more blocks are explained. Sets `asked`,
/// `explained`, `parameters` and `unexplained`. `start`: what was found of other blocks, to begin with instead.
[[nodiscard]] FoundCases find_joining(const Quantize& quantize, const PermitTable& scale, const PermitTable& element,
                                      std::span<const JoinSeen<QuantizeCase>> seen, const FoundCases* start = nullptr);
/// The same of a dequantizer, of which this is the value of an element by a scale.
[[nodiscard]] FoundCases find_joining(const PermitTable& value, std::span<const JoinSeen<DequantizeCase>> seen);

} // namespace mxcert::suites
