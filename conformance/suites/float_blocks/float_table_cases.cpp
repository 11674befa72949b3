// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/float_blocks/float_table_cases.hpp"

#include <algorithm>
#include <array>

#include "conformance/frames/words.hpp"
#include "conformance/inputs/interleave.hpp"
#include "reference/base/random.hpp"
#include "reference/code_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

/// A block with this amax, of either sign, in a lane that changes from block to block.
struct AmaxBlock {
    Code amax = 0;
    std::span<const Code> others; ///< of the other lanes in turn; none is larger
    std::string about;
};

/// A matrix of such blocks.
FloatCase matrix_of(const QuantizeFloat& quantize, std::string name, std::span<const AmaxBlock> some_blocks,
                    std::uint64_t first) {
    FloatCase float_case{std::move(name), {}, grid_of(quantize.block, some_blocks.size()), {}};
    float_case.values = frames::Values(count(float_case.matrix.values, "values"), frames::bytes_of(*quantize.source));
    const std::uint64_t blocks = float_case.matrix.blocks();
    for (std::uint64_t number = 0; number < blocks; ++number) {
        const AmaxBlock& from = some_blocks[std::min<std::uint64_t>(number, some_blocks.size() - 1)];
        const BlockRange block = float_case.matrix.block(number);
        const std::uint64_t lanes = count(block.size, "values");
        const std::uint64_t at = (first + number) % lanes;
        const Code sign = (first + number) / lanes % 2 != 0 ? quantize.source->sign_bit() : 0;
        std::size_t next = 0;
        std::uint64_t lane = 0;
        for (std::uint64_t row = 0; row < block.size.rows; ++row) {
            std::uint64_t place = float_case.matrix.place(block, row * block.size.columns);
            for (std::uint64_t i = 0; i < block.size.columns; ++i, ++lane, ++place) {
                if (lane == at) {
                    float_case.values.set(place, from.amax | sign);
                } else {
                    float_case.values.set(place, from.others[next]);
                    next = next + 1 == from.others.size() ? 0 : next + 1;
                }
            }
        }
        float_case.blocks.push_back(from.about);
    }
    return float_case;
}

} // namespace

std::uint64_t lanes_of(const QuantizeFloat& quantize) { return count(grid_of(quantize.block, 1).values, "values"); }

bool asks_every_amax(const QuantizeFloat& quantize) {
    return quantize.source->width() <= 16 && lanes_of(quantize) <= large_block;
}

void for_each_scale_case(const QuantizeFloat& quantize, std::span<const Code> ascending, std::uint64_t seed,
                         const TableCall<FloatCase>& call) {
    std::vector<Code> amaxes;
    for (const std::uint32_t at : inputs::spread_binades(ascending, *quantize.source)) amaxes.push_back(ascending[at]);
    const std::uint64_t at_once = std::max<std::uint64_t>(1, values_at_once / lanes_of(quantize));
    for (std::size_t done = 0; done < amaxes.size();) {
        std::vector<AmaxBlock> some_blocks;
        std::vector<std::array<Code, 3>> others;
        const std::size_t here = std::min<std::size_t>(at_once, amaxes.size() - done);
        others.reserve(here);
        for (std::size_t i = 0; i < here; ++i) {
            const Code amax = amaxes[done + i];
            const Code smaller = SplitMix64::at(seed, done + i) % (amax + 1);
            others.push_back({smaller, smaller / 2 | quantize.source->sign_bit(), 0});
            some_blocks.push_back({amax, others.back(), "the amax " + code_text(*quantize.source, amax)});
        }
        FloatCase float_case = matrix_of(quantize, "a scale", some_blocks, done);
        const std::uint64_t blocks = float_case.matrix.blocks();
        for (std::size_t i = 0; i < blocks; ++i) float_case.amaxes.push_back(amaxes[done + std::min(i, here - 1)]);
        if (!call(float_case, here)) return;
        done += here;
    }
}

void for_each_element_case(const QuantizeFloat& quantize, std::span<const Code> amaxes,
                           const std::function<std::vector<Code>(Code)>& values_under,
                           const TableCall<FloatCase>& call) {
    constexpr std::uint64_t values_of_elements = 1U << 15U; // of a matrix: small enough to be kept
    const std::uint64_t lanes = lanes_of(quantize);
    std::vector<std::vector<Code>> values;
    std::vector<AmaxBlock> blocks;
    std::vector<std::uint32_t> classes;
    for (const Code amax : amaxes) {
        // Neighbours in a block are far apart, mostly of both signs.
        const std::vector<Code> ascending = values_under(amax);
        std::vector<Code>& under = values.emplace_back();
        for (std::uint64_t i = 0; i < ascending.size(); ++i)
            under.push_back(ascending[inputs::far_apart(i, ascending.size())]);
        const std::string about = "the amax " + code_text(*quantize.source, amax);
        for (std::size_t done = 0; done < under.size(); done += lanes - 1) {
            const std::size_t here = std::min<std::size_t>(lanes - 1, under.size() - done);
            blocks.push_back({amax, std::span<const Code>(under).subspan(done, here), about});
            classes.push_back(static_cast<std::uint32_t>(values.size() - 1));
        }
    }
    // And so are the amaxes of neighbouring blocks.
    std::vector<AmaxBlock> some_blocks;
    for (const std::uint32_t at : inputs::spread(classes)) some_blocks.push_back(std::move(blocks[at]));
    const std::uint64_t wanted =
        std::max<std::uint64_t>(1, std::min<std::uint64_t>(values_of_elements / lanes, some_blocks.size()));
    const std::uint64_t at_once = count(grid_of(quantize.block, wanted).scales(), "scales");
    for (std::size_t done = 0; done < some_blocks.size(); done += at_once) {
        const auto here =
            std::span(some_blocks).subspan(done, std::min<std::size_t>(at_once, some_blocks.size() - done));
        std::uint64_t judged = 0;
        for (const AmaxBlock& block : here) judged += block.others.size();
        if (!call(matrix_of(quantize, "an element", here, done), judged)) return;
    }
}

void for_each_value_case(const DequantizeFloat& dequantize, std::span<const Code> scales,
                         const TableCall<FloatDequantizeCase>& call) {
    const std::uint64_t elements = dequantize.element->last_code() + 1;
    const std::uint64_t lanes = count(grid_of(dequantize.block, 1).values, "values");
    const std::uint64_t of_scale = (elements + lanes - 1) / lanes; // blocks
    const std::uint64_t all = scales.size() * of_scale;
    const std::uint64_t at_once = std::max<std::uint64_t>(1, values_at_once / lanes);
    for (std::uint64_t done = 0; done < all;) {
        const FloatMatrix matrix = grid_of(dequantize.block, std::min(at_once, all - done));
        const std::uint64_t blocks = matrix.blocks();
        FloatDequantizeCase float_dequantize_case{"a value", matrix, frames::Values(count(matrix.values, "values"), 1),
                                                  frames::Values(blocks, frames::bytes_of(*dequantize.scale))};
        for (std::uint64_t b = 0; b < blocks; ++b) {
            const std::uint64_t number = std::min(done + b, all - 1);
            const BlockRange block = matrix.block(b);
            // Neighbouring blocks have scales that are far apart, and the same elements.
            float_dequantize_case.scales.set(b, scales[inputs::far_apart(number % scales.size(), scales.size())]);
            // Lanes turn from block to block, so that each element is seen in many of them.
            for (std::uint64_t lane = 0; lane < lanes; ++lane)
                float_dequantize_case.elements.set(matrix.place(block, (lane + number) % lanes),
                                                   (number / scales.size() * lanes + lane) % elements);
        }
        const std::uint64_t here = std::min(blocks, all - done);
        if (!call(float_dequantize_case, std::min(here * lanes, here * elements))) return;
        done += here;
    }
}

} // namespace mxcert::suites
