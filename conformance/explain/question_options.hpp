// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conformance/explain/explain.hpp"
#include "conformance/explain/explain_block.hpp"

// Questions as users write them, on the command line and to the library.
namespace mxcert::explain {

/// An option that is empty was not given.
struct QuestionOptions {
    std::vector<std::string> inputs; ///< as parse_number() reads them
    std::string from = "fp32";
    std::string to = "e4m3";
    std::string rounding; ///< of an amax its rule
    std::string overflow;
    std::string random;               ///< "200/8"
    std::string scale;                ///< the given scale, E8M0
    std::string rule;                 ///< of a block
    std::vector<std::string> choices; ///< "name=value"
};

/// The question about one input. Throws std::invalid_argument for unknown names, more inputs, and a rule.
[[nodiscard]] ExplainQuestion question_of(const QuestionOptions& options);

/// The question about a block of these inputs. Throws std::invalid_argument for unknown names, a scale, and random
/// bits.
[[nodiscard]] BlockQuestion block_question_of(const QuestionOptions& options);

} // namespace mxcert::explain
