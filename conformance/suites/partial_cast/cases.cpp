// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/partial_cast/cases.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "conformance/suites/matrices/size_cases.hpp"
#include "conformance/suites/matrices/tile_cases.hpp"
#include "conformance/suites/partial_cast/scales.hpp"
#include "reference/base/random.hpp"
#include "reference/code_text.hpp"

namespace mxcert::suites {
namespace {

using formats::fp32;
using recipe::GivenScale;
using recipe::PartialCast;

constexpr std::uint64_t values_seed = 0x5EED;
constexpr std::uint64_t before_seed = 0xBEF0;
constexpr std::uint64_t few_values = 1U << 16U;     ///< matrices of more are asked for fewer shards
constexpr std::uint64_t values_of_case = 1U << 17U; ///< of a matrix, which is kept to name what is wrong
constexpr std::uint64_t side_of_all = 32;           ///< of which the sides of a ring are multiples

/// An element as it was before. It is another one than the shard gives, mostly. Repeated, so that a record of large
/// matrices can be packed.
Code element_before(const Format& element, std::uint64_t number) {
    constexpr std::uint64_t all = 4093; // a prime
    return SplitMix64::at(before_seed, number % all) & element.last_code();
}

/// Values of few magnitudes: what a model has to compute with exact numbers is computed once.
Code telling_value(const Format& source, std::uint64_t number) {
    constexpr std::uint64_t all = 509; // a prime
    const std::uint64_t word = SplitMix64::at(values_seed, number % all);
    return Maker(source).normal(static_cast<int>(word % 4) - 2, word >> 8U) |
           ((word >> 40U & 1U) != 0 ? source.sign_bit() : 0);
}

struct NamedShard {
    std::string name;
    std::uint64_t first;
    std::uint64_t count;
};

/// The parts of so many ranks: of one length, the last one shorter.
void add_ranks(std::uint64_t elements, std::uint64_t ranks, std::vector<NamedShard>& shards) {
    const std::uint64_t each = (elements + ranks - 1) / ranks;
    for (std::uint64_t rank = 0; rank * each < elements; ++rank)
        shards.push_back(
            {fmt::format("rank {} of {}", rank, ranks), rank * each, std::min(each, elements - rank * each)});
}

/// Those within a matrix, of the ones that are worth a try.
std::vector<NamedShard> shards_of(const Extent& extent, const BlockShape& block, bool few) {
    const std::uint64_t elements = extent.rows * extent.columns;
    const std::uint64_t columns = extent.columns;
    std::vector<NamedShard> all{{"all elements", 0, elements}};
    add_ranks(elements, 4, all);
    all.push_back({"all but the first and the last element", 1, elements - std::min<std::uint64_t>(elements, 2)});
    if (!few) {
        const std::uint64_t below = block.rows * columns; // the first element of the second row of blocks
        const std::uint64_t middle = extent.rows / 2 * columns + columns / 2;
        all.insert(all.end(), {{"no element, at the beginning", 0, 0},
                               {"no element, in the middle", middle, 0},
                               {"no element, at the end", elements, 0},
                               {"the first element", 0, 1},
                               {"the last element", elements - 1, 1},
                               {"one element", middle, 1},
                               {"the first row", 0, columns},
                               {"the second row", columns, columns},
                               {"the end of a row and the beginning of the next", columns / 2 + 1, columns},
                               {"elements of one row", columns + columns / 3, columns / 2},
                               {"the last element of a row of blocks", below - 1, 1},
                               {"the first element of a row of blocks", below, 1},
                               {"two rows of blocks, not all of them", below / 2 + 1, below},
                               {"rows but for their ends", 2 * columns + 1, 3 * columns - 2},
                               {"from a row of blocks on", below, elements - std::min(elements, below)},
                               {"up to a row of blocks", 0, below},
                               {"the second block of a row", block.columns, block.columns},
                               {"the end of a block and the beginning of the next", block.columns - 1, 2},
                               {"the last row but for its first element", elements - columns + 1, columns - 1}});
        for (std::uint64_t first = 0; first < 8; ++first)
            for (const std::uint64_t length : {1U, 2U, 3U, 5U, 8U, 13U})
                all.push_back({fmt::format("{} elements from {} on", length, first), first, length});
        add_ranks(elements, 3, all);
        add_ranks(elements, 7, all);
        for (std::uint64_t i = 0; i < 16; ++i) {
            const std::uint64_t first = SplitMix64::at(before_seed, ~i) % elements;
            const std::uint64_t length = 1 + SplitMix64::at(values_seed, ~i) % (elements - first);
            all.push_back({fmt::format("{} elements from {} on", length, first), first, length});
        }
    }
    std::vector<NamedShard> within;
    std::copy_if(all.begin(), all.end(), std::back_inserter(within), [&](const NamedShard& shard) {
        return shard.first <= elements && shard.count <= elements - shard.first;
    });
    return within;
}

/// Sizes that all take, and tile_extents().
std::vector<Extent> shard_extents(const PartialCast& cast) {
    const auto whole = [](std::uint64_t blocks, std::uint64_t side) {
        return (blocks * side + side_of_all - 1) / side_of_all * side_of_all;
    };
    std::vector<Extent> extents{{whole(3, cast.block.rows), whole(5, cast.block.columns)},
                                {whole(2, cast.block.rows), whole(1, cast.block.columns)}};
    const std::vector<Extent> others = tile_extents(cast.block);
    extents.insert(extents.end(), others.begin(), others.end());
    return extents;
}

/// Under one scale.
struct UnderScale {
    Code scale;
    std::vector<Code> values;
};

/// A matrix of so many blocks, each under its scale. A block repeats what it is to have until it is full.
ShardCase case_under(const PartialCast& cast, std::string name, Code encode_scale, const std::vector<UnderScale>& all) {
    ShardCase shard_case{std::move(name), grid_of(cast.block, all.size()), {}};
    recipe::Shard& shard = shard_case.shard;
    shard.matrix = shard_case.matrix.values;
    shard.encode_scale = encode_scale;
    shard.values.resize(count(shard.matrix, "values"));
    for (std::uint64_t number = 0; number < shard_case.matrix.blocks(); ++number) {
        const UnderScale& under = all[number % all.size()];
        shard.scales.push_back(under.scale);
        const BlockRange block = shard_case.matrix.block(number);
        for (std::uint64_t lane = 0; lane < count(block.size, "values"); ++lane)
            shard.values[shard_case.matrix.place(block, lane)] = under.values[lane % under.values.size()];
    }
    for (std::uint64_t i = 0; i < shard.values.size(); ++i) shard.before.push_back(element_before(*cast.element, i));
    return shard_case;
}

} // namespace

ShardCase telling_shard(const PartialCast& cast, std::string name, const Extent& extent, std::uint64_t first,
                        std::uint64_t length) {
    ShardCase shard_case{std::move(name), {extent, cast.block}, {}};
    recipe::Shard& shard = shard_case.shard;
    shard.matrix = extent;
    shard.first = first;
    shard.encode_scale = usual_encode_scale;
    for (std::uint64_t i = 0; i < length; ++i) shard.values.push_back(telling_value(*cast.source, first + i));
    const std::uint64_t elements = count(extent, "elements");
    for (std::uint64_t i = 0; i < elements; ++i) shard.before.push_back(element_before(*cast.element, i));
    for (std::uint64_t block = 0; block < shard_case.matrix.blocks(); ++block)
        shard.scales.push_back(telling_scale(cast, block));
    return shard_case;
}

bool for_each_scale_case(const PartialCast& cast, Level level, std::uint64_t seed, const CallShardCase& call) {
    const std::uint64_t lanes = cast.block.rows * cast.block.columns;
    const std::uint64_t most = std::max<std::uint64_t>(1, values_of_case / lanes);
    for (const Code encode_scale : encode_scales(cast, level, seed)) {
        std::vector<UnderScale> all;
        const auto ask = [&] {
            const bool goes_on =
                all.empty() || call(case_under(cast,
                                               cast.scale == GivenScale::nvfp4
                                                   ? fmt::format("scales from {} on, of a tensor of {}",
                                                                 code_text(format_of(cast.scale), all.front().scale),
                                                                 code_text(fp32, encode_scale))
                                                   : fmt::format("scales from {} on",
                                                                 code_text(format_of(cast.scale), all.front().scale)),
                                               encode_scale, all));
            all.clear();
            return goes_on;
        };
        for (const Code scale : given_scales(cast, level, seed)) {
            const std::vector<Code> values = values_under(cast, level, seed, scale, encode_scale);
            for (std::uint64_t first = 0; first < values.size(); first += lanes) {
                const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
                const std::uint64_t here = std::min<std::uint64_t>(lanes, values.size() - first);
                all.push_back({scale, {begin, begin + static_cast<std::ptrdiff_t>(here)}});
                if (all.size() == most && !ask()) return false;
            }
        }
        if (!ask()) return false;
    }
    return true;
}

bool for_each_shard(const PartialCast& cast, const Extent& extent, bool few, const CallShardCase& call) {
    for (const NamedShard& shard : shards_of(extent, cast.block, few))
        if (!call(telling_shard(cast, fmt::format("{} of {}", shard.name, text(extent)), extent, shard.first,
                                shard.count)))
            return false;
    return true;
}

bool for_each_bounds_case(const PartialCast& cast, Level level, const CallShardCase& call) {
    for (const Extent& extent : shard_extents(cast)) {
        const bool large = count(extent, "elements") > few_values;
        if (large && is_small(level)) continue;
        if (!for_each_shard(cast, extent, large, call)) return false;
    }
    return true;
}

std::vector<ShardCase> shard_rings(const PartialCast& cast) {
    const auto whole = [](std::uint64_t side) { return (side + side_of_all - 1) / side_of_all * side_of_all; };
    const std::uint64_t high = whole(cast.block.rows);
    const std::uint64_t wide = whole(cast.block.columns);
    std::vector<ShardCase> rings;
    for (const auto& [name, piece] : {std::pair<const char*, Extent>{"to the right", {high, ring_blocks * wide}},
                                      std::pair<const char*, Extent>{"downwards", {ring_blocks * high, wide}}}) {
        const std::uint64_t elements = piece.rows * piece.columns;
        rings.push_back(telling_shard(cast, fmt::format("the last quarter of a ring of 61 {}", name),
                                      {ring_pieces * piece.rows, piece.columns}, (ring_pieces - 1) * elements,
                                      elements));
    }
    return rings;
}

bool may_be_refused(const ShardCase& shard_case) {
    return shard_case.matrix.has_tail() || shard_case.shard.values.empty();
}

frames::RunCase run_of(const PartialCast& cast, const ShardCase& shard_case) {
    const recipe::Shard& shard = shard_case.shard;
    frames::RunCase run;
    run.shape = {shard.matrix.rows, shard.matrix.columns, shard.first, shard.values.size()};
    run.inputs = {frames::values_of(shard.values, *cast.source), frames::values_of(shard.before, *cast.element),
                  frames::values_of(shard.scales, format_of(cast.scale))};
    if (cast.scale == GivenScale::nvfp4) run.inputs.push_back(frames::values_of({shard.encode_scale}, fp32));
    run.outputs = {frames::Values(shard.before.size(), frames::bytes_of(*cast.element))};
    run.undefined = undefined_elements(cast, shard);
    run.name = shard_case.name;
    return run;
}

} // namespace mxcert::suites
