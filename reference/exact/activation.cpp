// SPDX-License-Identifier: Apache-2.0
// Activations as they are defined: a value, what is made of it in binary32, and that rounded.
#include "reference/exact/activation.hpp"

#include "reference/exact/arithmetic.hpp"

namespace mxcert::exact {

Code activate_in_fp32(const Format& source, Activation activation, Code value) {
    const Code widened = converted(source, formats::fp32, value);
    if (activation == Activation::none) return widened;
    const Value x = decode(source, value);
    const bool positive = x.kind != Kind::nan && !x.negative && !(x.kind == Kind::finite && x.magnitude.is_zero());
    if (!positive) return 0;
    return activation == Activation::srelu ? multiply(formats::fp32, widened, widened) : widened;
}

Code activate(const Format& source, Activation activation, Code value) {
    if (activation == Activation::none) return value;
    return converted(formats::fp32, source, activate_in_fp32(source, activation, value));
}

} // namespace mxcert::exact
