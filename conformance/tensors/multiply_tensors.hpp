// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "conformance/tensors/tensor_file.hpp"
#include "conformance/tensors/tensor_run.hpp"
#include "reference/block_shape.hpp"
#include "reference/dot/accumulator.hpp"
#include "reference/dot/dot.hpp"
#include "reference/format.hpp"

// Products of matrices in files, in memory as a whole.
namespace mxcert::tensors {

/// A matrix of a product: elements, a byte each or more, and where they have scales those of their blocks.
struct MatrixOperand {
    const Format* format = nullptr;
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::vector<unsigned char> elements;  ///< native-endian, format->bytes() each
    std::vector<std::uint8_t> scales;     ///< empty: there are none
    const Format* scale = &formats::e8m0; ///< their format
    Axis axis = Axis::row;                ///< along what the elements of a block follow each other
    unsigned block = 0;
};

/// The codes of a matrix, in rows.
[[nodiscard]] std::vector<Code> codes_of(const MatrixOperand& operand);

/// An operand from what `mxcert quantize` wrote, or from a tensor of codes. Throws std::runtime_error for NVFP4, and
/// for a tensor that is no matrix.
[[nodiscard]] MatrixOperand read_operand(const std::filesystem::path& path, const TensorChoice& choice);

/// What is multiplied: D = A B + C.
struct Product {
    MatrixOperand a;
    MatrixOperand b;
    MatrixOperand c;           ///< without a format: +0
    bool a_transposed = false; ///< A lies as the rows of its transpose
    bool b_transposed = false;
    const Format* to = nullptr; ///< of D: fp64, fp32, fp16 or bf16 of the exact sum, else the accumulator's
    const Accumulator* accumulator = nullptr; ///< points into accumulators()
};

/// m, n and k. Throws std::invalid_argument if the sums of A and B have not the same length, if the blocks of an
/// operand do not lie along the sum, if only one has scales, if C is not m x n or not of the format that it is added
/// in, or if the accumulator does not take the formats.
[[nodiscard]] MatmulShape shape_of(const Product& product);

/// D in rows, codes of `to`. Throws as shape_of() does, and std::out_of_range for a byte that is no code.
[[nodiscard]] std::vector<unsigned char> multiply(const Product& product, const TensorRun& run);

} // namespace mxcert::tensors
