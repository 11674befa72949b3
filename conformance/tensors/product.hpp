// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/block_shape.hpp"
#include "reference/dot/accumulator.hpp"
#include "reference/dot/epilogue.hpp"
#include "reference/format.hpp"
#include "reference/recipe/nvfp4.hpp"

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
    std::optional<recipe::TensorScales> tensor{}; ///< of NVFP4
};

/// What is multiplied: D = A B + C.
struct Product {
    MatrixOperand a;
    MatrixOperand b;
    MatrixOperand c;           ///< without a format: +0
    bool a_transposed = false; ///< A lies as the rows of its transpose
    bool b_transposed = false;
    const Accumulator* accumulator = nullptr; ///< points into accumulators()
    /// How the scales of both tensors in NVFP4 come to the sums of elements and scales of blocks, in FP32. Null: as
    /// factors of the exact sum, before it is rounded.
    const Epilogue* epilogue = nullptr;
    /// Of D: fp64, fp32, fp16 or bf16, to which the exact sum is rounded; else that of the sums, or fp16 or bf16, to
    /// which sums in FP32 are rounded at last.
    const Format* to = nullptr;
};

} // namespace mxcert::tensors
