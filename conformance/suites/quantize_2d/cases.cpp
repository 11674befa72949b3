// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/quantize_2d/cases.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "conformance/inputs/interleave.hpp"
#include "conformance/suites/maker.hpp"
#include "reference/base/random.hpp"

namespace mxcert::suites {
namespace {

constexpr std::uint64_t lane_seed = 0x2D2D;

TileMaker maker_of(const Quantize2d& quantize) { return {*quantize.quantize.format.value, quantize.tile}; }

bool special_values(const TileMaker& maker, const CallTileCase& call) {
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

bool values_alone(const TileMaker& maker, const CallTileCase& call) {
    std::vector<Special> specials = specials_of(maker.format());
    specials.push_back({"0", 0});
    // So many that a group of tiles has nothing else.
    for (const Special& special : specials) {
        TileCase tile_case = maker.of_tiles(fmt::format("tiles of nothing but {}", special.name), 8);
        std::fill(tile_case.values.begin(), tile_case.values.end(), special.code);
        if (!call(tile_case)) return false;
    }
    return in_pieces(
        maker, "one value alone", specials.size(),
        [&](TileCase& tile_case, std::uint64_t tile, std::uint64_t number) {
            const Special& special = specials[number];
            for (std::uint64_t lane = 0; lane < maker.lanes(); ++lane) maker.set(tile_case, tile, lane, special.code);
            tile_case.tiles.emplace_back(special.name);
        },
        call);
}

} // namespace

void for_each_tile_case(const Quantize2d& quantize, const CallTileCase& call) {
    const TileMaker maker = maker_of(quantize);
    if (for_each_place_case(maker, call) && special_values(maker, call) && values_alone(maker, call))
        for_each_size_case(maker, block_kinds(maker.format()), call);
}

void for_each_amax_case(const Quantize2d& quantize, const std::vector<Code>& amaxes, const CallTileCase& call) {
    const TileMaker maker = maker_of(quantize);
    in_pieces(
        maker, fmt::format("{} amaxes", amaxes.size()), amaxes.size(),
        [&](TileCase& tile_case, std::uint64_t tile, std::uint64_t number) {
            const std::uint64_t lane = SplitMix64::at(lane_seed, ~number);
            maker.fill(tile_case, tile, lane, amaxes[inputs::far_apart(number, amaxes.size())], tile % 2 != 0);
        },
        call);
}

void for_each_value_case(const Quantize2d& quantize, const std::vector<Code>& amaxes,
                         const std::function<std::vector<Code>(Code amax)>& values_under, const CallTileCase& call) {
    const TileMaker maker = maker_of(quantize);
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

std::vector<TileCase> tile_rings(const Quantize2d& quantize) { return tile_rings(maker_of(quantize)); }

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
