// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/suites/float_blocks/float_cases.hpp"
#include "conformance/suites/maker.hpp"
#include "conformance/suites/matrices/block_kinds.hpp"

// Matrices in tiles of one shape, of which each has one scale. A block of a row is a tile, too.
namespace mxcert::suites {

/// A matrix in tiles that a quantizer is asked for.
struct TileCase {
    std::string name;
    std::vector<std::string> tiles; ///< what each tile is about; empty where the name says it
    FloatMatrix matrix;
    std::vector<Code> values; ///< in rows

    /// The values of a tile, in rows.
    [[nodiscard]] std::vector<Code> values_of(std::uint64_t tile) const;
    /// "the largest value in each place: row 5, column 0" of the tile of that number.
    [[nodiscard]] std::string title(std::uint64_t tile) const;
};

/// Fills matrices of tiles.
class TileMaker {
  public:
    TileMaker(const Format& format, const BlockShape& tile) : format_(format), tile_(tile), maker_(format_) {}

    /// Zeros of a size.
    [[nodiscard]] TileCase of_size(std::string name, const Extent& extent) const;
    /// Zeros in so many tiles or a few more.
    [[nodiscard]] TileCase of_tiles(std::string name, std::uint64_t tiles) const {
        return of_size(std::move(name), grid_of(tile_, tiles).values);
    }
    /// The largest value of a tile at a place of it, and smaller ones everywhere else.
    void fill(TileCase& tile_case, std::uint64_t tile, std::uint64_t lane, Code amax, bool negative) const;
    /// Fills every tile so that its scale tells its place, the largest value at a place of its own.
    void fill_telling(TileCase& tile_case) const;
    /// Fills every tile with a kind of block, as BlockKinds::number_in() says.
    void fill_kinds(TileCase& tile_case, const BlockKinds& kinds, std::uint64_t first) const;
    /// An amax that tells a tile from its neighbours by its scale.
    [[nodiscard]] Code telling(std::uint64_t tile, std::uint64_t tiles) const;
    void set(TileCase& tile_case, std::uint64_t tile, std::uint64_t lane, Code code) const;

    [[nodiscard]] const Format& format() const { return format_; }
    [[nodiscard]] const BlockShape& tile() const { return tile_; }
    [[nodiscard]] std::uint64_t lanes() const { return tile_.rows * tile_.columns; }
    [[nodiscard]] std::string place_text(std::uint64_t lane) const;
    /// The places that are asked one by one. Of tiles of more than 1024 values those of the first row, the first column
    /// and the diagonal.
    [[nodiscard]] std::vector<std::uint64_t> places() const;

  private:
    const Format& format_;
    BlockShape tile_;
    Maker maker_;
};

/// Fills a tile of a matrix. `number` counts the tiles of all matrices.
using FillTile = std::function<void(TileCase& this_tile_case, std::uint64_t tile, std::uint64_t number)>;
using CallTileCase = std::function<bool(const TileCase&)>;

/// So many tiles, in matrices of a size that is easily held. False if a call returned false.
bool in_pieces(const TileMaker& maker, const std::string& name, std::uint64_t tiles, const FillTile& fill,
               const CallTileCase& call);

/// The largest value in each of TileMaker::places(), of each sign. False if a call returned false.
bool for_each_place_case(const TileMaker& maker, const CallTileCase& call);

/// Sizes of matrices, with smaller tiles at their ends and without, and what a case of one is called.
[[nodiscard]] std::vector<Extent> tile_extents(const BlockShape& tile);
[[nodiscard]] std::string size_name(const Extent& extent);

/// A ring: 61 tiles beside each other, and 61 below each other. None where tiles have more than 17,189 values.
struct NamedExtent {
    std::string name;
    Extent extent;
};
[[nodiscard]] std::vector<NamedExtent> ring_extents(const BlockShape& tile);

/// Matrices of tile_extents(), in which each tile tells its place by its scale, and again with tiles of every kind.
/// False if a call returned false.
bool for_each_size_case(const TileMaker& maker, const BlockKinds& kinds, const CallTileCase& call);

/// Rings of ring_extents(), each tile with a scale of its own: what large matrices consist of.
[[nodiscard]] std::vector<TileCase> tile_rings(const TileMaker& maker);

} // namespace mxcert::suites
