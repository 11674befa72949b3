// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/quantize_2d/faults.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "conformance/suites/quantize_2d/judge.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

/// The tile of a place: by its row and column among the tiles.
Place tile_at(const Quantize2d& quantize, const Place& place) {
    return {place.row / quantize.tile.rows, place.column / quantize.tile.columns};
}

/// The values of a tile, but for `skipped` rows and columns at its beginning and its end; all of them if none is left.
struct Skipped {
    std::uint64_t first_rows = 0;
    std::uint64_t last_rows = 0;
    std::uint64_t first_columns = 0;
    std::uint64_t last_columns = 0;
};
std::vector<Code> values_of(const TileCase& tile_case, const Place& tile, const Skipped& skipped = {}) {
    const BlockRange range = block_at(tile_case.matrix.values, tile_case.matrix.shape, tile);
    std::vector<Code> values;
    for (std::uint64_t row = skipped.first_rows; row + skipped.last_rows < range.size.rows; ++row)
        for (std::uint64_t column = skipped.first_columns; column + skipped.last_columns < range.size.columns; ++column)
            values.push_back(tile_case.values[(range.first.row + row) * tile_case.matrix.values.columns +
                                              range.first.column + column]);
    return values.empty() ? values_of(tile_case, tile) : values;
}

std::vector<Code> of_row(const Quantize2d& quantize, const TileCase& tile_case, const Place& place) {
    const std::uint64_t in_tile = place.row % quantize.tile.rows;
    const Place tile = tile_at(quantize, place);
    const std::uint64_t rows = block_at(tile_case.matrix.values, tile_case.matrix.shape, tile).size.rows;
    return values_of(tile_case, tile, {in_tile, rows - in_tile - 1, 0, 0});
}

std::vector<Code> of_column(const Quantize2d& quantize, const TileCase& tile_case, const Place& place) {
    const std::uint64_t in_tile = place.column % quantize.tile.columns;
    const Place tile = tile_at(quantize, place);
    const std::uint64_t columns = block_at(tile_case.matrix.values, tile_case.matrix.shape, tile).size.columns;
    return values_of(tile_case, tile, {0, 0, in_tile, columns - in_tile - 1});
}

std::vector<Code> by_direction(const Quantize2d& quantize, const TileCase& tile_case, Axis axis, const Place& place) {
    return axis == Axis::row ? of_row(quantize, tile_case, place) : of_column(quantize, tile_case, place);
}
std::vector<Code> rows_alone(const Quantize2d& quantize, const TileCase& tile_case, Axis axis, const Place& place) {
    return axis == Axis::row ? of_row(quantize, tile_case, place) : seen_by_tile(quantize, tile_case, axis, place);
}
std::vector<Code> columns_alone(const Quantize2d& quantize, const TileCase& tile_case, Axis axis, const Place& place) {
    return axis == Axis::column ? of_column(quantize, tile_case, place)
                                : seen_by_tile(quantize, tile_case, axis, place);
}
template <std::uint64_t first_rows, std::uint64_t last_rows, std::uint64_t first_columns, std::uint64_t last_columns>
std::vector<Code> without(const Quantize2d& quantize, const TileCase& tile_case, Axis /*axis*/, const Place& place) {
    return values_of(tile_case, tile_at(quantize, place), {first_rows, last_rows, first_columns, last_columns});
}
std::vector<Code> to_the_left(const Quantize2d& quantize, const TileCase& tile_case, Axis /*axis*/,
                              const Place& place) {
    const Place tile = tile_at(quantize, place);
    return values_of(tile_case, {tile.row, tile.column == 0 ? 0 : tile.column - 1});
}
std::vector<Code> above(const Quantize2d& quantize, const TileCase& tile_case, Axis /*axis*/, const Place& place) {
    const Place tile = tile_at(quantize, place);
    return values_of(tile_case, {tile.row == 0 ? 0 : tile.row - 1, tile.column});
}
std::vector<Code> transposed(const Quantize2d& quantize, const TileCase& tile_case, Axis /*axis*/, const Place& place) {
    const Extent tiles = tile_case.matrix.scales();
    const Place tile = tile_at(quantize, place);
    const std::uint64_t number = tile.column * tiles.rows + tile.row;
    return values_of(tile_case, {number / tiles.columns, number % tiles.columns});
}
std::vector<Code> without_abs(const Quantize2d& quantize, const TileCase& tile_case, Axis axis, const Place& place) {
    std::vector<Code> values = seen_by_tile(quantize, tile_case, axis, place);
    for (Code& value : values)
        if ((value & quantize.quantize.format.value->sign_bit()) != 0) value = 0;
    return values;
}

constexpr std::array faults{
    TileFault{"a scale for each row, and for each column", "AMAX_LANES", by_direction, by_direction},
    TileFault{"a scale for each row, in the scales along rows alone", "AMAX_LANES", rows_alone, rows_alone},
    TileFault{"a scale for each column, in the scales along columns alone", "AMAX_LANES", columns_alone, columns_alone},
    TileFault{"the elements by a scale for each row, and for each column", "SCALE_USED_IS_NOT_STORED", seen_by_tile,
              by_direction},
    TileFault{"the amax without the first row of a tile", "AMAX_LANES", without<1, 0, 0, 0>, without<1, 0, 0, 0>},
    TileFault{"the amax without the last row of a tile", "AMAX_LANES", without<0, 1, 0, 0>, without<0, 1, 0, 0>},
    TileFault{"the amax without the first column of a tile", "AMAX_LANES", without<0, 0, 1, 0>, without<0, 0, 1, 0>},
    TileFault{"the amax without the last column of a tile", "AMAX_LANES", without<0, 0, 0, 1>, without<0, 0, 0, 1>},
    TileFault{"the amax without magnitudes", "AMAX_SIGN", without_abs, without_abs},
    TileFault{"the scale of the tile to the left", "OOB_SCALE", to_the_left, to_the_left},
    TileFault{"the scale of the tile above", "OOB_SCALE", above, above},
    TileFault{"the scales of tiles counted down columns", "WRONG_AXIS", transposed, transposed},
};

/// The scale of values whose amax is not in doubt; none where it may be one of several.
std::optional<Code> scale_of(const QuantizeRules& rules, const std::vector<Code>& values) {
    const std::set<Code> permitted = amaxes(rules, values);
    if (permitted.size() != 1) return std::nullopt;
    const PermitTable& table = *rules.scale;
    return one_of(table.steps[find_step(table, *permitted.begin())].permit, *table.to);
}

} // namespace

std::vector<Code> seen_by_tile(const Quantize2d& quantize, const TileCase& tile_case, Axis /*axis*/,
                               const Place& place) {
    return values_of(tile_case, tile_at(quantize, place));
}

std::span<const TileFault> tile_faults() { return faults; }

bool explains(const Quantize2d& quantize, const QuantizeRules& rules, const TileFault& way, const TileSeen& seen) {
    const Extent& extent = seen.asked.matrix.values;
    const BlockShape& tile = quantize.tile;
    for (const Axis axis : {Axis::row, Axis::column}) {
        const TileDirection direction = direction_of(quantize, seen.asked, seen.outputs, axis);
        const BlockShape block = axis == Axis::row ? shapes::rowwise(tile.columns) : shapes::columnwise(tile.rows);
        const std::uint64_t blocks = count(direction.of_scales, "scales");
        for (std::uint64_t number = 0; number < blocks; ++number) {
            const BlockRange range =
                block_at(extent, block, {number / direction.of_scales.columns, number % direction.of_scales.columns});
            const Code scale = direction.scales.get(number);
            const std::vector<Code> values = way.given(quantize, seen.asked, axis, range.first);
            if (!permits_scale(rules, amaxes(rules, values), scale)) return false;
            const std::optional<Code> used =
                way.used == way.given ? scale : scale_of(rules, way.used(quantize, seen.asked, axis, range.first));
            if (!used) continue;
            for (std::uint64_t lane = 0; lane < count(range.size, "values"); ++lane) {
                const std::uint64_t at = (range.first.row + lane / range.size.columns) * extent.columns +
                                         range.first.column + lane % range.size.columns;
                if (!permits_element(rules, *used, seen.asked.values[at], direction.elements.get(at))) return false;
            }
        }
    }
    return true;
}

std::vector<KnownFault> known_as(const Quantize2d& quantize, const QuantizeRules& rules,
                                 std::span<const TileSeen> seen) {
    std::vector<KnownFault> known;
    if (std::all_of(seen.begin(), seen.end(),
                    [&](const TileSeen& tile) { return judge(quantize, rules, tile.asked, tile.outputs).empty(); }))
        return known;
    for (const TileFault& fault : faults)
        if (std::all_of(seen.begin(), seen.end(),
                        [&](const TileSeen& tile) { return explains(quantize, rules, fault, tile); }))
            known.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
    return known;
}

} // namespace mxcert::suites
