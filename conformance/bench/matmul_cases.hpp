// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mxcert {

/// Measures what making the cases of a matrix product costs beside judging their answers, and prints one row for each
/// of two operations. Returns whether it is the smaller part.
bool compare_matmul_cases();

} // namespace mxcert
