// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/tensors/product.hpp"
#include "reference/dot/dot.hpp"

namespace mxcert::tensors {

/// D of operands in NVFP4 in rows, codes of product.to: every element the real number that the elements, the scales of
/// blocks, those of both tensors and C make, rounded once. A sum with a NaN scale is NaN; scales of tensors that are
/// Inf count as IEEE 754 has them. Precondition: shape_of() gave `shape`, both operands have scales of their tensors,
/// and the accumulator is exact.
[[nodiscard]] std::vector<unsigned char> multiply_nvfp4(const Product& product, const MatmulShape& shape,
                                                        unsigned threads);

} // namespace mxcert::tensors
