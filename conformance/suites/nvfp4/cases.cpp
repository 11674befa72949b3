// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/nvfp4/cases.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "conformance/inputs/interleave.hpp"
#include "reference/base/random.hpp"
#include "reference/code_text.hpp"

namespace mxcert::suites {
namespace {

constexpr std::uint64_t nvfp4_seed = 0x4F9;
constexpr std::uint64_t values_of_tensor = 1U << 15U; ///< of a matrix: small enough to be kept

/// Blocks that a matrix has room for beside that of the amax of the tensor.
std::uint64_t blocks_of_piece(const TileMaker& maker) { return values_of_tensor / maker.lanes() - 1; }

std::string of_tensor(const QuantizeNvfp4& quantize, Code tensor_amax) {
    return "a tensor of the amax " + code_text(*quantize.source, tensor_amax);
}

/// A matrix of so many blocks and one that holds the amax of the tensor, at a place of its own. `fill` fills the block
/// of a number from 0 to blocks - 1, again from the first one where the matrix has more.
template <class Fill> TileCase piece(const TileMaker& maker, std::string name, Code tensor_amax, std::uint64_t first,
                                     std::uint64_t blocks, const Fill& fill) {
    TileCase tile_case = maker.of_tiles(std::move(name), blocks + 1);
    const std::uint64_t all = tile_case.matrix.blocks();
    const std::uint64_t holder = SplitMix64::at(nvfp4_seed + tensor_amax, first) % all;
    std::uint64_t number = 0;
    for (std::uint64_t block = 0; block < all; ++block) {
        if (block == holder)
            maker.fill(tile_case, block, SplitMix64::at(nvfp4_seed, tensor_amax), tensor_amax, tensor_amax % 2 != 0);
        else
            fill(tile_case, block, number++ % blocks);
    }
    return tile_case;
}

/// A special value among ordinary ones, and a block of nothing else: a tensor for each place, since a NaN or an Inf may
/// reach all of it.
bool special_tensors(const TileMaker& maker, const CallTileCase& call) {
    const std::uint64_t last = maker.lanes() - 1;
    std::vector<Special> specials = specials_of(maker.format());
    specials.push_back({"0", 0});
    for (const Special& special : specials) {
        for (const std::uint64_t lane : {std::uint64_t{0}, last / 2 + 1, last}) {
            TileCase tile_case =
                maker.of_tiles(fmt::format("{} at {} of a block", special.name, maker.place_text(lane)), 7);
            maker.fill_telling(tile_case);
            maker.set(tile_case, lane % 7, lane, special.code);
            if (!call(tile_case)) return false;
        }
        TileCase tile_case = maker.of_tiles(fmt::format("a block of nothing but {}", special.name), 7);
        maker.fill_telling(tile_case);
        for (std::uint64_t lane = 0; lane <= last; ++lane) maker.set(tile_case, 3, lane, special.code);
        if (!call(tile_case)) return false;
        // So many that a vector or a group of blocks has nothing else.
        tile_case = maker.of_tiles(fmt::format("a tensor of nothing but {}", special.name), 35);
        std::fill(tile_case.values.begin(), tile_case.values.end(), special.code);
        if (!call(tile_case)) return false;
    }
    return true;
}

/// A value that is larger than those of TileMaker::telling().
Code above_all(const Format& format, std::uint64_t number) {
    const Code value = Maker(format).normal(12, SplitMix64::at(nvfp4_seed, number));
    return number % 2 != 0 ? value | format.sign_bit() : value;
}

/// The same matrix with the amax of the tensor at its ends, one after the other.
bool with_amax_at_ends(const TileMaker& maker, bool few, const TileCase& tile_case, const CallTileCase& call) {
    const Extent& extent = tile_case.matrix.values;
    const std::uint64_t last = tile_case.values.size() - 1;
    const std::pair<const char*, std::uint64_t> ends[] = {{"the first value", 0},
                                                          {"the last value", last},
                                                          {"the end of the first row", extent.columns - 1},
                                                          {"the beginning of the last row", last + 1 - extent.columns}};
    for (const auto& [what, at] : ends) {
        if (few && last > values_of_tensor && at != last) continue;
        TileCase with_amax = tile_case;
        with_amax.name += fmt::format(", the largest is {}", what);
        with_amax.values[at] = above_all(maker.format(), at);
        if (!call(with_amax)) return false;
    }
    return true;
}

} // namespace

TileMaker maker_of(const QuantizeNvfp4& quantize) { return {*quantize.source, quantize.block}; }

TileCase tensor_case(const QuantizeNvfp4& quantize, Code tensor_amax, std::span<const Code> amaxes) {
    const TileMaker maker = maker_of(quantize);
    return piece(maker, of_tensor(quantize, tensor_amax), tensor_amax, 0, amaxes.size(),
                 [&](TileCase& tile_case, std::uint64_t block, std::uint64_t number) {
                     maker.fill(tile_case, block, tensor_amax + number, amaxes[number], number % 2 != 0);
                 });
}

bool for_each_scale_case(const QuantizeNvfp4& quantize, Code tensor_amax, std::span<const Code> amaxes,
                         const CallTileCase& call) {
    const TileMaker maker = maker_of(quantize);
    for (std::uint64_t first = 0; first < amaxes.size(); first += blocks_of_piece(maker)) {
        const TileCase tile_case =
            piece(maker, fmt::format("{}, amaxes from number {}", of_tensor(quantize, tensor_amax), first), tensor_amax,
                  first, std::min<std::uint64_t>(blocks_of_piece(maker), amaxes.size() - first),
                  [&](TileCase& this_tile_case, std::uint64_t block, std::uint64_t number) {
                      maker.fill(this_tile_case, block, SplitMix64::at(nvfp4_seed, first + number),
                                 amaxes[inputs::far_apart(first + number, amaxes.size())], block % 2 != 0);
                  });
        if (!call(tile_case)) return false;
    }
    return true;
}

bool for_each_element_case(const QuantizeNvfp4& quantize, Code tensor_amax, std::span<const ValuesUnder> all,
                           const CallTileCase& call) {
    const TileMaker maker = maker_of(quantize);
    const std::uint64_t free = maker.lanes() - 1; // places beside the amax
    struct Block {
        const ValuesUnder* under;
        std::uint64_t first; // of its values
    };
    std::vector<Block> blocks;
    for (const ValuesUnder& under : all)
        for (std::uint64_t first = 0; first < under.values.size(); first += free) blocks.push_back({&under, first});
    const auto fill = [&](TileCase& tile_case, std::uint64_t block, std::uint64_t number) {
        const auto& [under, first] = blocks[inputs::far_apart(number, blocks.size())];
        const std::uint64_t lane = number % maker.lanes();
        maker.fill(tile_case, block, lane, under->amax, number % 2 != 0);
        const std::uint64_t here = std::min<std::uint64_t>(free, under->values.size() - first);
        for (std::uint64_t i = 0; i < here; ++i)
            maker.set(tile_case, block, i < lane ? i : i + 1,
                      under->values[inputs::far_apart(first + i, under->values.size())]);
    };
    for (std::uint64_t first = 0; first < blocks.size(); first += blocks_of_piece(maker)) {
        const TileCase tile_case =
            piece(maker, fmt::format("{}, blocks from number {}", of_tensor(quantize, tensor_amax), first), tensor_amax,
                  first, std::min<std::uint64_t>(blocks_of_piece(maker), blocks.size() - first),
                  [&](TileCase& this_tile_case, std::uint64_t block, std::uint64_t number) {
                      fill(this_tile_case, block, first + number);
                  });
        if (!call(tile_case)) return false;
    }
    return true;
}

bool for_each_block_case(const QuantizeNvfp4& quantize, bool few, const CallTileCase& call) {
    const TileMaker maker = maker_of(quantize);
    return for_each_place_case(maker, call) && special_tensors(maker, call) &&
           for_each_size_case(maker, small_block_kinds(maker.format()), [&](const TileCase& tile_case) {
               return with_amax_at_ends(maker, few, tile_case, call);
           });
}

bool for_each_large_case(const QuantizeNvfp4& quantize, std::uint64_t values, const CallTileCase& call) {
    const TileMaker maker = maker_of(quantize);
    TileCase tile_case = maker.of_size("", grid_of(quantize.block, values / maker.lanes() + 1).values);
    const Maker of_format(*quantize.source);
    for (std::uint64_t i = 0; i < tile_case.values.size(); ++i)
        tile_case.values[i] = of_format.normal(static_cast<int>(i % 5) - 6, i % 3);
    const std::uint64_t last = tile_case.values.size() - 1;
    for (const std::uint64_t at : {std::uint64_t{0}, last / 2 + 1, last}) {
        tile_case.name = fmt::format("{} values, of which number {} is the largest", last + 1, at);
        const Code small = std::exchange(tile_case.values[at], above_all(*quantize.source, at));
        if (!call(tile_case)) return false;
        tile_case.values[at] = small;
    }
    return true;
}

frames::RunCase run_of(const QuantizeNvfp4& quantize, const TileCase& tile_case) {
    const Extent& extent = tile_case.matrix.values;
    frames::RunCase run;
    run.shape = {extent.rows, extent.columns, 0, 0};
    run.inputs = {frames::values_of(tile_case.values, *quantize.source)};
    run.outputs.emplace_back(tile_case.values.size(), frames::bytes_of(formats::e2m1));
    run.outputs.emplace_back(tile_case.matrix.blocks(), frames::bytes_of(*quantize.recipe->choices.scale));
    if (quantize.output != Nvfp4Output::none) run.outputs.emplace_back(1, frames::bytes_of(formats::fp32));
    run.name = tile_case.name;
    // Two answers may differ. What is never written shows: the byte is no element, and no scale of these.
    constexpr std::uint8_t unwritten = 0xA5;
    if (quantize.random) run.once = unwritten;
    return run;
}

TileCase case_of(const QuantizeNvfp4& quantize, const cases::GivenCase& given_case) {
    return {"the case that was given",
            {},
            {{given_case.sizes[0], given_case.sizes[1]}, quantize.block},
            given_case.tensors[0]};
}

} // namespace mxcert::suites
