// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/frames/run.hpp"
#include "conformance/observe/subject.hpp"
#include "reference/operation/operation.hpp"
#include "vectors/cases/dot_cases.hpp"

namespace mxcert::suites {

/// The answers to sums, as far as they came.
struct AskedSums {
    std::vector<Code> answers;
    frames::RunAnswer failed; ///< the first run without them; pass: there is none
};

/// Asks for dot products along the diagonals of matrices D of 16 x 16, or each as the first element of a D.
/// Precondition: all are of one length.
[[nodiscard]] AskedSums ask_sums(observe::Subject& subject, const Operation& operation, const Matmul& matmul,
                                 const DotCases& cases, bool as_first = false);

} // namespace mxcert::suites
