// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/diagnose/found_parameter.hpp"
#include "conformance/observe/subject.hpp"
#include "conformance/suites/matmul/family.hpp"
#include "conformance/suites/matmul/order.hpp"
#include "reference/dot/accumulator.hpp"
#include "vectors/cases/dot_cases.hpp"

// Which accumulator a product has, from its answers alone: what it declares is not looked at.
namespace mxcert::suites {

/// What explains the answers.
struct FoundAccumulator {
    std::string operation;
    Status status = Status::pass;                     ///< pass: answers came; else of the run that failed
    std::string reason;                               ///< for every status but pass
    std::size_t asked = 0;                            ///< products
    std::size_t explained = 0;                        ///< that the parameters below give
    std::vector<std::string_view> same;               ///< accumulators of the table that explain all
    std::string_view nearest;                         ///< the one that explains most, "" if none takes the formats
    std::size_t nearest_explained = 0;                ///< of it
    std::optional<Accumulator> model;                 ///< the best that was found
    std::vector<diagnose::FoundParameter> parameters; ///< of it, those that say anything
    std::vector<std::string> nans;                    ///< the codes of NaN that came; which one is not looked at
    std::optional<Family> family;                     ///< if it was counted
    std::optional<SumOrder> order;                    ///< if it was looked for
    std::vector<std::string> unexplained;             ///< the first products that `model` does not give, in words
};

/// Further searches of identify_matmul(). Each takes seconds.
struct MoreOfMatmul {
    bool family = false;   ///< the combinations of parameters that remain
    std::size_t order = 0; ///< the order in which so many products are added; 0: not
};

/// Asks for products of the operation "matmul" that tell accumulators apart, and finds the one that explains them:
/// first among accumulators(), then by changing one parameter after the other. Which NaN comes says nothing.
[[nodiscard]] FoundAccumulator identify_matmul(observe::Subject& subject, const Operation& operation,
                                               const MoreOfMatmul& more = {});

/// The same from answers: one a case. `output`: the format of the answers.
[[nodiscard]] FoundAccumulator find_accumulator(const DotCases& cases, const Format& output, bool has_c,
                                                const std::vector<Code>& observed_answers);

} // namespace mxcert::suites
