// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/dot/epilogue.hpp"

namespace mxcert::exact {

/// An element before it is rounded to D, a code of binary32. A NaN is 0x7FC00000.
[[nodiscard]] Code after_sum(const Epilogue& epilogue, const EpilogueOperands& operands);

/// A value of binary32 as an element of D, to nearest even. FP8 saturates, Inf too; of wider formats what is too large
/// is Inf.
[[nodiscard]] Code as_element(const Format& output, Code value);

} // namespace mxcert::exact
