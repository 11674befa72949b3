// SPDX-License-Identifier: Apache-2.0
#include "reference/operation/quantize_2d.hpp"

#include <stdexcept>
#include <string>

namespace mxcert {

Quantize2d as_quantize_2d(const Operation& operation) {
    std::vector<std::pair<std::string, std::string>> attributes{{"axis", "row"}, {"block", "any"}};
    for (const char* const name : {"source", "element", "scale", "rule", "rounding", "overflow"})
        attributes.emplace_back(name, operation.value(name));
    const BlockShape tile = parse_block_shape(operation.value("tile"), largest_block);
    if (tile.rows == BlockShape::whole || tile.columns == BlockShape::whole)
        throw std::invalid_argument("tile '" + std::string(operation.value("tile")) + "' has no size");
    return {as_quantize(make_operation("quantize", attributes)), tile};
}

Extent Quantize2d::row_scales(const Extent& values) const { return scales_of(values, shapes::rowwise(tile.columns)); }
Extent Quantize2d::column_scales(const Extent& values) const {
    return scales_of(values, shapes::columnwise(tile.rows));
}

} // namespace mxcert
