// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/quantize_2d/judge.hpp"

#include <optional>
#include <set>

#include <fmt/format.h>

#include "reference/code_text.hpp"

namespace mxcert::suites {
namespace {

/// Calls with every place of a tile in the matrix, in rows, until a call says what is wrong.
template <class Call> std::string first_wrong(const BlockRange& range, const Call& call) {
    for (std::uint64_t row = 0; row < range.size.rows; ++row)
        for (std::uint64_t column = 0; column < range.size.columns; ++column)
            if (std::string wrong = call(Place{range.first.row + row, range.first.column + column}); !wrong.empty())
                return wrong;
    return {};
}

std::string_view name_of(Axis axis) { return axis == Axis::row ? "along rows" : "along columns"; }

// What is wrong with the scales: those of a tile are one.
std::string wrong_scale(const Quantize2d& quantize, const QuantizeRules& rules, const TileCase& tile_case,
                        const std::vector<frames::Values>& outputs, std::uint64_t tile) {
    const Format& format = *quantize.quantize.scale.to;
    const BlockRange range = tile_case.matrix.block(tile);
    const std::set<Code> permitted = amaxes(rules, tile_case.values_of(tile));
    const Code first = direction_of(quantize, tile_case, outputs, Axis::row).scale_at(quantize.tile, range.first);
    if (!permits_scale(rules, permitted, first))
        return fmt::format("the scale is {}, and no permitted amax gives it", code_text(format, first));
    for (const Axis axis : {Axis::row, Axis::column}) {
        const TileDirection direction = direction_of(quantize, tile_case, outputs, axis);
        std::string wrong = first_wrong(range, [&](const Place& place) -> std::string {
            const Code scale = direction.scale_at(quantize.tile, place);
            if (scale == first) return {};
            return fmt::format("the scale {} of row {}, column {} is {}, that of the tile {}", name_of(axis), place.row,
                               place.column, code_text(format, scale), code_text(format, first));
        });
        if (!wrong.empty()) return wrong;
    }
    return {};
}

std::string wrong_element(const Quantize2d& quantize, const QuantizeRules& rules, const TileCase& tile_case,
                          const TileDirection& direction, std::uint64_t tile) {
    const std::uint64_t columns = tile_case.matrix.values.columns;
    return first_wrong(tile_case.matrix.block(tile), [&](const Place& place) -> std::string {
        const std::uint64_t at = place.row * columns + place.column;
        const Code scale = direction.scale_at(quantize.tile, place);
        const Code element = direction.elements.get(at);
        if (permits_element(rules, scale, tile_case.values[at], element)) return {};
        return fmt::format("the element {} of row {}, column {} ({}) is {} under the scale {}", name_of(direction.axis),
                           place.row, place.column, code_text(*quantize.quantize.format.value, tile_case.values[at]),
                           code_text(*quantize.quantize.format.element, element),
                           code_text(*quantize.quantize.scale.to, scale));
    });
}

} // namespace

Code TileDirection::scale_at(const BlockShape& tile, const Place& value) const {
    return axis == Axis::row ? scales.get(value.row * of_scales.columns + value.column / tile.columns)
                             : scales.get(value.row / tile.rows * of_scales.columns + value.column);
}

TileDirection direction_of(const Quantize2d& quantize, const TileCase& tile_case,
                           const std::vector<frames::Values>& outputs, Axis axis) {
    const Extent& values = tile_case.matrix.values;
    if (axis == Axis::row) return {axis, outputs[0], outputs[1], quantize.row_scales(values)};
    return {axis, outputs[2], outputs[3], quantize.column_scales(values)};
}

std::vector<std::string> judge(const Quantize2d& quantize, const QuantizeRules& rules, const TileCase& tile_case,
                               const std::vector<frames::Values>& outputs) {
    std::vector<std::string> faults;
    const std::uint64_t tiles = tile_case.matrix.blocks();
    for (std::uint64_t tile = 0; tile < tiles; ++tile) {
        std::string wrong = wrong_scale(quantize, rules, tile_case, outputs, tile);
        for (const Axis axis : {Axis::row, Axis::column})
            if (wrong.empty())
                wrong =
                    wrong_element(quantize, rules, tile_case, direction_of(quantize, tile_case, outputs, axis), tile);
        if (!wrong.empty()) faults.push_back(fmt::format("{}, tile {}: {}", tile_case.title(tile), tile, wrong));
    }
    return faults;
}

} // namespace mxcert::suites
