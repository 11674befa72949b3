// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/choices.hpp"

namespace mxcert {

/// What the defaults do, but for overflow, which gives NaN or Inf.
inline Choices unsaturated() {
    Choices choices;
    choices.overflow = Overflow::nosat;
    return choices;
}

} // namespace mxcert
