// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conformance/tensors/tensor_file.hpp"
#include "reference/recipe/percentile.hpp"

namespace mxcert::measure {

/// The percentiles of the finite magnitudes of a tensor, of which there are `finite`; 0 where there are none. Reads the
/// file twice, whatever it holds, in pieces of at most `most` values. Throws what TensorFile::read() does, and
/// std::invalid_argument where a percentile has the position of fp32 and there are more than recipe::most_elements.
[[nodiscard]] std::vector<float> percentiles_of(const tensors::TensorFile& file,
                                                const std::vector<recipe::Percentile>& percentiles,
                                                std::uint64_t finite, std::size_t most);

} // namespace mxcert::measure
