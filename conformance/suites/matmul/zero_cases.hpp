// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/suites/matmul/cases.hpp"

namespace mxcert::suites {

/// NaN and Inf times zeros, and scales of NaN over them: one zero in each line, a block of them, and a whole operand.
/// What leaves out zeros to save work must not leave out these. Last, NaN as every scale.
void for_each_zero_case(const Matmul& matmul, const TakeMatmulCase& take);

} // namespace mxcert::suites
