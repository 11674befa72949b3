// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/observe/subject.hpp"
#include "reference/activation.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::parity {

/// A quantizer of a backend, and what is done to values before it.
struct Pipeline {
    observe::Subject* subject = nullptr;
    Operation operation;                  ///< "quantize" or "quantize_nvfp4"
    Activation before = Activation::none; ///< of each value, by the reference, before the quantizer is given it
};

/// An operation with another source, without activation, packing and layout: what a quantizer is to its values.
[[nodiscard]] Operation plain(const Operation& operation, const Format& source);

/// The activation of a quantizer's values, fused or applied before; Activation::none of none.
[[nodiscard]] Activation activation_of(const Pipeline& pipeline);

} // namespace mxcert::parity
