// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "conformance/tensors/product.hpp"
#include "conformance/tensors/tensor_file.hpp"
#include "conformance/tensors/tensor_run.hpp"
#include "reference/dot/dot.hpp"
#include "reference/format.hpp"

// Products of matrices in files, in memory as a whole.
namespace mxcert::tensors {

/// The codes of a matrix, in rows.
[[nodiscard]] std::vector<Code> codes_of(const MatrixOperand& operand);

/// An operand from what `mxcert quantize` wrote, or from a tensor of codes. Throws std::runtime_error for a tensor that
/// is no matrix.
[[nodiscard]] MatrixOperand read_operand(const std::filesystem::path& path, const TensorChoice& choice);

/// The format of the sums, before an epilogue.
[[nodiscard]] const Format& sum_format(const Product& product);

/// m, n and k. Throws std::invalid_argument if the sums of A and B have not the same length, if the blocks of an
/// operand do not lie along the sum, if only one has scales, or scales of a tensor, if scales of tensors have no
/// epilogue where an accumulator needs one, or an epilogue has no such scales or sums in another format than FP32, if C
/// is not m x n or not of the format that it is added in, if the accumulator does not take the formats, or if D can not
/// be of `to`.
[[nodiscard]] MatmulShape shape_of(const Product& product);

/// D in rows, codes of `to`. Throws as shape_of() does, and std::out_of_range for a byte that is no code.
[[nodiscard]] std::vector<unsigned char> multiply(const Product& product, const TensorRun& run);

} // namespace mxcert::tensors
