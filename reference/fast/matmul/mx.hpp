// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/fast/block.hpp"
#include "reference/fast/matmul/matmul.hpp"

namespace mxcert::fast {

/// A matrix product whose result is MXFP8, as exact::matmul_mx() says: m x n elements, and a byte of E8M0 for each
/// block of a row. `given_scales`: null, or as many scales, which then stand in `scales` as well. Throws as matmul()
/// and quantize() do.
void matmul_mx(const DotFormat& format, const Choices& choices, const MatmulShape& shape, const MatmulBuffers& operands,
               const Format& element, const BlockChoices& block_choices, std::size_t block,
               const std::uint8_t* given_scales, std::uint8_t* elements, std::uint8_t* scales, unsigned threads = 2,
               Isa isa = best_isa());

} // namespace mxcert::fast
