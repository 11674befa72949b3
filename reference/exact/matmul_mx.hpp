// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "reference/block.hpp"
#include "reference/exact/dot.hpp"

namespace mxcert::exact {

/// A matrix in blocks along its rows: elements in the places of the values, and the scales of each row's blocks.
struct MxMatrix {
    std::vector<Code> elements;
    std::vector<Code> scales;

    friend bool operator==(const MxMatrix&, const MxMatrix&) = default;
};

/// A matrix product whose result is MXFP8: D rounded to DotFormat::to, which is fp32, fp16 or bf16, then its rows
/// quantized in blocks of `block` as exact::quantize() does. Two roundings: that of D, and that of the elements. With
/// `given_scales`, one for each block in rows, the elements are made by these and BlockChoices::element alone. Throws
/// as matmul() and quantize() do, and std::invalid_argument if there are not as many scales as blocks.
[[nodiscard]] MxMatrix matmul_mx(const DotFormat& format, const Choices& choices, const MatmulShape& shape,
                                 const MatmulOperands& operands, const Format& element,
                                 const BlockChoices& block_choices, std::size_t block,
                                 std::span<const Code> given_scales = {});

} // namespace mxcert::exact
