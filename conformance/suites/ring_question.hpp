// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/level.hpp"
#include "conformance/suites/certify_sizes.hpp"
#include "conformance/suites/float_blocks/float_cases.hpp"

namespace mxcert::suites {

/// What certify_sizes() asks of a ring: a small matrix of 61 blocks beside each other or below each other, and large
/// matrices that repeat it to the right or downwards. `arrays`: for each input and then each output the values of the
/// matrix that share one of its entries, {1, 1} where each has its own.
[[nodiscard]] SizeQuestion ring_question(const FloatMatrix& ring, frames::RunCase small, Level level,
                                         const std::vector<BlockShape>& arrays);

} // namespace mxcert::suites
