// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/nvfp4/balanced.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "reference/base/random.hpp"
#include "reference/fast/recipe/machine_float.hpp"
#include "reference/fast/recipe/nvfp4.hpp"

namespace mxcert::suites {
namespace {

constexpr std::uint64_t balanced_seed = 0x46;
constexpr std::uint64_t most_tried = 4; ///< random blocks for each that is balanced

/// Blocks in a tensor of one amax.
class Balancing {
  public:
    explicit Balancing(const QuantizeNvfp4& quantize)
        : source_(*quantize.source), choices_(quantize.recipe->choices), columns_(quantize.block.columns),
          lanes_(quantize.block.rows * quantize.block.columns),
          tensor_amax_(Maker(source_).normal(10, 0x5B7F35 & source_.fraction_mask())),
          tensor_(fast::tensor_scales_of(choices_, wide(tensor_amax_))) {}

    [[nodiscard]] Code tensor_amax() const { return tensor_amax_; }

    /// A random block, and the value of it that is changed.
    struct Block {
        std::vector<Code> values;
        std::uint64_t lane;
    };
    [[nodiscard]] Block drawn(std::uint64_t number) const {
        const Maker maker(source_);
        Block block{{}, 1 + SplitMix64::at(balanced_seed, number) % (lanes_ - 1)};
        for (std::uint64_t lane = 0; lane < lanes_; ++lane) {
            const std::uint64_t word = SplitMix64::at(number, lane);
            const int exponent = lane == 0 ? 3 : 2 - static_cast<int>(word >> 61U);
            const Code value = maker.normal(exponent, word & source_.fraction_mask());
            block.values.push_back((word >> 60U & 1U) != 0 ? maker.negative(value) : value);
        }
        return block;
    }

    /// The magnitude of that value at which the block begins to be mapped otherwise; nothing if there is none.
    [[nodiscard]] std::optional<Code> turn_of(Block block) const {
        const Maker maker(source_);
        const Code least = maker.normal(-4, 0);
        const Code most = maker.normal(2, source_.fraction_mask());
        const auto to_4 = [&](Code magnitude) {
            block.values[block.lane] = magnitude;
            return is_to_4(block.values);
        };
        constexpr Code steps = 48;
        for (Code step = 0; step < steps; ++step) {
            Code low = least + (most - least) * step / steps;
            Code high = least + (most - least) * (step + 1) / steps;
            const bool before = to_4(low);
            if (to_4(high) == before) continue;
            while (high - low > 1) {
                const Code middle = low + (high - low) / 2;
                (to_4(middle) == before ? low : high) = middle;
            }
            return high;
        }
        return std::nullopt;
    }

    [[nodiscard]] bool is_to_4(const std::vector<Code>& values) const {
        std::vector<Code> numbers;
        for (const Code value : values) numbers.push_back(wide(value));
        return fast::is_mapped_to_4(choices_, tensor_, wide(values.front() & source_.magnitude_mask()), numbers,
                                    columns_);
    }
    [[nodiscard]] Code nan() const {
        return source_.inf_code() | Code{1} << static_cast<unsigned>(source_.fraction_bits - 1);
    }

  private:
    [[nodiscard]] Code wide(Code code) const { return fast::bits_of(fast::widened(source_, code)); }

    const Format& source_;
    const recipe::Nvfp4& choices_;
    std::uint64_t columns_;
    std::uint64_t lanes_;
    Code tensor_amax_;
    recipe::TensorScales tensor_;
};

} // namespace

bool for_each_balanced_case(const QuantizeNvfp4& quantize, bool few, const CallTileCase& call) {
    if (quantize.recipe->choices.four_over_six == recipe::FourOverSix::off) return true;
    const Balancing balancing(quantize);
    const std::uint64_t wanted = few ? 8 : 128;
    std::vector<std::vector<Code>> blocks;
    for (std::uint64_t number = 0; number < wanted * most_tried && blocks.size() < 4 * wanted; ++number) {
        Balancing::Block block = balancing.drawn(number);
        const std::optional<Code> turn = balancing.turn_of(block);
        if (!turn) continue;
        for (Code step = 0; step < 4; ++step) {
            block.values[block.lane] = *turn - 2 + step;
            blocks.push_back(block.values);
        }
    }
    // A NaN leaves no error that is smaller: a block that is mapped to 4 without it.
    for (std::uint64_t number = 0, found = 0; found < 4 && number < wanted * most_tried; ++number) {
        Balancing::Block block = balancing.drawn(number);
        if (!balancing.is_to_4(block.values)) continue;
        ++found;
        for (const std::uint64_t lane : {std::uint64_t{1}, block.values.size() - 1}) {
            blocks.push_back(block.values);
            blocks.back()[lane] = balancing.nan();
        }
    }
    const TileMaker maker = maker_of(quantize);
    TileCase tile_case = maker.of_tiles("blocks that are as near to 4 as to 6", blocks.size() + 1);
    // The first block has the amax of the tensor, and so have those that fill the matrix up.
    for (std::uint64_t block = 0; block < tile_case.matrix.blocks(); ++block)
        for (std::uint64_t lane = 0; lane < maker.lanes(); ++lane)
            maker.set(tile_case, block, lane,
                      block == 0 || block > blocks.size() ? balancing.tensor_amax() : blocks[block - 1][lane]);
    return call(tile_case);
}

} // namespace mxcert::suites
