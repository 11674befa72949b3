// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/frames/run.hpp"
#include "conformance/suites/matmul/cases.hpp"

// All elements of D at once by the fast model, codes of DotFormat::to in rows. Both throw as fast::matmul() does.
namespace mxcert::suites {

/// As an accumulator adds.
[[nodiscard]] frames::Values sums_of(const Accumulator& accumulator, const DotFormat& format,
                                     const MatmulCase& matmul_case);

/// The exact sums, each rounded once.
[[nodiscard]] frames::Values exact_sums_of(const DotFormat& format, const Choices& choices,
                                           const MatmulCase& matmul_case);

} // namespace mxcert::suites
