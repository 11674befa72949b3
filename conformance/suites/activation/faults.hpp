// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "conformance/known_fault.hpp"
#include "conformance/suites/activation/activator.hpp"
#include "conformance/suites/blocks/join_fault.hpp"
#include "conformance/suites/blocks/judge.hpp"

namespace mxcert::suites {

/// A known way to get an activation before a quantizer wrong.
struct ActivationFault {
    std::string_view name;            ///< "the activation left out"
    std::string_view bug_class;       ///< the id of its class
    Activation of = Activation::none; ///< the activation that can go wrong so; none: each
    /// What is quantized instead of a value, in its own format or in binary32; null: what is right.
    Code (*value)(const Format& source, Activation activation, Code value) = nullptr;
    bool in_fp32 = false;
    bool amax_of_inputs = false; ///< the scale is made of the values before the activation
    bool of_elements = false;    ///< so are the elements, and the activation is applied to these
};

[[nodiscard]] std::span<const ActivationFault> activation_faults();

/// What is right, as a way: no fault.
inline constexpr ActivationFault right_activation{"", ""};

/// An element after an activation, rounded to nearest even and saturated.
[[nodiscard]] Code activate_element(const Format& element, Activation activation, Code code);

/// The rules of a quantizer with an activation.
struct ActivationRules {
    const Activator* activator = nullptr;
    QuantizeRules of_source;
    QuantizeRules of_fp32; ///< the same quantizer with values of binary32
};

/// A way made ready: of a source of 16 bits what each value becomes is computed once.
class ActivationWay {
  public:
    /// It refers to the fault and to the activator.
    ActivationWay(const ActivationFault& fault, const Activator& activator);

    [[nodiscard]] const ActivationFault& fault() const { return fault_; }
    [[nodiscard]] Code operator()(Code value) const { return table_.empty() ? made_of(value) : table_[value]; }
    /// Whether an element is the activation of one that is permitted for a value: of a fault of elements.
    [[nodiscard]] bool gives_element(const QuantizeRules& rules, Code scale, Code value, Code element) const;

  private:
    [[nodiscard]] Code made_of(Code value) const;

    const ActivationFault& fault_;
    const Activator& activator_;
    std::vector<Code> table_;
    mutable std::vector<Code> elements_; ///< each element after the activation
};

/// Whether a way gives what came of a block.
[[nodiscard]] bool gives(const ActivationRules& rules, const ActivationWay& way, const JoinSeen<QuantizeCase>& seen,
                         BlockPlace place);

/// Whether a fault is one of this activation.
[[nodiscard]] inline bool concerns(const ActivationFault& fault, Activation activation) {
    return fault.of == Activation::none || fault.of == activation;
}

/// The faults that give all that came, of which something is not permitted; those that give the same are all named.
[[nodiscard]] std::vector<KnownFault> known_as(const ActivationRules& rules,
                                               std::span<const JoinSeen<QuantizeCase>> seen);

} // namespace mxcert::suites
