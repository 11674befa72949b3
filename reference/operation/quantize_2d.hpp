// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/operation/operation.hpp"

namespace mxcert {

/// The operation "quantize_2d": a matrix of values in tiles, each with one scale, quantized for products along its rows
/// and along its columns. Both have the same elements, and the scale of a tile stands in each once for every row, or
/// column, of it. Transformer Engine's MXFP8 with 2D scaling of weights has tiles of 32x32.
struct Quantize2d {
    Quantize quantize; ///< the conversions of the scale and of the element; its axis and block say nothing
    BlockShape tile;   ///< no side is BlockShape::whole

    /// Scales of the elements for products along rows, one a row of a tile, and of those along columns.
    [[nodiscard]] Extent row_scales(const Extent& values) const;
    [[nodiscard]] Extent column_scales(const Extent& values) const;
};

/// Throws std::invalid_argument if an attribute is none that there is.
[[nodiscard]] Quantize2d as_quantize_2d(const Operation& operation);

} // namespace mxcert
