// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/dot/epilogue.hpp"

namespace mxcert::fast {

/// As exact::after_sum(), in integers.
[[nodiscard]] Code after_sum(const Epilogue& epilogue, const EpilogueOperands& operands);

/// A value of binary32 as an element of D, to nearest even. FP8 saturates, Inf too; of wider formats what is too large
/// is Inf.
[[nodiscard]] Code as_element(const Format& output, Code value);

} // namespace mxcert::fast
