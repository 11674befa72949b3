// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matrices/tile_cases.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "conformance/inputs/interleave.hpp"
#include "conformance/suites/matrices/size_cases.hpp"
#include "reference/base/random.hpp"

namespace mxcert::suites {
namespace {

constexpr std::uint64_t most_places = 1024; ///< of a tile that are asked one by one
constexpr std::uint64_t background_seed = 0x711E;
constexpr std::uint64_t values_of_piece = 1U << 18U; ///< of a matrix, unless a tile has more
constexpr std::uint64_t beyond_rows = 130;
constexpr std::uint64_t beyond_columns = 1040;
constexpr std::uint64_t far_columns = 4112;
constexpr std::uint64_t tiled_side = 256; ///< several tiles of 128x128
/// Values of a matrix with every kind of block, but for that of several tiles.
constexpr std::uint64_t most_of_kinds = 1U << 14U;
constexpr std::uint64_t largest_ring = 1U << 20U; ///< values

} // namespace

std::vector<Code> TileCase::values_of(std::uint64_t tile) const {
    const BlockRange range = matrix.block(tile);
    std::vector<Code> of_tile;
    const std::uint64_t lanes = count(range.size, "values");
    for (std::uint64_t lane = 0; lane < lanes; ++lane) of_tile.push_back(values[matrix.place(range, lane)]);
    return of_tile;
}

std::string TileCase::title(std::uint64_t tile) const {
    return tile < tiles.size() ? fmt::format("{}: {}", name, tiles[tile]) : name;
}

TileCase TileMaker::of_size(std::string name, const Extent& extent) const {
    return {std::move(name), {}, {extent, tile_}, std::vector<Code>(count(extent, "values"), 0)};
}

void TileMaker::fill(TileCase& tile_case, std::uint64_t tile, std::uint64_t lane, Code amax, bool negative) const {
    const BlockRange range = tile_case.matrix.block(tile);
    const std::uint64_t lanes = count(range.size, "values");
    // Two binades lower: without the largest value the tile has another scale.
    const Code binades = Code{2} << static_cast<unsigned>(format_.fraction_bits);
    for (std::uint64_t at = 0; at < lanes; ++at) {
        const std::uint64_t word = SplitMix64::at(background_seed + tile, at);
        const Code below = amax <= binades ? 0 : word % (amax - binades);
        const Code sign = (word >> 63) != 0 ? format_.sign_bit() : 0;
        tile_case.values[tile_case.matrix.place(range, at)] = below | sign;
    }
    tile_case.values[tile_case.matrix.place(range, lane % lanes)] = negative ? amax | format_.sign_bit() : amax;
}

void TileMaker::fill_telling(TileCase& tile_case) const {
    const std::uint64_t tiles = tile_case.matrix.blocks();
    for (std::uint64_t tile = 0; tile < tiles; ++tile)
        fill(tile_case, tile, SplitMix64::at(background_seed, tile), telling(tile, tiles), tile % 3 == 0);
}

void TileMaker::fill_kinds(TileCase& tile_case, const BlockKinds& kinds, std::uint64_t first) const {
    const Extent grid = tile_case.matrix.scales();
    const std::uint64_t tiles = tile_case.matrix.blocks();
    for (std::uint64_t tile = 0; tile < tiles; ++tile) {
        const BlockRange range = tile_case.matrix.block(tile);
        const std::uint64_t lanes = count(range.size, "values");
        const std::uint64_t number = kinds.number_in(grid.rows, grid.columns, tile, first);
        for (std::uint64_t lane = 0; lane < lanes; ++lane)
            tile_case.values[tile_case.matrix.place(range, lane)] = kinds.value(number, lane, lanes);
    }
}

Code TileMaker::telling(std::uint64_t tile, std::uint64_t tiles) const {
    // From 2^-2 to 2^10: a scale in E4M3 that is a sixth of it is neither the smallest nor the largest.
    return maker_.normal(static_cast<int>(inputs::far_apart(tile, tiles) % 12) - 2,
                         SplitMix64::at(background_seed, tile));
}

void TileMaker::set(TileCase& tile_case, std::uint64_t tile, std::uint64_t lane, Code code) const {
    const BlockRange range = tile_case.matrix.block(tile);
    tile_case.values[tile_case.matrix.place(range, lane % count(range.size, "values"))] = code;
}

std::string TileMaker::place_text(std::uint64_t lane) const {
    return fmt::format("row {}, column {}", lane / tile_.columns, lane % tile_.columns);
}

std::vector<std::uint64_t> TileMaker::places() const {
    std::vector<std::uint64_t> all;
    for (std::uint64_t lane = 0; lane < lanes(); ++lane) {
        const std::uint64_t row = lane / tile_.columns;
        const std::uint64_t column = lane % tile_.columns;
        if (lanes() <= most_places || row == 0 || column == 0 || row == column) all.push_back(lane);
    }
    return all;
}

bool in_pieces(const TileMaker& maker, const std::string& name, std::uint64_t tiles, const FillTile& fill,
               const CallTileCase& call) {
    const std::uint64_t at_once = std::max<std::uint64_t>(values_of_piece / maker.lanes(), 1);
    for (std::uint64_t first = 0; first < tiles; first += at_once) {
        TileCase tile_case =
            maker.of_tiles(fmt::format("{}, from number {}", name, first), std::min(at_once, tiles - first));
        for (std::uint64_t tile = 0; tile < tile_case.matrix.blocks(); ++tile)
            fill(tile_case, tile, (first + tile) % tiles);
        if (!call(tile_case)) return false;
    }
    return true;
}

bool for_each_place_case(const TileMaker& maker, const CallTileCase& call) {
    const std::vector<std::uint64_t> places = maker.places();
    return in_pieces(
        maker, "the largest value in each place", 2 * places.size(),
        [&](TileCase& tile_case, std::uint64_t tile, std::uint64_t number) {
            const std::uint64_t lane = places[number / 2];
            const bool negative = number % 2 != 0;
            maker.fill(tile_case, tile, lane, maker.telling(tile, tile_case.matrix.blocks()), negative);
            tile_case.tiles.push_back(maker.place_text(lane) + (negative ? ", negative" : ""));
        },
        call);
}

std::vector<Extent> tile_extents(const BlockShape& tile) {
    const auto& [high, wide] = tile;
    const auto whole = [](std::uint64_t size, std::uint64_t side) { return (size + side - 1) / side * side; };
    // Rows and columns beyond what one group of threads takes, with tails and without; then several rows of tiles that
    // are far longer.
    const std::uint64_t rows = whole(beyond_rows, high);
    const std::uint64_t columns = whole(beyond_columns, wide);
    const std::uint64_t far = whole(far_columns, wide);
    return {{1, 1},
            {high + 1, wide},
            {high, 2 * wide + 1},
            {2 * high + 1, 3 * wide + 5},
            {3 * high + high / 2 + 1, wide / 2 + 1},
            {5 * high, 7 * wide},
            {20 * high + 3, 3 * wide + 5},
            {rows, columns},
            {rows + 3, columns + 5},
            {3 * high, far},
            {2 * high + 1, far + wide / 2},
            {whole(tiled_side, high), whole(tiled_side, wide)}};
}

bool for_each_size_case(const TileMaker& maker, const BlockKinds& kinds, const CallTileCase& call) {
    const std::vector<Extent> extents = tile_extents(maker.tile());
    const Extent& of_tiles = extents.back(); // has every kind of block alone
    for (const Extent& extent : extents) {
        if (extent == of_tiles) continue;
        TileCase tile_case = maker.of_size(size_name(extent), extent);
        maker.fill_telling(tile_case);
        if (!call(tile_case)) return false;
    }
    std::uint64_t first = 0; // of the kinds of a matrix
    for (const Extent& extent : extents) {
        if (extent != of_tiles && (extent == Extent{1, 1} || count(extent, "values") > most_of_kinds)) continue;
        TileCase tile_case = maker.of_size(size_name(extent) + ", every kind of block", extent);
        maker.fill_kinds(tile_case, kinds, first);
        first += tile_case.matrix.blocks();
        if (!call(tile_case)) return false;
    }
    return true;
}

std::string size_name(const Extent& extent) { return fmt::format("a matrix of {}", text(extent)); }

std::vector<NamedExtent> ring_extents(const BlockShape& tile) {
    if (ring_blocks * tile.rows * tile.columns > largest_ring) return {};
    return {{"a ring of 61 to the right", {tile.rows, ring_blocks * tile.columns}},
            {"a ring of 61 downwards", {ring_blocks * tile.rows, tile.columns}}};
}

std::vector<TileCase> tile_rings(const TileMaker& maker) {
    std::vector<TileCase> rings;
    for (const auto& [name, extent] : ring_extents(maker.tile())) {
        rings.push_back(maker.of_size(name, extent));
        maker.fill_telling(rings.back());
    }
    return rings;
}

} // namespace mxcert::suites
