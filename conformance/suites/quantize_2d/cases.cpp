// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/quantize_2d/cases.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "conformance/inputs/interleave.hpp"
#include "conformance/suites/maker.hpp"
#include "conformance/suites/size_cases.hpp"
#include "reference/base/random.hpp"

namespace mxcert::suites {
namespace {

constexpr std::uint64_t most_places = 1024; ///< of a tile that are asked one by one
constexpr std::uint64_t background_seed = 0x711E;
constexpr std::uint64_t values_of_piece = 1U << 18U; ///< of a matrix, unless a tile has more
constexpr std::uint64_t largest_ring = 1U << 20U;    ///< values

/// Fills matrices of tiles.
class TileMaker {
  public:
    explicit TileMaker(const Quantize2d& quantize)
        : format_(*quantize.quantize.format.value), tile_(quantize.tile), maker_(format_) {}

    /// Zeros of a size.
    [[nodiscard]] TileCase of_size(std::string name, const Extent& extent) const {
        return {std::move(name), {}, {extent, tile_}, std::vector<Code>(count(extent, "values"), 0)};
    }
    /// Zeros in so many tiles or a few more.
    [[nodiscard]] TileCase of_tiles(std::string name, std::uint64_t tiles) const {
        const FloatMatrix matrix = grid_of(tile_, tiles);
        return {std::move(name), {}, matrix, std::vector<Code>(count(matrix.values, "values"), 0)};
    }
    /// The largest value of a tile at a place of it, and smaller ones everywhere else.
    void fill(TileCase& tile_case, std::uint64_t tile, std::uint64_t lane, Code amax, bool negative) const {
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
    /// An amax that tells a tile from its neighbours by its scale.
    [[nodiscard]] Code telling(std::uint64_t tile, std::uint64_t tiles) const {
        return maker_.normal(static_cast<int>(inputs::far_apart(tile, tiles) % 12) - 6,
                             SplitMix64::at(background_seed, tile));
    }
    void set(TileCase& tile_case, std::uint64_t tile, std::uint64_t lane, Code code) const {
        const BlockRange range = tile_case.matrix.block(tile);
        tile_case.values[tile_case.matrix.place(range, lane % count(range.size, "values"))] = code;
    }
    [[nodiscard]] const Format& format() const { return format_; }
    [[nodiscard]] std::uint64_t lanes() const { return tile_.rows * tile_.columns; }
    [[nodiscard]] std::string place_text(std::uint64_t lane) const {
        return fmt::format("row {}, column {}", lane / tile_.columns, lane % tile_.columns);
    }
    /// The places that are asked one by one.
    [[nodiscard]] std::vector<std::uint64_t> places() const {
        std::vector<std::uint64_t> all;
        for (std::uint64_t lane = 0; lane < lanes(); ++lane) {
            const std::uint64_t row = lane / tile_.columns;
            const std::uint64_t column = lane % tile_.columns;
            if (lanes() <= most_places || row == 0 || column == 0 || row == column) all.push_back(lane);
        }
        return all;
    }

  private:
    const Format& format_;
    BlockShape tile_;
    Maker maker_;
};

/// So many tiles, in matrices of a size that is easily held. False if a call returned false.
bool in_pieces(const TileMaker& maker, const std::string& name, std::uint64_t tiles,
               const std::function<void(TileCase& this_tile_case, std::uint64_t tile, std::uint64_t number)>& fill,
               const std::function<bool(const TileCase&)>& call) {
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

bool largest_in_each_place(const TileMaker& maker, const std::function<bool(const TileCase&)>& call) {
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

bool special_values(const TileMaker& maker, const std::function<bool(const TileCase&)>& call) {
    const std::vector<Special> specials = specials_of(maker.format());
    const std::uint64_t last = maker.lanes() - 1;
    const std::vector<std::uint64_t> lanes{0, last / 2 + 1, last};
    return in_pieces(
        maker, "a special value among others", specials.size() * lanes.size(),
        [&](TileCase& tile_case, std::uint64_t tile, std::uint64_t number) {
            const Special& special = specials[number / lanes.size()];
            const std::uint64_t lane = lanes[number % lanes.size()];
            maker.fill(tile_case, tile, 1, maker.telling(tile, tile_case.matrix.blocks()), false);
            maker.set(tile_case, tile, lane, special.code);
            tile_case.tiles.push_back(fmt::format("{} at {}", special.name, maker.place_text(lane)));
        },
        call);
}

bool values_alone(const TileMaker& maker, const std::function<bool(const TileCase&)>& call) {
    std::vector<Special> specials = specials_of(maker.format());
    specials.push_back({"0", 0});
    return in_pieces(
        maker, "one value alone", specials.size(),
        [&](TileCase& tile_case, std::uint64_t tile, std::uint64_t number) {
            const Special& special = specials[number];
            for (std::uint64_t lane = 0; lane < maker.lanes(); ++lane) maker.set(tile_case, tile, lane, special.code);
            tile_case.tiles.emplace_back(special.name);
        },
        call);
}

/// Every tile has a scale of its own, and its largest value at a place of its own.
void fill_telling(const TileMaker& maker, TileCase& tile_case) {
    const std::uint64_t tiles = tile_case.matrix.blocks();
    for (std::uint64_t tile = 0; tile < tiles; ++tile)
        maker.fill(tile_case, tile, SplitMix64::at(background_seed, tile), maker.telling(tile, tiles), tile % 3 == 0);
}

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

void for_each_tile_case(const Quantize2d& quantize, const std::function<bool(const TileCase&)>& call) {
    const TileMaker maker(quantize);
    if (!largest_in_each_place(maker, call) || !special_values(maker, call) || !values_alone(maker, call)) return;
    const auto& [high, wide] = quantize.tile;
    for (const Extent& extent :
         {Extent{1, 1}, Extent{high + 1, wide}, Extent{high, 2 * wide + 1}, Extent{2 * high + 1, 3 * wide + 5},
          Extent{3 * high + high / 2 + 1, wide / 2 + 1}, Extent{5 * high, 7 * wide}}) {
        TileCase tile_case = maker.of_size(fmt::format("a matrix of {}", text(extent)), extent);
        fill_telling(maker, tile_case);
        if (!call(tile_case)) return;
    }
}

void for_each_amax_case(const Quantize2d& quantize, const std::vector<Code>& amaxes,
                        const std::function<bool(const TileCase&)>& call) {
    const TileMaker maker(quantize);
    in_pieces(
        maker, fmt::format("{} amaxes", amaxes.size()), amaxes.size(),
        [&](TileCase& tile_case, std::uint64_t tile, std::uint64_t number) {
            const std::uint64_t lane = SplitMix64::at(background_seed, ~number);
            maker.fill(tile_case, tile, lane, amaxes[inputs::far_apart(number, amaxes.size())], tile % 2 != 0);
        },
        call);
}

void for_each_value_case(const Quantize2d& quantize, const std::vector<Code>& amaxes,
                         const std::function<std::vector<Code>(Code amax)>& values_under,
                         const std::function<bool(const TileCase&)>& call) {
    const TileMaker maker(quantize);
    const std::uint64_t free = std::max<std::uint64_t>(maker.lanes() - 1, 1); // places beside the amax
    for (const Code amax : amaxes) {
        const std::vector<Code> values = values_under(amax);
        const std::uint64_t tiles = (values.size() + free - 1) / free;
        TileCase tile_case =
            maker.of_tiles(fmt::format("values under an amax of 0x{:04X}", amax), std::max<std::uint64_t>(tiles, 1));
        for (std::uint64_t tile = 0; tile < tile_case.matrix.blocks(); ++tile) {
            const std::uint64_t lane = tile % maker.lanes();
            maker.fill(tile_case, tile, lane, amax, false);
            for (std::uint64_t i = 0; i < free && maker.lanes() > 1; ++i) {
                const std::uint64_t number = tile * free + i;
                if (number < values.size()) maker.set(tile_case, tile, i < lane ? i : i + 1, values[number]);
            }
        }
        if (!call(tile_case)) return;
    }
}

std::vector<TileCase> tile_rings(const Quantize2d& quantize) {
    const TileMaker maker(quantize);
    const auto& [high, wide] = quantize.tile;
    if (ring_blocks * maker.lanes() > largest_ring) return {};
    std::vector<TileCase> rings{maker.of_size("a ring of 61 to the right", {high, ring_blocks * wide}),
                                maker.of_size("a ring of 61 downwards", {ring_blocks * high, wide})};
    for (TileCase& ring : rings) fill_telling(maker, ring);
    return rings;
}

frames::RunCase run_of(const Quantize2d& quantize, const TileCase& tile_case) {
    const Extent& extent = tile_case.matrix.values;
    const Format& element = *quantize.quantize.format.element;
    const std::uint64_t values = count(extent, "values");
    frames::RunCase run;
    run.shape = {extent.rows, extent.columns, 0, 0};
    run.inputs = {frames::values_of(tile_case.values, *quantize.quantize.format.value)};
    for (const Extent& scales : {quantize.row_scales(extent), quantize.column_scales(extent)}) {
        run.outputs.emplace_back(values, frames::bytes_of(element));
        run.outputs.emplace_back(count(scales, "scales"), frames::bytes_of(*quantize.quantize.scale.to));
    }
    run.name = tile_case.name;
    return run;
}

TileCase case_of(const Quantize2d& quantize, const cases::GivenCase& given_case) {
    return {"the case that was given",
            {},
            {{given_case.sizes[0], given_case.sizes[1]}, quantize.tile},
            given_case.tensors[0]};
}

} // namespace mxcert::suites
