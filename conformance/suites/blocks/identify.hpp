// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "conformance/observe/subject.hpp"
#include "conformance/suites/blocks/join_fault.hpp"
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

/// Answers of a quantizer to the cases that identify_quantize() asks, or to others like them.
struct QuantizerAnswers {
    std::span<const JoinSeen<QuantizeCase>> scales;   ///< lines of one block without NaN
    std::span<const JoinSeen<QuantizeCase>> elements; ///< lines of one block are read, others are left out
    std::span<const JoinSeen<QuantizeCase>> blocks;
};

/// What explains answers that are there already: as identify_quantize(), without names, profiles and refused cases.
[[nodiscard]] FoundQuantizer explain_quantizer(const Quantize& quantize, const QuantizerAnswers& answers);

/// What a Behaviour that was found gives, as the only thing that is permitted. Precondition: something was asked.
[[nodiscard]] PermitTable permits_of(const diagnose::FoundBehaviour& found);

/// What explains the way back.
struct FoundDequantizer {
    diagnose::FoundBehaviour values; ///< of the elements by their scale
    FoundCases blocks;
};

/// The same of the operation "dequantize": every element under every scale, and dequantize_cases().
[[nodiscard]] FoundDequantizer identify_dequantize(observe::Subject& subject, const Operation& operation,
                                                   verdict::GoldenSource& golden);

} // namespace mxcert::suites
