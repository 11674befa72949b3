// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "conformance/observe/subject.hpp"
#include "conformance/suites/found_cases.hpp"
#include "conformance/verdict/golden_source.hpp"

// What a block quantizer and the way back do, from their answers alone: of what they declare only the formats, the axis
// and the block are looked at.
namespace mxcert::suites {

/// What explains a quantizer.
struct FoundQuantizer {
    diagnose::FoundBehaviour scale;    ///< of the amax
    diagnose::FoundBehaviour elements; ///< of the values by their scale; those under a scale that is NaN say nothing
    FoundCases blocks;                 ///< how both are joined
};

/// Asks the operation "quantize" for the scale of every amax and the element of every value that it can meet, of FP32
/// for a sample, and finds the Behaviours; then for the cases of quantize_cases(), and finds what joins the blocks.
/// Where the answers are no function of the amax, or of the value, those are taken that joining wrongly, in a way of
/// join_faults(), makes a function. `known_element`: the Behaviour of the elements, which then are UNTESTED: they take
/// most of the time.
[[nodiscard]] FoundQuantizer identify_quantize(observe::Subject& subject, const Operation& operation,
                                               verdict::GoldenSource& golden,
                                               const std::optional<Choices>& known_element = {});

/// What explains the way back.
struct FoundDequantizer {
    diagnose::FoundBehaviour values; ///< of the elements by their scale
    FoundCases blocks;
};

/// The same of the operation "dequantize": every element under every scale, and dequantize_cases().
[[nodiscard]] FoundDequantizer identify_dequantize(observe::Subject& subject, const Operation& operation,
                                                   verdict::GoldenSource& golden);

} // namespace mxcert::suites
