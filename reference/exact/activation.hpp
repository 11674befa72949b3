// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/activation.hpp"
#include "reference/format.hpp"

namespace mxcert::exact {

/// A value after an activation, in its own format. Precondition: `source` is binary32, binary16 or bfloat16.
[[nodiscard]] Code activate(const Format& source, Activation activation, Code value);

/// The same before it is rounded from binary32 to the source's format: a code of binary32.
[[nodiscard]] Code activate_in_fp32(const Format& source, Activation activation, Code value);

} // namespace mxcert::exact
