// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/export/cases.hpp"
#include "conformance/suites/matmul/judge.hpp"

// Shared by the test vectors of matrix products.
namespace mxcert::test_vectors {

/// What an element of D may be.
[[nodiscard]] PermittedValue value_of(const suites::MatmulPermit& permit, const Matmul& matmul);

/// Whether an element of a wrong product is one that the right one does not permit. Bounds that touch show nothing.
[[nodiscard]] bool differ(const suites::MatmulPermit& wrong, const suites::MatmulPermit& right, const Matmul& matmul);

} // namespace mxcert::test_vectors
