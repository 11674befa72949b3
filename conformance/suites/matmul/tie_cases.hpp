// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/suites/matmul/cases.hpp"

namespace mxcert::suites {

/// Sums that lie half way between two results, exactly or but for a number that is far smaller: c, or one product. None
/// for accumulators that round products before c is added, for operations without c, and for formats whose products
/// span too few binades.
void for_each_tie_case(const Matmul& matmul, const TakeMatmulCase& take);

} // namespace mxcert::suites
