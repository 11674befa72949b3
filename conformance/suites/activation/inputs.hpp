// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "conformance/suites/activation/activator.hpp"
#include "conformance/verdict/judge.hpp"
#include "vectors/tables/step_table.hpp"

namespace mxcert::suites {

/// The inputs of a quantizer with an activation, values before the activation. They depend on the level, and not on
/// which profiles judge it.
class ActivationInputs {
  public:
    /// It refers to the golden source and to the activator.
    ActivationInputs(const Operation& operation, const Activator& activator, verdict::GoldenSource& golden,
                     const verdict::CertifyOptions& options);

    /// The largest values of blocks whose scales are asked: of FP16 and BF16 every one up to Inf; of FP32 those at each
    /// change of the scale +-2, and seeded ones.
    [[nodiscard]] std::vector<Code> amaxes() const;
    /// The largest values of blocks whose elements are asked: four, from level standard on thirteen, and at level
    /// complete that of every scale as well. Those of a level stand behind those of the levels before.
    [[nodiscard]] std::vector<Code> amaxes_of_elements() const;
    /// The values that may stand in a block whose largest value is this: of FP16 and BF16 every one, negative values
    /// and NaN among them; of FP32 those at each change of the element +-2, and seeded ones of either sign.
    [[nodiscard]] std::vector<Code> values_under(Code amax);

  private:
    /// The smallest value that the activation takes to this one or beyond.
    [[nodiscard]] Code first_reaching(Code activated) const;
    /// Two values on either side of each, no larger than the largest.
    [[nodiscard]] std::vector<Code> around(const std::vector<Code>& activated, Code largest) const;
    [[nodiscard]] bool is_narrow_source() const { return activator_.source().width() <= 16; }
    [[nodiscard]] Code scale_of(Code amax) const;

    Quantize quantize_;
    const Activator& activator_;
    std::vector<const Profile*> askers_;
    verdict::GoldenSource& golden_;
    Level level_;
    unsigned samples_;
    std::uint64_t seed_;
    StepTable scale_;
    std::vector<Code> pairs_; ///< as TileInputs has them
};

/// Calls with matrices of one block a line: the amaxes, then the values under each of amaxes_of_elements(). A block of
/// one value has its amax alone, of either sign. False if a call returned false.
bool for_each_activation_case(const Quantize& quantize, unsigned block, ActivationInputs& inputs,
                              const std::function<bool(QuantizeCase)>& call);

} // namespace mxcert::suites
