// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/suites/activation/faults.hpp"
#include "conformance/suites/blocks/quantize_judges.hpp"
#include "conformance/suites/found_cases.hpp"

namespace mxcert::suites {

/// The rules of a profile for a quantizer with an activation, and what they refer to.
class ActivationJudges {
  public:
    /// It refers to the activator and to the judges, those of the operation as if it had no activation.
    ActivationJudges(const Operation& operation, const Activator& activator, const QuantizeJudges& judges,
                     verdict::GoldenSource& golden);

    [[nodiscard]] ActivationRules rules(std::size_t profile) const {
        return {&activator_, judges_.rules(profile), of_fp32_.rules(profile)};
    }

  private:
    const Activator& activator_;
    const QuantizeJudges& judges_;
    QuantizeJudges of_fp32_;
};

/// Asks a quantizer with an activation for a few amaxes and values, and finds the activation by which the first profile
/// that judges it permits most of the blocks.
[[nodiscard]] FoundCases identify_activation(observe::Subject& subject, const Operation& operation,
                                             verdict::GoldenSource& golden);

} // namespace mxcert::suites
